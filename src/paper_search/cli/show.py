"""`paper-search show`: one search in full."""

import asyncio

import typer

from paper_search.cli.options import Home, Json, Thread


def show(ctx: typer.Context, thread: Thread, as_json: Json = False, home: Home = None) -> None:
    """Show how a thread stands: its open question, its rounds, its sources and its papers."""
    from paper_search.cli.console import data, print_json
    from paper_search.cli.continuation import Continuation
    from paper_search.cli.reading import thread_detail
    from paper_search.cli.settings import given_home, settings
    from paper_search.cli.views import show_thread

    detail = asyncio.run(thread_detail(settings(ctx, home).persistence_url, thread))
    if as_json:
        print_json(detail.model_dump(mode="json"))
        return
    show_thread(data(), detail)
    if detail.open_checkpoint is not None:
        for line in Continuation(thread, given_home(ctx, home)).lines(detail.open_checkpoint):
            typer.echo(line)
