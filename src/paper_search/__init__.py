"""paper_search: literature search with a person in the loop, on threads that can be resumed.

Everything here is imported when it is first used, so that `import paper_search` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paper_search.config import AppConfig, load_config
    from paper_search.errors import PaperSearchError
    from paper_search.exports.bibtex import export_bibtex
    from paper_search.exports.json_formats import export_json
    from paper_search.exports.markdown import export_markdown
    from paper_search.models import Paper, PaperCollection, SearchStrategy, UserFeedback
    from paper_search.shortcut import search
    from paper_search.workflow import (
        Checkpoint,
        CheckpointHandler,
        CheckpointKind,
        Decision,
        DecisionAction,
        SearchWorkflow,
    )

    __version__: str

__all__ = [
    "AppConfig",
    "Checkpoint",
    "CheckpointHandler",
    "CheckpointKind",
    "Decision",
    "DecisionAction",
    "Paper",
    "PaperCollection",
    "PaperSearchError",
    "SearchStrategy",
    "SearchWorkflow",
    "UserFeedback",
    "__version__",
    "export_bibtex",
    "export_json",
    "export_markdown",
    "load_config",
    "search",
]

_HOMES = {
    "AppConfig": "paper_search.config",
    "Checkpoint": "paper_search.workflow",
    "CheckpointHandler": "paper_search.workflow",
    "CheckpointKind": "paper_search.workflow",
    "Decision": "paper_search.workflow",
    "DecisionAction": "paper_search.workflow",
    "Paper": "paper_search.models",
    "PaperCollection": "paper_search.models",
    "PaperSearchError": "paper_search.errors",
    "SearchStrategy": "paper_search.models",
    "SearchWorkflow": "paper_search.workflow",
    "UserFeedback": "paper_search.models",
    "export_bibtex": "paper_search.exports.bibtex",
    "export_json": "paper_search.exports.json_formats",
    "export_markdown": "paper_search.exports.markdown",
    "load_config": "paper_search.config",
    "search": "paper_search.shortcut",
}
"""The module that each public name is imported from."""


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  # reads the disk

        value: Any = version("paper-search")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'paper_search' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
