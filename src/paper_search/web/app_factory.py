"""What `http.app` of langgraph.json names: the guard, and the page behind it."""

from __future__ import annotations

from typing import Any

from paper_search.config import load_config
from paper_search.server.app_factory import create_app, shared_persistence
from paper_search.web.routes import page_routes
from paper_search.web.site import Site


def __getattr__(name: str) -> Any:
    """Make `app` when the server asks for it; importing does no work."""
    if name == "app":
        config, shared = load_config(), shared_persistence()
        return create_app(config, shared, page_routes(Site(config, shared)))
    raise AttributeError(name)
