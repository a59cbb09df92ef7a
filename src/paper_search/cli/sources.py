"""`paper-search sources` and `doctor`: what can be searched, and whether it works."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from paper_search.cli.console import (
    ExitCode,
    explanation,
    print_json,
    run,
    stdout_console,
    text,
    with_commands,
)
from paper_search.cli.options import Home, Json, Source, settings
from paper_search.errors import ConfigError, LibraryError

if TYPE_CHECKING:
    from paper_search.config import AppConfig


def sources(as_json: Json = False, home: Home = None) -> None:
    """List the sources, and what they need.

    PAPER_SEARCH_SOURCES sets the default sources; `web` means the public services that need no key.
    PAPER_SEARCH_WEB does the same for the web and news searches of reports.
    """
    from paper_search.cli.tables import grid

    entries = source_entries(settings(home))
    if as_json:
        print_json(entries)
        return
    rows = []
    for entry in entries:
        usual = "by default" if entry["kind"] == "papers" else "by reports"
        searched = usual if entry["enabled"] else "with --source"
        refused = entry["refused"] and f"refused lately, not tried before {entry['refused']}"
        needs, note = entry["needs"], refused or entry["note"] or "-"
        rows.append([entry["name"], "no" if needs else searched, needs or note])
    # Three columns, so that names of settings and URLs are not broken at a width of 80.
    stdout_console().print(grid(["Source", "Searched", "Note~"], rows))


def source_entries(config: AppConfig) -> list[dict[str, Any]]:
    """Return all installed sources by name, then the web and news searches, as JSON.

    `needs` is what must be set first; `key` is "none needed", "set", "optional" or "required";
    `kind` is "pages" for the web and news searches of reports.
    """
    from paper_search.sources import create_source, known_sources
    from paper_search.sources.web import create_web_search, web_search_names

    papers = [_entry(name, config, create_source, config.sources) for name in known_sources()]
    searches = web_search_names()
    return papers + [_entry(name, config, create_web_search, config.web) for name in searches]


def _entry(name: str, config: AppConfig, create: Any, configured: Any) -> dict[str, Any]:
    from paper_search.sources.adapter import Adapter
    from paper_search.sources.base import ranks_text

    is_web = configured is config.web
    entry: dict[str, Any] = {
        "name": name,
        "enabled": name in configured and configured[name].enabled,
        "needs": None,
        "note": None,
        "key": "none needed",
        "key_variable": None,
        "key_page": None,
        "kind": "pages" if is_web else "papers",
        "ranks_text": False,
        "refused": None,
    }
    try:
        source = create(name, config)
    except ConfigError as error:
        return {**entry, "enabled": False, "needs": explanation(error), "key": "required"}
    adapter = getattr(source, "adapter", None)
    if not is_web:
        entry["ranks_text"] = ranks_text(source)
        entry["note"] = _local_note(name, config)
    if isinstance(adapter, Adapter):
        key = "set" if adapter.key else "optional" if adapter.key_variable else "none needed"
        entry |= {
            "note": _web_note(source) if is_web else _service_note(adapter),
            "key": "none needed" if is_web and not adapter.key else key,
            "key_variable": adapter.key_variable,
            "key_page": adapter.key_page,
            "refused": None if is_web else _refusal(adapter, config),
        }
    return entry


def _web_note(source: Any) -> str:
    from paper_search.sources.web import kind_of

    title, most = source.adapter.title, source.adapter.most_results
    return f"{title}: {kind_of(source)}, for reports; at most {most:,} results a query"


def _refusal(adapter: Any, config: AppConfig) -> str | None:
    import httpx

    from paper_search.http.limits import process_limiter
    from paper_search.http.network import limits_scope
    from paper_search.sources.client import time_text

    if not config.http_limits_path.exists():
        return None
    scope = limits_scope(httpx.URL(adapter.endpoint), (adapter.key,))
    refusal = process_limiter(config.http_limits_path).refusal(scope)
    return time_text(refusal.until) if refusal is not None else None


def _service_note(adapter: Any) -> str:
    form = "plain questions" if adapter.ranks_text else "boolean queries"
    most = f"{adapter.title}: {form}, at most {adapter.most_results:,} records each"
    if adapter.key:
        return f"{most}; asked with your key"
    better = adapter.key_variable and f"better with {adapter.key_hint}"
    return "; ".join(filter(None, (most, adapter.caveat, better)))


def _local_note(name: str, config: AppConfig) -> str | None:
    from paper_search.cli.source_lines import own_records
    from paper_search.library.samples import open_sample

    try:
        if name == "sample":
            with open_sample(config.home) as sample:
                return f"{len(sample)} records included with the program"
        if name != "library":
            return None
        if count := own_records(config):
            return f"records of your own: {count}"
    except LibraryError as error:
        return explanation(error)
    return "empty: the sample is used until `paper-search library add FILE`"


def doctor(source: Source = None, as_json: Json = False, home: Home = None) -> None:
    """Check settings, files and sources.

    Prints how to fix what fails. Each source is sent a small query, bypassing the cache. Exits with
    code 1 if a check fails.
    """
    from paper_search.cli.checks import check_everything
    from paper_search.cli.tables import grid
    from paper_search.config import expand_sources

    config = settings(home).model_copy(update={"http_cache": False})
    checks = run(check_everything(config, expand_sources(source or [], config.keyed_sources)))
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        signs = {True: text("ok", style="green"), False: text("NO", style="bold red")}
        rows = (
            [signs[c.is_well], c.what, *map(with_commands, (c.found, c.fix or "-"))] for c in checks
        )
        stdout_console().print(grid(["", "What", "Found~", "What to do~"], rows))
    if not all(check.is_well for check in checks):
        raise typer.Exit(ExitCode.FAILED)
