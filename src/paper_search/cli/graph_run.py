"""`paper-search graph run`: one workflow, in memory, from input to result."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paper_search.cli.options import Home, Json

if TYPE_CHECKING:
    from paper_search.steps import Run, Workflow


def run(  # noqa: PLR0913, PLR0917  # one argument for each option
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a workflow; see `list`.")],
    where: Annotated[
        str,
        typer.Option(
            "--in", metavar="WHERE", help="Package (dotted name) or directory (with a separator)."
        ),
    ] = "paper_search",
    params: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="A setting of the run; repeatable."),
    ] = None,
    given: Annotated[
        str | None, typer.Option("--input", metavar="JSON", help="The input: a JSON object.")
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answer", metavar="JSON", help="The answer to the next question; repeatable."
        ),
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Run one workflow in memory and print its result; nothing is kept."""
    import asyncio

    from paper_search.cli.console import print_json, say, visible
    from paper_search.cli.failures import ExitCode
    from paper_search.steps import discover_workflows
    from paper_search.steps.parameters import parse_params

    workflow = discover_workflows(where).read(name)
    settings = parse_params(workflow.params, params or [])
    step_input = _json_object(given)
    replies = [_json(answer, "--answer") for answer in answers or []]
    services = _services(ctx, workflow, home)
    ended = asyncio.run(_ended(workflow, step_input, settings, replies, services))
    if as_json:
        print_json(_document(ended))
    else:
        for step_id, outcome in ended.trace:
            say(f"{visible(step_id)}: {outcome.value}")
        print_json(ended.questions[-1] if ended.is_waiting else dict(ended.result))
    if ended.is_waiting:
        say("the run waits for the answer to the question above: give it as --answer JSON")
        raise typer.Exit(ExitCode.WAITING)


async def _ended(
    workflow: "Workflow",
    given: dict[str, Any],
    params: dict[str, Any],
    answers: list[Any],
    services: Any,
) -> "Run":
    from pydantic import ValidationError

    from paper_search.errors import InputError
    from paper_search.steps.running import run_workflow

    try:
        return await run_workflow(
            workflow, given, params=params, answers=answers, services=services
        )
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
            for problem in error.errors(include_input=False, include_url=False)
        )
        raise InputError(f"{error.title} cannot be used: {wrong}") from error


def _document(ended: "Run") -> dict[str, Any]:
    return {
        "status": "waiting" if ended.is_waiting else "done",
        "result": dict(ended.result),
        "trace": [{"step": step_id, "outcome": outcome.value} for step_id, outcome in ended.trace],
        "questions": list(ended.questions),
    }


def _json(text: str, option: str) -> Any:
    import json

    from paper_search.errors import InputError

    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{option} {text!r} is no JSON: {error}") from error


def _json_object(text: str | None) -> dict[str, Any]:
    from paper_search.errors import InputError

    value = {} if text is None else _json(text, "--input")
    if not isinstance(value, dict):
        raise InputError(f"--input {text!r} is no JSON object")
    return value


def _services(ctx: typer.Context, workflow: "Workflow", home: Path | None) -> Any:
    """Return the live objects that the workflow names, made from the program's settings."""
    from paper_search.cli.settings import settings

    if workflow.services is None:
        return None
    return factory(workflow)(settings(ctx, home))


def factory(workflow: "Workflow") -> Any:
    """Return the function that makes the live objects of a workflow.

    Raises:
        ConfigError: there is no such function.
    """
    from importlib import import_module

    from paper_search.errors import ConfigError

    module, _, function = (workflow.services or "").partition(":")
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"workflow {workflow.name!r} has its services from {workflow.services!r}, "
            f"which is not there: {error}"
        ) from error
