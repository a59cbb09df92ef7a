"""Packages that LangGraph imports and a search does not use: run when they are first used.

`langgraph.runtime` needs one class of `langgraph_sdk`, and importing it runs the whole client with
its HTTP library; `langsmith` needs one type of `langsmith.types`, and gets 200 modules. That is a
fifth of the time of a search. `importlib.util.LazyLoader` cannot help: it runs a package as soon as
one of its submodules is imported.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

DEFERRED = frozenset({"langgraph_sdk", "langsmith.types", "psutil", "sqlite_vec"})
"""Modules whose code runs when a name of theirs is asked for; submodules run as ever."""

_lock = threading.RLock()


def defer_imports(names: frozenset[str] = DEFERRED) -> None:
    """Have these modules run on first use; those that are loaded already stay as they are."""
    sys.meta_path.insert(0, _Finder(names))


class _Finder(MetaPathFinder):
    """Finds the deferred modules where the usual finder does.

    Args:
        names: the modules that are deferred.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module's own spec with a loader that waits; None: it is not deferred."""
        if fullname not in self._names:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _WaitingLoader(spec.loader)
        return spec


class _WaitingLoader(Loader):
    """Makes a module, and leaves it to the module to run its code."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module as its own loader makes it."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing yet; the import system has given the module its path and its names."""
        module.__class__ = _DeferredModule

    def run(self, module: ModuleType) -> None:
        """Run the module's code."""
        self._loader.exec_module(module)


class _DeferredModule(ModuleType):
    """A module that runs its code when a name is asked for that it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            if type(self) is _DeferredModule:  # else another thread has run it meanwhile
                _run(self)
        return getattr(self, name)


def _run(module: ModuleType) -> None:
    """Run the code of a deferred module; what it raises is raised at every use."""
    loader = module.__spec__.loader if module.__spec__ else None
    module.__class__ = ModuleType
    try:
        if isinstance(loader, _WaitingLoader):
            loader.run(module)
    except BaseException:
        module.__class__ = _DeferredModule
        raise
