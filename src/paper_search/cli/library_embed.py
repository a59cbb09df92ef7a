"""`paper-search library embed`: vectors for the records that lack one."""

from typing import TYPE_CHECKING, Annotated

import typer

from paper_search.cli.options import Home, Json

if TYPE_CHECKING:
    from paper_search.library import EmbeddingSummary


def embed(
    ctx: typer.Context,
    again: Annotated[
        bool, typer.Option("--again", help="Replace all vectors, as after a change of model.")
    ] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Create missing vectors with the embedding model in PAPER_SEARCH_EMBEDDINGS.

    With vectors, your library ranks by meaning as well as by words. An interrupted run
    continues where it stopped.
    """
    from dataclasses import asdict

    from paper_search.cli.console import print_json
    from paper_search.cli.failures import UsageMistakeError
    from paper_search.cli.import_progress import import_progress
    from paper_search.cli.settings import settings
    from paper_search.library import Library
    from paper_search.library.embedders import create_embedder
    from paper_search.library.source import library_path

    config = settings(ctx, home)
    path = library_path(config.home)
    if not Library.exists(path):
        raise UsageMistakeError("your library is empty; `paper-search library add FILE` fills it")
    embedder = create_embedder(config.embeddings)
    with (
        Library.open(path, embedder=embedder) as library,
        import_progress("vectors", verb="making") as on_progress,
    ):
        made = library.embed(anew=again, on_progress=on_progress)
    if as_json:
        print_json(asdict(made))
        return
    typer.echo(told(made))


def told(made: "EmbeddingSummary") -> str:
    """Return what came of a run in one line."""
    from paper_search.cli.console import visible

    line = f"vectors: {made.made} made, {made.total} in all, by {made.model}"
    if made.unusable:
        line += f"; the model can make nothing of {made.unusable} records"
    return visible(line)
