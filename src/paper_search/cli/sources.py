"""`paper-search sources`: the places that can be searched."""

import typer

from paper_search.cli.options import Home, Json


def sources(ctx: typer.Context, as_json: Json = False, home: Home = None) -> None:
    """List the sources: which are searched by default, and what the others need.

    PAPER_SEARCH_SOURCES sets the default sources; `web` stands for all public services.
    PAPER_SEARCH_WEB does the same for the web and news searches of reports.
    """
    from rich.table import Table

    from paper_search.cli.console import data, print_json, text
    from paper_search.cli.inventory import inventory
    from paper_search.cli.settings import settings

    found = inventory(settings(ctx, home))
    if as_json:
        print_json([each.document() for each in found])
        return
    table = Table(show_edge=False, pad_edge=False)
    for name in ("Source", "Searched", "Key", "Needs", "Note"):
        table.add_column(name, no_wrap=name == "Source", overflow="fold")
    for each in found:
        usual = "by default" if each.kind == "papers" else "by reports"
        searched = usual if each.is_enabled else "with --source"
        table.add_row(
            text(each.name),
            text(searched if each.needs is None else "no"),
            text(each.key),
            text(each.needs or "-"),
            text(
                f"refused lately, not asked before {each.refused}"
                if each.refused
                else each.note or "-"
            ),
        )
    data().print(table)
