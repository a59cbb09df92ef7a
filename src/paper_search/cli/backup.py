"""`paper-search backup` and `restore`: the threads, copied to a file and back."""

from pathlib import Path
from typing import Annotated

import typer

from paper_search.cli.options import Force, Home, Json


def backup(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup file to write.")],
    force: Force = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Back up all threads to FILE, even while searches run. A plain copy of the file may lose some.

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
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup file.")],
    force: Annotated[bool, typer.Option("--force", help="Replace existing threads.")] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Replace all threads by those of a backup."""
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
