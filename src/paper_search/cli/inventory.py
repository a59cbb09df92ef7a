"""What sources there are, and how each of them stands."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from paper_search.cli.failures import explanation
from paper_search.errors import ConfigError, LibraryError
from paper_search.library import Library
from paper_search.library.samples import open_sample
from paper_search.library.source import library_path
from paper_search.sources import create_source, known_sources

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

    def document(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        fields = asdict(self)
        return {"name": self.name, "enabled": fields.pop("is_enabled"), **fields}


def inventory(config: AppConfig) -> list[SourceEntry]:
    """Return all installed sources by name."""
    return [_entry(name, config) for name in known_sources()]


def _entry(name: str, config: AppConfig) -> SourceEntry:
    needs = None
    try:
        create_source(name, config)
    except ConfigError as error:
        needs = explanation(error)
    is_enabled = name in config.sources and config.sources[name].enabled
    return SourceEntry(name, is_enabled and needs is None, needs, _note(name, config))


def _note(name: str, config: AppConfig) -> str | None:
    try:
        match name:
            case "library":
                return _library_note(config)
            case "sample":
                with open_sample(config.home) as sample:
                    return f"{len(sample)} records that ship with the program"
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
    return "empty: the sample stands in until `paper-search library add FILE`"
