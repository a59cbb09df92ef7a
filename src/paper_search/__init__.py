"""paper_search: literature search with a person in the loop, on threads that can be resumed.

All names are imported on first use, so that `import paper_search` is fast.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
"""Not imported from `typing`, because that import is slow, and Ctrl-C in it shows a traceback."""
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

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


def names_on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` that imports the names of a package on first use (PEP 562).

    `homes`: the names in each module, separated by blanks.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home_of[name], package), name)

    return load


_load = names_on_first_use(
    __name__,
    {
        "paper_search.config": "AppConfig load_config",
        "paper_search.errors": "PaperSearchError",
        "paper_search.exports.bibtex": "export_bibtex",
        "paper_search.exports.json_formats": "export_json",
        "paper_search.exports.markdown": "export_markdown",
        "paper_search.models": "Paper PaperCollection SearchStrategy UserFeedback",
        "paper_search.shortcut": "search",
        "paper_search.workflow": "Checkpoint CheckpointHandler CheckpointKind Decision "
        "DecisionAction SearchWorkflow",
    },
)


def __getattr__(name: str) -> Any:
    if name != "__version__":
        return _load(name)
    from importlib.metadata import version  # noqa: PLC0415  # reads the disk

    globals()[name] = version("paper-search")
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
