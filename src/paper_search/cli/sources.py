"""`paper-search sources` and `doctor`: what can be searched, and whether it works."""

from typing import Annotated

import typer

from paper_search.cli.console import data, print_json, text
from paper_search.cli.failures import ExitCode
from paper_search.cli.options import Home, Json, settings


def sources(ctx: typer.Context, as_json: Json = False, home: Home = None) -> None:
    """List the sources: which are searched by default, and what the others need.

    PAPER_SEARCH_SOURCES sets the default sources; `web` means the public services that need no key.
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


def doctor(
    ctx: typer.Context,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="NAME",
            help="Check only this source; repeatable. web: public services without a key.",
        ),
    ] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Check settings, files and sources, and say how to fix what fails.

    Each source gets a small query, past the cache. Exits with code 1 if a check fails.
    """
    import asyncio

    from rich.table import Table

    from paper_search.cli.checks import check_everything
    from paper_search.config import expand_sources

    config = settings(ctx, home).model_copy(update={"http_cache": False})
    checks = asyncio.run(
        check_everything(config, expand_sources(source or [], config.keyed_sources))
    )
    if as_json:
        print_json([check.document() for check in checks])
    else:
        table = Table(show_edge=False, pad_edge=False)
        for name in ("", "What", "Found", "What to do"):
            table.add_column(name, no_wrap=name in {"", "What"}, overflow="fold")
        for check in checks:
            sign = text("ok", style="green") if check.is_well else text("NO", style="bold red")
            table.add_row(sign, text(check.what), text(check.found), text(check.fix or "-"))
        data().print(table)
    if not all(check.is_well for check in checks):
        raise typer.Exit(ExitCode.FAILED)
