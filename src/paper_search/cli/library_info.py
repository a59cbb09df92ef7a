"""`paper-search library info`: what the corpus holds."""

import typer

from paper_search.cli.options import Home, Json


def info(ctx: typer.Context, as_json: Json = False, home: Home = None) -> None:
    """Show the size and location of your library, and what searches use."""
    from dataclasses import asdict

    from paper_search.cli.console import print_json, say, visible
    from paper_search.cli.settings import settings
    from paper_search.library import Library, LibraryInfo
    from paper_search.library.source import library_path

    path = library_path(settings(ctx, home).home)
    found = LibraryInfo(path, 0, None, None, 0, 0, is_index_current=True)
    if Library.exists(path):
        with Library.open(path) as library:
            found = library.info()
    if as_json:
        searched = "library" if found.records else "sample"
        print_json({**asdict(found), "path": str(found.path), "searched": searched})
        return
    if not found.records:
        say(
            "your library is empty: searches use the sample; add files with "
            "`paper-search library add FILE`"
        )
    vectors = found.vectors
    size = (found.records_bytes + found.index_bytes + vectors.size_bytes) / 1_000_000
    years = f"{found.first_year}-{found.last_year}" if found.first_year is not None else "-"
    typer.echo(visible(f"path     {found.path}"))
    typer.echo(f"records  {found.records}")
    typer.echo(f"years    {years}")
    typer.echo(f"disk     {size:.1f} MB")
    typer.echo(f"index    {'up to date' if found.is_index_current else 'rebuilt at next search'}")
    if vectors.model:
        rest = (
            "" if vectors.is_current else "; `paper-search library embed` creates the missing ones"
        )
        typer.echo(visible(f"vectors  {vectors.records}, by {vectors.model}{rest}"))
