"""Start LangGraph's server with restrictive settings."""

import importlib.util
import json
import os
import signal
import socket
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

from paper_search.config import STUDIO, AppConfig, settings_elsewhere
from paper_search.errors import ConfigError, how_to_install
from paper_search.server.guard import LOOPBACK_NAMES

DEFAULT_PORT = 2024
APP_FACTORY = "paper_search.server.app_factory"
PAGE_FACTORY = "paper_search.web.routes"
"""Makes the app, including the page."""
GRAPHS = {
    "paper_search": {
        "path": f"{APP_FACTORY}:graph",
        "description": "Find literature with a person in the loop",
    },
    "research_report": {
        "path": f"{APP_FACTORY}:report_graph",
        "description": "Plan, collect, analyse, write and review a report, with a person in the "
        "loop",
    },
}


@dataclass(frozen=True)
class ServerOptions:
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    is_mcp_open: bool = False
    """Whether `/mcp` offers searches and reports as tools, even if the settings do not."""
    is_tracing: bool = False
    """Whether runs are sent to LangSmith, without keys."""
    shows_logs: bool = False
    """Whether the server logs more than errors."""


def check_options(options: ServerOptions, config: AppConfig) -> None:
    """Raise ConfigError if others could connect without a token, or a package is missing."""
    if importlib.util.find_spec("langgraph_api") is None:
        raise ConfigError(
            f"the server is not installed; install it with: {how_to_install('server')}"
        )
    if options.is_mcp_open or config.server.is_mcp_open:
        require_mcp()
    if options.host not in LOOPBACK_NAMES and not config.server.tokens:
        raise ConfigError(
            f"{options.host!r} can be reached from other machines; set PAPER_SEARCH_TOKENS to say "
            "who may use the server, or serve on 127.0.0.1"
        )


def check_port(options: ServerOptions) -> None:
    """Raise ConfigError if the port cannot be used; LangGraph's server would hang silently."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        socket.create_server((options.host, options.port), family=family).close()
    except OSError as error:
        where = f"port {options.port} of {options.host} cannot be used"
        raise ConfigError(f"{where}: {error.strerror}; choose another one with --port") from None


def require_mcp() -> None:
    if importlib.util.find_spec("mcp") is None:
        raise ConfigError(f"MCP is not installed; install it with: {how_to_install('mcp')}")


def server_settings(options: ServerOptions, config: AppConfig) -> dict[str, Any]:
    return {
        "host": options.host,
        "port": options.port,
        "reload": False,
        "open_browser": False,
        "n_jobs_per_worker": 4,
        # The check for blocking calls is for developers; ours are short reads of a local file.
        "allow_blocking": True,
        "graphs": GRAPHS,
        "checkpointer": {
            "path": f"{APP_FACTORY}.checkpointer",
            "serde": {"pickle_fallback": False},
        },
        "store": {"path": f"{APP_FACTORY}.store"},
        "auth": {"path": f"{APP_FACTORY}:auth", "disable_studio_auth": True},
        "http": http_settings(config),
        "disable_persistence": True,
        "env": {
            **settings_elsewhere(config),
            **({"PAPER_SEARCH_MCP": "true"} if options.is_mcp_open else {}),
            **environment(is_tracing=options.is_tracing),
            "LOG_LEVEL": "INFO" if options.shows_logs else "ERROR",
            "LOG_COLOR": json.dumps(sys.stderr.isatty()),
        },
    }


def http_settings(config: AppConfig) -> dict[str, Any]:
    """Return `http` of langgraph.json: one guarded app, and everything else disabled."""
    return {
        "app": f"{PAGE_FACTORY}:app",
        "cors": {
            "allow_origins": config.server.origins,
            "allow_methods": ["GET", "POST", "PATCH", "DELETE"],
            "allow_headers": ["authorization", "content-type", "x-auth-scheme"],
            "expose_headers": ["content-location", "x-pagination-total", "x-pagination-next"],
        },
        # A header may be a key, and configurable values are saved in every checkpoint.
        "configurable_headers": {"includes": [], "excludes": ["*"]},
        "logging_headers": {"includes": [], "excludes": ["*"]},
        "disable_store": True,
        # LangGraph's MCP cannot answer a question; ours is a route of the app.
        "disable_mcp": True,
        "disable_a2a": True,
        "disable_ui": True,
        "disable_webhooks": True,
    }


def environment(*, is_tracing: bool = False) -> dict[str, str]:
    return {
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "LANGSMITH_TRACING": json.dumps(is_tracing),
        "FF_V2_EVENT_STREAMING": "true",
        "FF_CRONS_ENABLED": "false",
        "LANGGRAPH_DISABLE_FILE_PERSISTENCE": "true",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        # With this key, the server reports its runs even without tracing.
        "LANGSMITH_CONTROL_PLANE_API_KEY": "",
        "OTEL_ENABLED": "false",
    }


def serve(options: ServerOptions, config: AppConfig) -> None:
    check_options(options, config)
    settings = server_settings(options, config)
    # LangGraph's server pickles its state into the working directory. Threads are in our file, so
    # that state may be lost, and no foreign pickle is read.
    with tempfile.TemporaryDirectory(prefix="paper-search-server-") as directory:
        os.chdir(directory)
        # uvicorn shuts down, then raises the signal again: exit so that the directory is deleted.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        from langgraph_api.cli import run_server  # noqa: PLC0415  # of the extra `server`

        run_server(**settings)


def studio_url(options: ServerOptions) -> str:
    return f"{STUDIO}/studio/?baseUrl=http://{options.host}:{options.port}"
