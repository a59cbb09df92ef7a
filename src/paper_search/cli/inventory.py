"""What sources there are, and the status of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import httpx

from paper_search.cli.failures import explanation
from paper_search.errors import ConfigError, LibraryError
from paper_search.http.host_file import HostFile, Refusal
from paper_search.http.network import limits_scope
from paper_search.library import Library
from paper_search.library.samples import open_sample
from paper_search.library.source import library_path
from paper_search.sources import create_source, known_sources
from paper_search.sources.adapter import Adapter
from paper_search.sources.base import ranks_text
from paper_search.sources.explanation import shown_time
from paper_search.sources.web import create_web_search, kind_of, known_web_searches

if TYPE_CHECKING:
    from paper_search.config import AppConfig


@dataclass(frozen=True)
class SourceEntry:
    """One source, as `paper-search sources` lists it."""

    name: str
    is_enabled: bool
    """Whether it is searched by default."""
    needs: str | None
    """What has to be set first; None: nothing."""
    note: str | None
    key: str = "none needed"
    """`none needed`, `set`, `optional` or `required`."""
    key_variable: str | None = None
    """The environment variable that the key is read from."""
    key_page: str | None = None
    """Where to get a key."""
    kind: str = "papers"
    """`papers`, or `pages` for the searches of web and news that reports ask."""
    ranks_text: bool = False
    """Whether it is asked plain questions, unless a strategy says otherwise; else queries."""
    refused: str | None = None
    """Until when it is not asked, because it refused; None: it did not."""

    def document(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        fields = asdict(self)
        return {"name": self.name, "enabled": fields.pop("is_enabled"), **fields}


def inventory(config: AppConfig) -> list[SourceEntry]:
    """Return all installed sources by name, then what reports search besides."""
    refusals = (
        HostFile(config.http_limits_path).refusals() if config.http_limits_path.exists() else {}
    )
    papers = [_entry(name, config, refusals) for name in known_sources()]
    return [*papers, *(_web_entry(name, config) for name in known_web_searches())]


def _web_entry(name: str, config: AppConfig) -> SourceEntry:
    is_enabled = name in config.web and config.web[name].enabled
    try:
        search = create_web_search(name, config)
    except ConfigError as error:
        says = explanation(error)
        return SourceEntry(
            name, is_enabled=False, needs=says, note=None, key="required", kind="pages"
        )
    adapter, kind = search.adapter, kind_of(search)
    return SourceEntry(
        name,
        is_enabled,
        None,
        f"{adapter.title}: {kind}, for reports; at most {adapter.most_results} results a query",
        "set" if adapter.key else "none needed",
        adapter.key_variable,
        adapter.key_page,
        "pages",
    )


def _entry(name: str, config: AppConfig, refusals: Mapping[str, Refusal]) -> SourceEntry:
    is_enabled = name in config.sources and config.sources[name].enabled
    try:
        source = create_source(name, config)
    except ConfigError as error:
        return SourceEntry(
            name, is_enabled=False, needs=explanation(error), note=None, key="required"
        )
    adapter = getattr(source, "adapter", None)
    note = _note(name, config)
    ranks = ranks_text(source)
    refused = _refused(adapter, refusals)
    if not isinstance(adapter, Adapter) or adapter.key_variable is None:
        note = note or _service_note(adapter)
        return SourceEntry(name, is_enabled, None, note, ranks_text=ranks, refused=refused)
    return SourceEntry(
        name,
        is_enabled,
        None,
        _service_note(adapter),
        "set" if adapter.key else "optional",
        adapter.key_variable,
        adapter.key_page,
        ranks_text=ranks,
        refused=refused,
    )


def _refused(adapter: object, refusals: Mapping[str, Refusal]) -> str | None:
    if not isinstance(adapter, Adapter):
        return None
    scope = limits_scope(httpx.URL(adapter.endpoint), (adapter.key,))
    refusal = refusals.get(scope)
    return shown_time(refusal.until) if refusal is not None else None


def _service_note(adapter: object) -> str | None:
    if not isinstance(adapter, Adapter):
        return None
    form = "plain questions" if adapter.ranks_text else "boolean queries"
    most = f"{form}, at most {adapter.most_results:,} records each"
    if adapter.key_variable is None:
        return f"{adapter.title}: {most}"
    if adapter.key:
        return f"{adapter.title}: {most}; asked with your key"
    return f"{adapter.title}: {most}; better with {adapter.key_variable}, see {adapter.key_page}"


def _note(name: str, config: AppConfig) -> str | None:
    try:
        match name:
            case "library":
                return _library_note(config)
            case "sample":
                with open_sample(config.home) as sample:
                    return f"{len(sample)} records included with the program"
            case _:
                return None
    except LibraryError as error:
        return explanation(error)


def _library_note(config: AppConfig) -> str:
    path = library_path(config.home)
    count = 0
    if Library.exists(path):
        with Library.open(path) as library:
            count = len(library)
    if count:
        return f"{count} records of your own"
    return "empty: the sample is used until `paper-search library add FILE`"
