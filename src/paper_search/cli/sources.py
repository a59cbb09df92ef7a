"""`paper-search sources`: the places that can be searched."""

import typer

from paper_search.cli.console import data, print_json, text
from paper_search.cli.options import Home, Json, settings


def sources(ctx: typer.Context, as_json: Json = False, home: Home = None) -> None:
    """List the sources: which are searched by default, and what the others need.

    PAPER_SEARCH_SOURCES sets the default sources; `web` stands for all public services.
    PAPER_SEARCH_WEB does the same for the web and news searches of reports.
    """
    from rich.table import Table

    from paper_search.cli.inventory import inventory

    found = inventory(settings(ctx, home))
    if as_json:
        print_json([source.document() for source in found])
        return
    table = Table(show_edge=False, pad_edge=False)
    for name in ("Source", "Searched", "Key", "Needs", "Note"):
        table.add_column(name, no_wrap=name == "Source", overflow="fold")
    for source in found:
        usual = "by default" if source.kind == "papers" else "by reports"
        searched = usual if source.is_enabled else "with --source"
        table.add_row(
            text(source.name),
            text(searched if source.needs is None else "no"),
            text(source.key),
            text(source.needs or "-"),
            text(
                f"refused lately, not asked before {source.refused}"
                if source.refused
                else source.note or "-"
            ),
        )
    data().print(table)
