"""The command line, `paper-search`: one module per command."""

_ALLOCATIONS_BEFORE_COLLECTION = 50_000
"""Python's default is 700 to 2,000; some megabytes of garbage are cheaper than collecting them."""
DEFERRED = ("langsmith.types", "langgraph_sdk", "psutil", "sqlite_vec")
"""Packages that LangGraph imports and no search uses; importing them takes a sixth of its time."""


def main() -> None:
    try:
        _run()
    except KeyboardInterrupt:  # during start-up; a running command handles it itself
        raise SystemExit(130) from None


def _run() -> None:
    import gc
    import logging
    import sys

    # Imports create many objects and little garbage; collecting it takes a tenth of a search.
    gc.set_threshold(_ALLOCATIONS_BEFORE_COLLECTION)
    for name in DEFERRED:
        defer_import(name)
    for stream in (sys.stdout, sys.stderr):
        # Escape characters that the terminal cannot encode instead of raising an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # Commands print what a person must know; logs are for --debug.
    logging.getLogger().addHandler(logging.NullHandler())
    from paper_search.cli.app import app

    app(prog_name="paper-search")


def defer_import(name: str) -> None:
    """Execute a package at the first access to one of its names, not when it is imported.

    `importlib.util.LazyLoader` executes it as soon as a submodule is imported.
    """
    import sys
    from importlib.machinery import PathFinder
    from importlib.util import find_spec, module_from_spec

    parent = find_spec(name.rpartition(".")[0]) if "." in name else None
    spec = PathFinder.find_spec(name, parent.submodule_search_locations if parent else None)
    if name in sys.modules or spec is None or spec.loader is None:
        return
    module, loader = module_from_spec(spec), spec.loader

    def run(attribute: str) -> object:
        vars(module).pop("__getattr__", None)
        try:
            loader.exec_module(module)
        except BaseException:
            vars(module)["__getattr__"] = run
            raise
        return getattr(module, attribute)

    vars(module)["__getattr__"] = run
    sys.modules[name] = module
