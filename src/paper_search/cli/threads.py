"""`paper-search threads`: all searches."""

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
    """List the threads of searches, then those of reports, the one that changed last first.

    waiting: for your decision. running: a process drives it now. failed: it stopped in the middle;
    `resume` goes on there. done: `export` gives the papers.
    """
    from datetime import UTC, datetime

    from paper_search.cli.console import data, print_json, say, text
    from paper_search.cli.settings import settings
    from paper_search.cli.tables import thread_table
    from paper_search.persistence import open_persistence
    from paper_search.report_workflow.catalog import ReportCatalog, ReportInfo
    from paper_search.workflow import ThreadCatalog, ThreadInfo

    url = settings(ctx, home).persistence_url

    async def listed() -> tuple[list[ThreadInfo], list[ReportInfo]]:
        async with open_persistence(url) as persistence:
            catalog = ThreadCatalog(persistence)
            searches = await catalog.threads(limit=limit + 1, offset=offset)
            return searches, await ReportCatalog(persistence).reports(limit=limit)

    found, reports = asyncio.run(listed())
    if as_json:
        print_json([each.model_dump(mode="json") for each in [*found[:limit], *reports]])
    elif found:
        data().print(thread_table(found[:limit], datetime.now(UTC)))
    for each in [] if as_json else reports:
        stands = each.waits_for or each.ended_by or each.phase
        line = f"report  {each.thread_id}  {each.status.value} ({stands})  {each.question[:80]}"
        data().print(text(line))
    if not found and not reports and not as_json:
        say("no threads; `paper-search find QUESTION` starts one")
    if len(found) > limit:
        say(f"only {limit} are shown; --limit shows more, --offset {offset + limit} the next ones")
