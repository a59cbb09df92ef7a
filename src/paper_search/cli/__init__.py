"""The command line, `paper-search`: one module per command."""

from __future__ import annotations


def main() -> None:
    """Run the command line on the arguments of the process, and exit with its code."""
    import logging
    import sys

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
