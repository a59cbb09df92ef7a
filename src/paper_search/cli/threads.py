"""`paper-search threads`: all searches and reports."""

import asyncio
from typing import Annotated

import typer

from paper_search.cli.options import Home, Json


def threads(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N.")] = 100,
    offset: Annotated[int, typer.Option(min=0, metavar="N", help="Leave out the first N.")] = 0,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """List the threads of searches and reports, the one that changed last first.

    waiting: for your decision. running: a process drives it now. failed: it stopped in the middle;
    `resume` goes on there. done: `export` gives the papers, or the report.
    """
    from datetime import UTC, datetime

    from paper_search.cli.console import data, print_json, say
    from paper_search.cli.settings import settings
    from paper_search.cli.tables import thread_table
    from paper_search.persistence import open_persistence
    from paper_search.report_workflow.catalog import EveryThread, ReportInfo
    from paper_search.workflow import ThreadInfo

    url = settings(ctx, home).persistence_url

    async def listed() -> list[ThreadInfo | ReportInfo]:
        async with open_persistence(url) as persistence:
            return await EveryThread(persistence).threads(limit=limit + 1, offset=offset)

    found = asyncio.run(listed())
    if as_json:
        print_json([each.model_dump(mode="json") for each in found[:limit]])
    elif found:
        data().print(thread_table(found[:limit], datetime.now(UTC)))
    else:
        say("no threads; `paper-search find QUESTION` starts one")
    if len(found) > limit:
        say(f"only {limit} are shown; --limit shows more, --offset {offset + limit} the next ones")
