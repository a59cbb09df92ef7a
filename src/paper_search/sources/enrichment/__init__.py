"""Looks up missing fields (abstract, DOI, open text): the interface, and what is installed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from paper_search.config import AppConfig
from paper_search.models import RawPaper, SourceReport
from paper_search.resources import EntryPoints
from paper_search.sources.base import known_sources, service_of

__all__ = ["GAPS", "Enricher", "LookUp", "create_enrichers", "known_enrichers", "says_open"]
GAPS = ("abstract", "doi", "full_text_url")
"""The fields that are looked up where they are missing."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """What an enricher knows: the records that may be of each work, by the work's id."""

    report: SourceReport
    records: dict[str, list[RawPaper]] = field(default_factory=dict)


@runtime_checkable
class Enricher(Protocol):
    """Looks up works. It returns whole records; the caller takes the missing fields."""

    @property
    def enricher_name(self) -> str: ...

    async def look_up(self, works: Sequence[RawPaper]) -> LookUp:
        """Return what is known of the works; a failure is data, never an exception."""
        ...


EnricherFactory = Callable[[AppConfig], Enricher]
"""Makes an enricher of the settings; one that lacks a setting says so when it is asked."""

_REGISTRY: EntryPoints[EnricherFactory] = EntryPoints("paper_search.enrichers", "enricher")


def known_enrichers() -> list[str]:
    return _REGISTRY.names()


def says_open(prefix: str) -> bool:
    """Whether texts that a service links to are open to everybody, as it says itself."""
    owners = [getattr(_REGISTRY.read(name), "__self__", None) for name in known_enrichers()]
    looked_up = [getattr(owner, "service_type", None) for owner in owners]
    services = [service for service in (*map(service_of, known_sources()), *looked_up) if service]
    return any(s.says_open and prefix == (s.record_prefix or s.name) for s in services)


def create_enrichers(config: AppConfig) -> list[Enricher]:
    """Return the enrichers that the settings name, in that order.

    Raises:
        UnknownNameError: nothing is installed under a name.
    """
    return [_REGISTRY.read(name)(config) for name in dict.fromkeys(config.enrichers)]
