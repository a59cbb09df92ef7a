"""`paper-search prune`: the history of threads, forgotten."""

import asyncio
from typing import Annotated

import typer

from paper_search.cli.options import Home, Json


def prune(
    ctx: typer.Context,
    threads: Annotated[
        list[str] | None, typer.Argument(metavar="[THREAD]...", help="Ids; none: all threads.")
    ] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Forget how threads came to stand as they do, and give the space back to the disk.

    Open questions, papers, drafts, results and who decided what stay. `fork` cannot go back any
    more. Threads that are being driven are left alone.
    """
    from paper_search.cli.console import print_json, say
    from paper_search.cli.settings import settings
    from paper_search.errors import ThreadBusyError
    from paper_search.persistence import open_persistence
    from paper_search.report_workflow.catalog import EveryThread

    url = settings(ctx, home).persistence_url
    page = 500

    async def pruned() -> tuple[list[str], list[str]]:
        async with open_persistence(url) as persistence:
            every, names = EveryThread(persistence), list(threads or [])
            while not threads:
                more = await every.names(limit=page, offset=len(names))
                names += more
                if len(more) < page:
                    break
            done, busy = [], []
            for name in names:
                try:
                    await (await every.catalog_of(name)).prune(name)
                    done.append(name)
                except ThreadBusyError:
                    busy.append(name)
            await persistence.compact()
            return done, busy

    done, busy = asyncio.run(pruned())
    if as_json:
        print_json({"pruned": done, "busy": busy})
        return
    say(f"pruned {len(done)} threads")
    for name in busy:
        say(f"{name} is being driven and was left alone")
