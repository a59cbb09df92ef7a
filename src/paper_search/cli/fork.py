"""`paper-search fork`: back to a question that was decided."""

import asyncio
from typing import Annotated, Literal

import typer

from paper_search.cli.options import Home, Json, Thread


def fork(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    to: Annotated[
        Literal["strategy", "result", "plan", "draft"] | None,
        typer.Option(
            help="Which question to ask again: strategy or result of a search (else result), "
            "plan or draft of a report (else the latest).",
        ),
    ] = None,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=1,
            metavar="N",
            help="Of which round, or which question of a report; else the latest.",
        ),
    ] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Go back to a question that was decided, and decide it anew.

    The thread waits there again. What came after stays in its history, and `show` says who went
    back when.
    """
    from paper_search.cli.console import is_interactive, messages, print_json, say
    from paper_search.cli.failures import ExitCode
    from paper_search.cli.forking import forked_report, forked_search
    from paper_search.cli.reading import is_report
    from paper_search.cli.settings import given_home, settings

    config, home_option = settings(ctx, home), given_home(ctx, home)
    again = forked_search
    if asyncio.run(is_report(config.persistence_url, thread)):
        again = forked_report
    asked = again(config, home_option, thread, to, round_number)
    if asked is None:  # the settings of the run ask nobody
        say(f"thread {thread} asks nobody")
        return
    if as_json:
        print_json(asked.document)
    elif not is_interactive():
        asked.show(messages())
    for line in asked.lines:
        say(line)
    raise typer.Exit(ExitCode.WAITING)
