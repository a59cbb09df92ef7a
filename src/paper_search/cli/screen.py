"""`paper-search screen`: the papers of a thread gone through one by one."""

import asyncio

import typer

from paper_search.cli.options import Home, Json, Thread


def screen(ctx: typer.Context, thread: Thread, as_json: Json = False, home: Home = None) -> None:
    """Go through the papers of a result one by one, likely relevant ones first.

    Keys: r relevant, i irrelevant, s skip, u undo, n note, a abstract in full, q quit. Every key is
    saved at once, and the next start goes on where you stopped. What you mark joins your next
    answer to the thread's question; it answers nothing by itself. The order is learned from the
    marks, and you are told how many relevant papers are probably left.

    Needs a terminal; --json prints the papers in their order, the marks and the outlook instead.
    """
    from paper_search.cli.continuation import SearchContinuation
    from paper_search.cli.screening import ScreeningPrompt
    from paper_search.cli.settings import given_home, settings

    url = settings(ctx, home).persistence_url
    with asyncio.Runner() as runner:
        commands = SearchContinuation(thread, given_home(ctx, home))
        ScreeningPrompt(runner, url, commands).run(is_json=as_json)
