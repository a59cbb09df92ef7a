"""`paper-search share`: who else sees a search on the page of a server."""

from __future__ import annotations

from typing import Annotated

import typer

from paper_search.cli.console import print_json, run, say, visible
from paper_search.cli.options import Home, Json, Thread, settings


def share(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    account: Annotated[
        str, typer.Option("--with", metavar="ACCOUNT", help="A name in PAPER_SEARCH_TOKENS.")
    ] = "",
    role: Annotated[
        str, typer.Option("--as", metavar="ROLE", help="reviewer, reader, or none: do not share.")
    ] = "reviewer",
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Share a search with another account of the server; without --with, say who sees it.

    A reviewer screens under the name of their account and sees what others decided when all
    reviewers are done. A reader sees everything and changes nothing.
    """
    from paper_search.persistence import open_persistence
    from paper_search.review.sharing import share_thread
    from paper_search.workflow import ThreadCatalog

    config = settings(ctx, home)

    async def shared() -> dict[str, str]:
        async with open_persistence(config.persistence_url) as persistence:
            if account:
                accounts = list(config.server.tokens)
                await share_thread(persistence, thread, account, role, accounts=accounts)
            catalog = ThreadCatalog(persistence)
            await catalog.info(thread)
            ownership = await catalog.ownership(thread)
            return {name: own.value for name, own in ownership.shared_with.items()}

    roles = run(shared())
    if as_json:
        print_json({"thread_id": thread, "shared_with": roles})
    for name, own in roles.items():
        say(visible(f"{name}: {own}"))
    if not roles:
        say("Nobody else sees this search.")
    if account and not config.server.tokens:
        say("PAPER_SEARCH_TOKENS is not set here: set it where the server runs.")
