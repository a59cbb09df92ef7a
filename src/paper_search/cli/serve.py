"""`paper-search serve`: LangGraph's server on your threads, for Studio and other clients."""

from typing import TYPE_CHECKING, Annotated

import typer

from paper_search.cli.console import say
from paper_search.cli.options import Home, settings

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.server.serving import ServerOptions

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
    """Serve your threads to LangGraph Studio, the page and other clients of LangGraph's API.

    Clients see everything that `threads` lists, and the other way round. The server accepts
    local clients only, unless PAPER_SEARCH_TOKENS lists others.
    """
    from paper_search.server.serving import ServerOptions, studio_url

    options = ServerOptions(
        host=host, port=port, is_mcp_open=mcp, is_tracing=trace, opens_browser=browser
    )
    config = settings(ctx, home)
    say(f"Review: http://{host}:{port}/review")
    say(f"Studio: {studio_url(options)}")
    run(options, config)


def run(options: "ServerOptions", config: "AppConfig") -> None:
    """Run the server until it is stopped."""
    import gc

    from paper_search.server.serving import serve as run_until_stopped

    # A server lives long: garbage that holds files open must not wait as in a short command.
    gc.set_threshold(_ALLOCATIONS_BEFORE_COLLECTION)
    run_until_stopped(options, config)
