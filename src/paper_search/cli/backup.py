"""`paper-search backup` and `restore`: the threads, copied to a file and back."""

from pathlib import Path
from typing import Annotated

import typer

from paper_search.cli.options import Force, Home, Json


def backup(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the copy goes.")],
    force: Force = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Copy all threads to FILE, also while searches run. Copying the database alone may lose some.

    Encrypted threads stay encrypted in it.
    """
    from paper_search.cli.console import print_json, say
    from paper_search.cli.settings import settings
    from paper_search.persistence.backups import back_up
    from paper_search.persistence.opening import sqlite_file

    database = sqlite_file(settings(ctx, home).persistence_url)
    size = back_up(database, file, is_overwriting=force)
    if as_json:
        print_json({"file": str(file), "bytes": size})
    else:
        say(f"wrote {file}, {size:,} bytes; `paper-search restore {file}` puts it back")


def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `backup` wrote.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace the threads that are there.")
    ] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Put the threads of a backup in the place of those that are there."""
    from paper_search.cli.console import print_json, say
    from paper_search.cli.settings import settings
    from paper_search.persistence.backups import restore as put_back
    from paper_search.persistence.opening import sqlite_file

    database = sqlite_file(settings(ctx, home).persistence_url)
    put_back(file, database, is_overwriting=force)
    if as_json:
        print_json({"file": str(file), "restored": True})
    else:
        say(f"restored {file}; `paper-search threads` lists what is there now")
