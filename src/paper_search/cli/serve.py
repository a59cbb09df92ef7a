"""`paper-search serve`: LangGraph's server on your threads, for Studio and other clients."""

from typing import Annotated

import typer

from paper_search.cli.console import say
from paper_search.cli.options import Home, settings

_ALLOCATIONS_BEFORE_COLLECTION = 700
"""Python's default."""


def serve(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address to listen on; other addresses need tokens."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, metavar="N", help="Which port.")] = 2024,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Offer searches and reports as tools at /mcp.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Send runs to LangSmith, without keys.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Open LangGraph Studio.")] = False,
    home: Home = None,
) -> None:
    """Serve your threads to LangGraph Studio and other clients of LangGraph's API.

    Clients see everything that `threads` lists, and the other way round. The server accepts
    local clients only, unless PAPER_SEARCH_TOKENS lists others.
    """
    import gc

    from paper_search.server.serving import ServerOptions, serve, studio_url

    options = ServerOptions(
        host=host, port=port, is_mcp_open=mcp, is_tracing=trace, opens_browser=browser
    )
    config = settings(ctx, home)
    # A server lives long: garbage that holds files open must not wait as in a short command.
    gc.set_threshold(_ALLOCATIONS_BEFORE_COLLECTION)
    say(f"Studio: {studio_url(options)}")
    serve(options, config)
