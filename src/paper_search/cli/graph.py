"""`paper-search graph`: workflows listed, drawn, run and checked."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from paper_search.cli import graph_run
from paper_search.cli.options import Force, Json

graph = typer.Typer(
    help="The steps of a search, and where each of their outcomes leads; and other workflows.",
    rich_markup_mode=None,
)
Where = Annotated[
    str,
    typer.Option(
        "--in", metavar="WHERE", help="Package (dotted name) or directory (with a separator)."
    ),
]


class GraphFormat(str, Enum):
    """How a picture is printed when no workflow is named."""

    MERMAID = "mermaid"
    JSON = "json"


class PictureFormat(str, Enum):
    """How a picture is written."""

    MERMAID = "mermaid"
    JSON = "json"
    SVG = "svg"
    PNG = "png"


@graph.callback(invoke_without_command=True)
def draw(
    ctx: typer.Context,
    format_name: Annotated[
        GraphFormat | None, typer.Option("--format", help="How to write it; else mermaid.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the steps of a search, and where each of their outcomes leads."""
    from paper_search.cli.console import print_text
    from paper_search.cli.failures import UsageMistakeError

    if ctx.invoked_subcommand is not None:
        if as_json or format_name is not None:
            raise UsageMistakeError(
                f"--json and --format stand after {ctx.invoked_subcommand!r}, not before it"
            )
        return
    from paper_search.steps import to_json, to_mermaid
    from paper_search.workflow.graph import WORKFLOW

    if as_json and format_name is GraphFormat.MERMAID:
        raise UsageMistakeError("--json and --format mermaid contradict each other; give one")
    is_json = as_json or format_name is GraphFormat.JSON
    print_text(to_json(WORKFLOW) + "\n" if is_json else to_mermaid(WORKFLOW))


@graph.command("list")
def list_workflows(where: Where = "paper_search", as_json: Json = False) -> None:
    """List the workflows of a package or a directory."""
    from paper_search.cli.console import print_json, print_text, say, visible
    from paper_search.steps import discover_workflows

    discovery = discover_workflows(where)
    rows = [
        {
            "name": name,
            "description": discovery[name].description,
            "steps": discovery[name].total_steps,
            "path": str(discovery.places[name].path),
        }
        for name in discovery.names()
    ]
    if as_json:
        print_json(rows)
    else:
        lines = (f"{each['name']}  {each['steps']} steps  {each['description']}" for each in rows)
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
        PictureFormat | None,
        typer.Option("--format", help="How to write it; else by the name of --output."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw one workflow."""
    from paper_search.cli.console import print_text
    from paper_search.steps import discover_workflows

    chosen = _format(format_name, output, as_json=as_json)
    picture = _picture(discover_workflows(where).read(name), chosen)
    if output is not None:
        _write(output, picture, is_forced=force)
    else:
        print_text(picture.decode())


def _format(given: PictureFormat | None, output: Path | None, *, as_json: bool) -> PictureFormat:
    from paper_search.cli.failures import UsageMistakeError

    suffixes = {".svg": PictureFormat.SVG, ".png": PictureFormat.PNG, ".json": PictureFormat.JSON}
    by_name = suffixes.get(output.suffix.lower()) if output is not None else None
    if as_json and given not in {None, PictureFormat.JSON}:
        raise UsageMistakeError("--json and --format contradict each other; give one")
    chosen = PictureFormat.JSON if as_json else given or by_name or PictureFormat.MERMAID
    if chosen is PictureFormat.PNG and output is None:
        raise UsageMistakeError("a PNG is no text: give --output FILE")
    return chosen


def _picture(workflow: object, chosen: PictureFormat) -> bytes:
    from paper_search.steps import Workflow, to_json, to_mermaid, to_png, to_svg

    assert isinstance(workflow, Workflow)  # noqa: S101  # for the type checker
    match chosen:
        case PictureFormat.PNG:
            return to_png(workflow)
        case PictureFormat.SVG:
            return to_svg(workflow).encode()
        case PictureFormat.JSON:
            return (to_json(workflow) + "\n").encode()
        case PictureFormat.MERMAID:
            return to_mermaid(workflow).encode()


def _write(output: Path, content: bytes, *, is_forced: bool) -> None:
    from paper_search.errors import ExportError

    try:
        with output.open("wb" if is_forced else "xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise ExportError(f"{str(output)!r} exists; give --force to overwrite it") from error
    except OSError as error:
        raise ExportError(f"{str(output)!r} cannot be written: {error.strerror}") from error


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
    """Check that all workflows can be used, and that langgraph.json names all of them."""
    from paper_search.cli.console import print_json, print_text, say, visible
    from paper_search.errors import PaperSearchError
    from paper_search.steps import compare_langgraph_json, discover_workflows
    from paper_search.steps.compiler import compile_workflow

    discovery = discover_workflows(where or "paper_search")
    problems = list(discovery.problems)
    for name in discovery.names():
        try:
            compile_workflow(discovery[name])
            if discovery[name].services is not None:
                graph_run.factory(discovery[name])
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
        print_text("".join(f"{visible(each)}\n" for each in problems))
        compared = f", compared with {file}" if is_compared else ""
        say(f"workflows: {len(discovery)}, problems: {len(problems)}{compared}")
    if problems:
        raise typer.Exit(1)


graph.command("run")(graph_run.run)
