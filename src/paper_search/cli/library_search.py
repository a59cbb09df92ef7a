"""`paper-search library search`: the corpus, asked directly."""

from typing import Annotated

import typer

from paper_search.cli.options import Home, Json


def search(
    ctx: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words, or a boolean query: a AND (b OR c).")
    ],
    limit: Annotated[
        int, typer.Option("--max", min=1, max=1000, metavar="N", help="Show at most N.")
    ] = 20,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Search your library, best first."""
    from paper_search.cli.console import data, print_json, say, visible
    from paper_search.cli.failures import UsageMistakeError
    from paper_search.cli.settings import settings
    from paper_search.cli.tables import record_table
    from paper_search.library import Hits, Library
    from paper_search.library.embedders import create_embedder
    from paper_search.library.source import library_path

    if not query.strip():
        raise UsageMistakeError("the query is empty; give words or a boolean query")
    config = settings(ctx, home)
    path = library_path(config.home)
    hits = Hits([], 0)
    if Library.exists(path):
        with Library.open(path, embedder=create_embedder(config.embeddings)) as library:
            hits = library.search(query, limit=limit)
    else:
        say("your library is empty; `paper-search library add FILE` fills it")
    if hits.note:
        say(visible(hits.note))
    if as_json:
        papers = [paper.model_dump(mode="json") for paper in hits.papers]
        print_json({"query": query, "total": hits.total, "note": hits.note, "papers": papers})
        return
    if hits.papers:
        data().print(record_table(hits.papers))
    say(f"{len(hits.papers)} of {hits.total} papers")
