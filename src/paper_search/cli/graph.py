"""`paper-search graph`: list, draw, check and run workflows."""

import asyncio
import json
import shlex
from collections.abc import Coroutine
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from paper_search.cli.console import (
    ExitCode,
    UsageMistakeError,
    command_line,
    print_json,
    print_text,
    say,
    visible,
    with_persistence,
    with_type,
)
from paper_search.cli.options import Home, Json, Thread, argument, option, settings
from paper_search.errors import ConfigError, InputError, PaperSearchError, WorkflowRunError

if TYPE_CHECKING:
    from paper_search.persistence import Persistence
    from paper_search.steps import Discovery, Run, Workflow
    from paper_search.threads.catalogs import PlainDetail

Where = Annotated[
    str,
    typer.Option(
        "--in", metavar="WHERE", help="Package (dotted name) or directory (with a separator)."
    ),
]
Answers = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="JSON", help="The answer to the next question; repeatable."),
]

graph = typer.Typer(help="Show the steps of a search, or other workflows.", rich_markup_mode=None)


@graph.callback(invoke_without_command=True)
def draw(ctx: typer.Context, as_json: Json = False) -> None:
    """Print the steps of a search, and where each of their outcomes leads."""
    if ctx.invoked_subcommand is None:
        _print_graph("paper_search", "paper_search", as_json=as_json)
    elif as_json:
        raise UsageMistakeError(f"put --json after {ctx.invoked_subcommand!r}, not before it")


@graph.command("list")
def list_workflows(where: Where = "paper_search", as_json: Json = False) -> None:
    """List the workflows of a package or a directory."""
    discovery = _discover(where)
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
    if discovery.problems:
        raise typer.Exit(1)


def _discover(where: str) -> "Discovery":
    """Return the workflows found, and print which cannot be used."""
    from paper_search.steps import discover_workflows

    discovery = discover_workflows(where)
    for problem in discovery.problems:
        say(f"problem: {visible(problem)}")
    return discovery


@graph.command("show")
def show(
    name: str = argument("NAME", "Name of a workflow; see `list`.", default=...),
    where: Where = "paper_search",
    as_json: Json = False,
) -> None:
    """Print one workflow as Mermaid or JSON."""
    _print_graph(name, where, as_json=as_json)


def _print_graph(name: str, where: str, *, as_json: bool) -> None:
    from paper_search.steps import to_json, to_mermaid

    workflow = _discover(where).read(name)
    print_text(to_json(workflow) + "\n" if as_json else to_mermaid(workflow))


@graph.command("check")
def check(
    where: str | None = option(
        "WHERE", "Package or directory. Default: the program's own package.", "--in"
    ),
    langgraph_json: Path | None = option(
        "FILE",
        "The file that must list exactly these workflows. Default without --in: "
        "./langgraph.json, if it exists.",
    ),
    as_json: Json = False,
) -> None:
    """Check all workflows, and that langgraph.json lists them."""
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


ResultT = TypeVar("ResultT")


@graph.command("run")
def run(  # noqa: PLR0913  # one argument for each option
    name: str = argument("NAME", "Name of a workflow; see `list`.", default=...),
    *,
    where: Where = "paper_search",
    params: list[str] | None = option("NAME=VALUE", "A setting of the run; repeatable.", "--param"),
    input_json: str | None = option("JSON", "The input: a JSON object.", "--input"),
    answers: Answers = None,
    thread: str | None = option("ID", "Save the run as a thread with this id."),
    step: str | None = option("ID", "Run only this step; --input is the state before it."),
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Run a workflow to its end or next question, or run one step of it.

    Prints the result or the question. With --thread, `graph resume` continues the run, and
    `threads`, `show`, `prune` and `delete` include it. Without --thread, nothing is saved.
    """
    from pydantic_core import to_jsonable_python

    if step is not None and (thread is not None or answers):
        raise UsageMistakeError("--step cannot be combined with --thread or --answer")
    from paper_search.steps.parameters import parse_params
    from paper_search.steps.running import run_workflow
    from paper_search.threads.engine import thread_name

    workflow = _discover(where).read(name)
    options: dict[str, Any] = {
        "params": parse_params(workflow.params, params or []),
        "services": _services(workflow, home),
    }
    step_input = {} if input_json is None else _json(input_json, "--input")
    if not isinstance(step_input, dict):
        raise InputError(f"--input {input_json!r} is not a JSON object")
    if step is not None:
        output = _run(asyncio.to_thread(workflow.run, step, state=step_input, **options), where)
        document = to_jsonable_python(asdict(output))
        if output.next_command:
            after = None if output.outcome is None else {**step_input, **document["update"]}
            words = shlex.split(output.next_command)[1:]
            words += ["--in", where, *(word for pair in params or [] for word in ("--param", pair))]
            words += [] if after is None else ["--input", json.dumps(after, ensure_ascii=False)]
            document["next_command"] = command_line(*words, home=home)
        print_json(document)
        return
    options["answers"] = [_json(answer, "--answer") for answer in answers or []]
    if thread is None:
        outcome = _run(run_workflow(workflow, step_input, **options), where)
    else:
        url, options["thread_id"] = settings(home).persistence_url, thread_name(thread)
        work = with_persistence(
            url, lambda p: run_workflow(workflow, step_input, persistence=p, **options)
        )
        outcome = _run(work, where)
    _print_outcome(outcome, thread, home, as_json=as_json)


@graph.command("resume")
def resume(
    thread: Thread,
    *,
    where: Where,
    answers: Answers = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Answer a workflow's question, or continue the thread."""
    from paper_search.steps.running import resume_workflow
    from paper_search.threads.catalogs import PlainThreads

    workflows = _discover(where)

    async def work(persistence: "Persistence") -> "Run":
        workflow = workflows.read((await PlainThreads(persistence).info(thread)).graph)
        return await resume_workflow(
            workflow,
            thread,
            persistence=persistence,
            answers=[_json(answer, "--answer") for answer in answers or []],
            services=_services(workflow, home),
        )

    outcome = _run(with_persistence(settings(home).persistence_url, work), where)
    _print_outcome(outcome, thread, home, as_json=as_json)


def _run(work: Coroutine[Any, Any, ResultT], where: str) -> ResultT:
    """Return the result of `work`; InputError for invalid settings or an invalid state.

    Whatever a handler of another package raises is a WorkflowRunError, not a bug of this program.
    """
    from pydantic import ValidationError

    from paper_search.steps.parameters import describe_errors
    from paper_search.steps.step import FAILURE

    try:
        return asyncio.run(work)
    except PaperSearchError:
        raise
    except Exception as error:
        notes = [note for note in getattr(error, "__notes__", ()) if note.startswith(FAILURE)]
        if notes and where.partition(".")[0] != "paper_search":
            message = f"{notes[0]}: {with_type(error)} (--debug shows where)"
            raise WorkflowRunError(message) from error
        if notes or not isinstance(error, ValidationError):
            raise
        raise InputError(f"{error.title} cannot be used: {describe_errors(error)}") from error


def _print_outcome(outcome: "Run", thread: str | None, home: Path | None, *, as_json: bool) -> None:
    if as_json:
        about = {} if thread is None else {"thread_id": thread}
        trace = [{"step": step_id, "outcome": way.value} for step_id, way in outcome.trace]
        status = "waiting" if outcome.is_waiting else "done"
        ended = {"result": dict(outcome.result), "trace": trace}
        print_json({**about, "status": status, **ended, "questions": list(outcome.questions)})
    else:
        for step_id, way in outcome.trace:
            say(f"{visible(step_id)}: {way.value}")
        print_json(outcome.questions[-1] if outcome.is_waiting else dict(outcome.result))
    if not outcome.is_waiting:
        return
    if thread is None:
        say("the run waits for an answer to the question above; pass it with --answer JSON")
    else:
        say("the thread waits for an answer to the question above; continue with:")
        say(f"  {_resume_command(thread, home, is_waiting=True)}")
    raise typer.Exit(ExitCode.WAITING)


def _json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{option} {text!r} is not JSON: {error}") from error


def _services(workflow: "Workflow", home: Path | None) -> Any:
    from paper_search.llm.creation import redact_output

    config = settings(home)
    redact_output(config.secrets)
    return None if workflow.services is None else factory(workflow)(config)


def factory(workflow: "Workflow") -> Any:
    module, _, function = (workflow.services or "").partition(":")
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"workflow {workflow.name!r} takes its services from {workflow.services!r}, "
            f"which cannot be imported: {error}"
        ) from error


def show_plain(detail: "PlainDetail", *, is_json: bool, home: Path | None) -> None:
    if is_json:
        print_json(detail.model_dump(mode="json"))
        return
    say(f"{visible(detail.graph)}: {detail.status.value}")
    if detail.error:
        say(visible(detail.error))
    is_waiting = detail.status.value == "waiting"
    print_json(detail.open_question if is_waiting else detail.state)
    if detail.status.value in {"waiting", "failed"}:
        say(f"  {_resume_command(detail.thread_id, home, is_waiting=is_waiting)}")


def _resume_command(thread_id: str, home: Path | None, *, is_waiting: bool) -> str:
    """Return the command that continues a thread; WHERE is the place of its workflow."""
    answer = " --answer JSON" if is_waiting else ""
    return command_line("graph", "resume", thread_id, home=home) + f" --in WHERE{answer}"
