"""`paper-search serve`, `review` and `mcp`: LangGraph's server, the review page and MCP."""

import threading
from http import HTTPStatus
from typing import TYPE_CHECKING

import typer

from paper_search.cli.console import run, say, with_persistence
from paper_search.cli.options import Home, argument, flag, is_debugging, option, settings
from paper_search.errors import ConfigError

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.persistence import Persistence
    from paper_search.server.serving import ServerOptions

_ALLOCATIONS_BEFORE_COLLECTION = 700
"""Python's default."""
_HOST = "127.0.0.1"
_POLL_INTERVAL_S = 0.2


def serve(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    host: str = option(
        "ADDRESS", "Address to listen on; other addresses need tokens.", default="127.0.0.1"
    ),
    port: int = option("N", "Port to listen on.", min=1, max=65535, default=2024),
    mcp: bool = flag("--mcp", "Offer searches and reports as tools at /mcp."),
    trace: bool = flag("--trace", "Send runs to LangSmith, without your keys."),
    home: Home = None,
) -> None:
    """Serve your threads over LangGraph's API.

    LangGraph Studio, the review page and other clients share the threads that `threads` lists. The
    server accepts only local clients, unless PAPER_SEARCH_TOKENS lists others.
    """
    from paper_search.server.serving import ServerOptions, check_options, check_port, studio_url

    options = ServerOptions(
        host=host,
        port=port,
        is_mcp_open=mcp,
        is_tracing=trace,
        shows_logs=is_debugging(ctx),
    )
    config = settings(home)
    check_options(options, config)
    check_port(options)
    _check_threads(config)
    say(f"Studio: {studio_url(options)}")
    say(f"Review: http://{host}:{port}/review")
    _serve(options, config)


def mcp(home: Home = None) -> None:
    """Serve desktop and editor clients over MCP (stdio).

    The client starts this command. It shows you each question as a form, and your answer counts as
    your decision.
    """
    from paper_search.server.serving import require_mcp

    require_mcp()
    from paper_search.server.mcp import serve_stdio

    run(serve_stdio(settings(home)))


def _check_threads(config: "AppConfig") -> None:
    """Raise PersistenceError if threads cannot be opened; the server would print a traceback."""

    async def nothing(_persistence: "Persistence") -> None: ...

    run(with_persistence(config.persistence_url, nothing))


def _serve(options: "ServerOptions", config: "AppConfig") -> None:
    import gc

    from paper_search.server.serving import serve as run_until_stopped

    # A server runs long: unlike in a short command, garbage that keeps files open must be freed.
    gc.set_threshold(_ALLOCATIONS_BEFORE_COLLECTION)
    run_until_stopped(options, config)


def review(
    ctx: typer.Context,
    thread: str | None = argument("[THREAD]", "Id of a thread. Default: list all threads."),
    port: int = option("N", "Port of the page.", min=1, max=65535, default=2024),
    browser: bool = flag("--browser/--no-browser", "Open the page in the browser.", default=True),
    home: Home = None,
) -> None:
    """Review searches on a page in your browser.

    There you decide on strategies and results, and screen papers. The page is served to this
    machine only, until Ctrl-C, and shows the same threads as all other commands. If `serve` already
    runs on the port, its page is opened, with the threads of its home.
    """
    config = settings(home)
    if thread is not None:
        from paper_search.cli.stored_threads import check_is_known

        run(check_is_known(config.persistence_url, thread))
    path = "/review" + (f"/threads/{thread}" if thread else "")
    url = f"http://{_HOST}:{port}{path}"
    if _is_served(port):
        if thread is not None and _status(port, f"{path}/progress") == HTTPStatus.NOT_FOUND:
            raise ConfigError(f"port {port} serves another home; choose another one with --port")
        say(f"Review: {url}")
        _open(url, is_wanted=browser)
        return

    from paper_search.server.serving import ServerOptions, check_options

    options = ServerOptions(host=_HOST, port=port, shows_logs=is_debugging(ctx))
    check_options(options, config)
    _check_threads(config)
    threading.Thread(target=_announce, args=(port, url, browser), daemon=True).start()
    _serve(options, config)


def _is_served(port: int) -> bool:
    """Whether the page answers; ConfigError if another program uses the port."""
    try:
        status = _status(port, "/review/static/icon.svg")
    except ConnectionRefusedError:
        return False
    if status != HTTPStatus.OK:
        raise ConfigError(f"another program uses port {port}; choose another one with --port")
    return True


def _status(port: int, path: str) -> int | None:
    """Return the status of an answer, or None if it is not HTTP.

    Not with httpx, whose certificates cannot be read while LangGraph's server replaces `ssl`.
    """
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(_HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except ConnectionRefusedError:
        raise
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def _announce(port: int, url: str, browser: bool) -> None:
    """Print the URL of the page once it answers, and open it if `browser`."""
    pause = threading.Event()
    while not pause.wait(_POLL_INTERVAL_S):
        try:
            if _is_served(port):
                say(f"Review: {url}")
                _open(url, is_wanted=browser)
                return
        except ConfigError:
            continue  # it is still starting


def _open(url: str, *, is_wanted: bool) -> None:
    import webbrowser

    if is_wanted:
        webbrowser.open(url)
