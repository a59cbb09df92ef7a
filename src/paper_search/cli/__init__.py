"""The command line, `paper-search`: one module per command."""

from __future__ import annotations

_ALLOCATIONS_BEFORE_COLLECTION = 50_000
"""Python's default is 700 to 2,000; some megabytes of garbage are cheaper than looking for it."""


def main() -> None:
    """Run the command line on the arguments of the process, and exit with its code."""
    import gc
    import logging
    import sys

    from paper_search.cli.deferral import defer_imports

    # Importing makes many objects and little garbage; looking for it takes a tenth of a search.
    gc.set_threshold(_ALLOCATIONS_BEFORE_COLLECTION)
    defer_imports()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter gets its number instead of a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # What a person must know is printed by the commands; logs are for --debug.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        from paper_search.cli.app import app

        app(prog_name="paper-search")
    except KeyboardInterrupt:
        sys.exit(130)
