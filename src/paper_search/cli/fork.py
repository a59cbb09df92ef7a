"""`paper-search fork`: back to a question that was decided."""

import asyncio
from typing import Annotated, Literal

import typer

from paper_search.cli.options import Home, Json, Thread


def fork(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    to: Annotated[
        Literal["strategy", "result"], typer.Option(help="Which question to ask again.")
    ] = "result",
    round_number: Annotated[
        int | None,
        typer.Option("--round", min=1, metavar="N", help="Of which round; else the latest."),
    ] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Go back to a question that was decided, and decide it anew.

    The thread waits there again. What came after stays in its history, and `show` says who went
    back when.
    """
    from paper_search.cli.console import is_interactive, messages, print_json, say
    from paper_search.cli.continuation import Continuation
    from paper_search.cli.failures import ExitCode
    from paper_search.cli.progress import ProgressLine
    from paper_search.cli.restoration import restored
    from paper_search.cli.settings import given_home, settings
    from paper_search.cli.views import show_checkpoint
    from paper_search.workflow import Checkpoint, CheckpointKind

    kinds = {
        "strategy": CheckpointKind.STRATEGY_CONFIRMATION,
        "result": CheckpointKind.RESULT_REVIEW,
    }
    iteration = None if round_number is None else round_number - 1
    config = settings(ctx, home)

    async def forked() -> object:
        workflow = await restored(config, thread, ProgressLine())
        return await workflow.fork(thread, kinds[to], iteration)

    question = asyncio.run(forked())
    if not isinstance(question, Checkpoint):  # the settings of the run ask nobody
        say(f"thread {thread} asks nobody")
        return
    continuation = Continuation(thread, given_home(ctx, home))
    if as_json:
        print_json(continuation.document(question))
    elif not is_interactive():
        show_checkpoint(messages(), question)
    for line in continuation.lines(question):
        say(line)
    raise typer.Exit(ExitCode.WAITING)
