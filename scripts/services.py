# ruff: noqa: INP001  # a script, not a package
"""How each service is asked, as a table for docs/sources.md."""

from __future__ import annotations

from paper_search.sources import known_sources
from paper_search.sources.adapter import Adapter, Service
from paper_search.sources.base import service_of
from paper_search.sources.enrichment.services import UnpaywallLookup
from paper_search.sources.snowballing.services import OpenCitations
from paper_search.sources.web import web_search_names, web_service_of

_HEAD = ("service", "key", "interval between requests", "page", "most results of a query",
         "longest request line, bytes")  # fmt: skip


def services() -> list[type[Service]]:
    """Return all services that are asked, those of papers first."""
    searched = map(service_of, known_sources())
    on_the_web = map(web_service_of, web_search_names())
    others = (OpenCitations, UnpaywallLookup)
    return [*filter(None, searched), *others, *filter(None, on_the_web)]


def services_table() -> str:
    """Return a table in Markdown with a row for each service."""
    rows = [_HEAD, ("---",) * len(_HEAD), *map(_cells, services())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cells(service: type[Service]) -> tuple[str, ...]:
    plain, keyed, known = service(), service("key"), service(contact="me@university.edu")
    need = "needed" if service.needs_key else "optional"
    key = f"{need}, `{service.key_variable}`" if service.key_variable else "none"
    pace = f"{plain.interval_s:g} s"
    if keyed.interval_s != plain.interval_s:
        pace += f"; {keyed.interval_s:g} s with a key"
    if known.interval_s != plain.interval_s:
        pace += f"; {known.interval_s:g} s with a contact"
    page, most = "one work", "one work"
    if isinstance(plain, Adapter):
        page, most = f"{plain.page_size:,}", f"{plain.most_results:,}"
    longer = "; longer ones as a form" if service.form_suffix is not None else ""
    return (f"{service.name} ({service.title})", key, pace, page, most,
            f"{service.longest_line:,}{longer}")  # fmt: skip
