"""`paper-search backup`: all threads, copied to a file while they are in use."""

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
