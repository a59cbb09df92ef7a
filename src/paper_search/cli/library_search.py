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
    """Search your library, best first; if it is empty, the sample."""
    from paper_search.cli.console import data, print_json, say, visible
    from paper_search.cli.failures import UsageMistakeError
    from paper_search.cli.settings import settings
    from paper_search.cli.tables import record_table
    from paper_search.library.embedders import create_embedder
    from paper_search.library.source import open_searched

    if not query.strip():
        raise UsageMistakeError("the query is empty; give words or a boolean query")
    config = settings(ctx, home)
    library, said, _ = open_searched(config.home, create_embedder(config.embeddings))
    with library:
        hits = library.search(query, limit=limit)
    note = "; ".join(filter(None, (said, hits.note))) or None
    if note:
        say(visible(note))
    if as_json:
        papers = [paper.model_dump(mode="json") for paper in hits.papers]
        print_json({"query": query, "total": hits.total, "note": note, "papers": papers})
        return
    if hits.papers:
        data().print(record_table(hits.papers))
    say(f"{len(hits.papers)} of {hits.total} papers")
