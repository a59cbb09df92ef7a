"""`paper-search graph`: workflows listed, drawn, run and checked."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_search.cli.console import UsageMistakeError, print_json, print_text, say, visible
from paper_search.cli.graph_run import Where, factory, resume, run
from paper_search.cli.options import Force, Json

if TYPE_CHECKING:
    from paper_search.steps import Workflow

graph = typer.Typer(
    help="Show the steps of a search, or other workflows.",
    rich_markup_mode=None,
)


class GraphFormat(str, Enum):
    MERMAID = "mermaid"
    JSON = "json"


SUFFIXES = {
    ".mmd": GraphFormat.MERMAID,
    ".mermaid": GraphFormat.MERMAID,
    ".json": GraphFormat.JSON,
}


@graph.callback(invoke_without_command=True)
def draw(
    ctx: typer.Context,
    format_name: Annotated[
        GraphFormat | None, typer.Option("--format", help="Output format; else mermaid.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the steps of a search, and where each of their outcomes leads."""
    if ctx.invoked_subcommand is not None:
        if as_json or format_name is not None:
            raise UsageMistakeError(
                f"put --json and --format after {ctx.invoked_subcommand!r}, not before it"
            )
        return
    from paper_search.workflow.graph import WORKFLOW

    print_text(_serialize(WORKFLOW, _format(format_name, None, as_json=as_json)))


@graph.command("list")
def list_workflows(where: Where = "paper_search", as_json: Json = False) -> None:
    """List the workflows of a package or a directory."""
    from paper_search.steps import discover_workflows

    discovery = discover_workflows(where)
    rows = [
        {
            "name": name,
            "description": discovery[name].description,
            "steps": discovery[name].total_steps,
            "path": str(discovery.locations[name].path),
        }
        for name in discovery.names()
    ]
    if as_json:
        print_json(rows)
    else:
        lines = (f"{row['name']}  {row['steps']} steps  {row['description']}" for row in rows)
        print_text("".join(f"{visible(line)}\n" for line in lines))
    for problem in discovery.problems:
        say(f"problem: {visible(problem)}")
    if discovery.problems:
        raise typer.Exit(1)


@graph.command("show")
def show(  # noqa: PLR0913, PLR0917  # one argument for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a workflow; see `list`.")],
    where: Where = "paper_search",
    format_name: Annotated[
        GraphFormat | None,
        typer.Option("--format", help="Output format; else by the name of --output."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw one workflow."""
    from paper_search.errors import ExportError
    from paper_search.exports.files import write_export
    from paper_search.steps import discover_workflows

    form = _format(format_name, output, as_json=as_json)
    text = _serialize(discover_workflows(where).read(name), form)
    if output is not None:
        if output.exists() and not force:
            raise ExportError(f"{str(output)!r} exists; give --force to overwrite it")
        write_export(text, output, overwrite=force)
    else:
        print_text(text)


def _format(given: GraphFormat | None, output: Path | None, *, as_json: bool) -> GraphFormat:
    from paper_search.errors import UnknownNameError

    if as_json and given is GraphFormat.MERMAID:
        raise UsageMistakeError("--json and --format mermaid contradict each other; give one")
    if as_json or given is not None:
        return given or GraphFormat.JSON
    if output is None:
        return GraphFormat.MERMAID
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise UnknownNameError("graph format for a file", suffix or output.name, [*SUFFIXES])
    return SUFFIXES[suffix]


def _serialize(workflow: "Workflow", form: GraphFormat) -> str:
    from paper_search.steps import to_json, to_mermaid

    return to_json(workflow) + "\n" if form is GraphFormat.JSON else to_mermaid(workflow)


@graph.command("check")
def check(
    where: Annotated[
        str | None,
        typer.Option(
            "--in", metavar="WHERE", help="Package or directory; else the program's own package."
        ),
    ] = None,
    langgraph_json: Annotated[
        Path | None,
        typer.Option(
            "--langgraph-json",
            metavar="FILE",
            help="The file that has to name these workflows and no others; without --in, that is "
            "./langgraph.json, where there is one.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check all workflows, and that langgraph.json names them."""
    from paper_search.errors import PaperSearchError
    from paper_search.steps import compare_langgraph_json, discover_workflows
    from paper_search.steps.compiler import compile_workflow

    discovery = discover_workflows(where or "paper_search")
    problems = list(discovery.problems)
    for name in discovery.names():
        try:
            compile_workflow(discovery[name])
            if discovery[name].services is not None:
                factory(discovery[name])
        except PaperSearchError as error:
            problems.append(str(error))
    file = langgraph_json or Path("langgraph.json")
    is_compared = langgraph_json is not None or (where is None and file.is_file())
    if is_compared:
        problems += compare_langgraph_json(file, discovery)
    if as_json:
        names = discovery.names()
        print_json({"workflows": names, "is_compared": is_compared, "problems": problems})
    else:
        print_text("".join(f"{visible(problem)}\n" for problem in problems))
        compared = f", compared with {file}" if is_compared else ""
        say(f"workflows: {len(discovery)}, problems: {len(problems)}{compared}")
    if problems:
        raise typer.Exit(1)


graph.command("run")(run)
graph.command("resume")(resume)
