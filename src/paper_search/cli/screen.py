"""`paper-search screen`: the papers of a thread gone through one by one."""

import asyncio

import typer

from paper_search.cli.options import Home, Json, Thread


def screen(ctx: typer.Context, thread: Thread, as_json: Json = False, home: Home = None) -> None:
    """Screen the papers of a result one by one, most likely relevant first.

    Keys: r relevant, i irrelevant, s skip, u undo, n note, a full abstract, q quit. Every key
    is saved at once, and the next start continues where you stopped. Your marks are added to
    your next answer to the thread's question; they do not answer it. They also reorder the
    remaining papers, and an estimate says how many relevant papers are left.

    Needs a terminal; --json prints the papers in order, the marks and the stopping estimate
    instead.
    """
    from paper_search.cli.continuation import SearchContinuation
    from paper_search.cli.screening import ScreeningPrompt
    from paper_search.cli.settings import given_home, settings

    url = settings(ctx, home).persistence_url
    with asyncio.Runner() as runner:
        commands = SearchContinuation(thread, given_home(ctx, home))
        ScreeningPrompt(runner, url, commands).run(is_json=as_json)
