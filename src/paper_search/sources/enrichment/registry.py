"""The installed enrichers: entry points of the group `paper_search.enrichers`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from paper_search.config import AppConfig
from paper_search.errors import UnknownNameError
from paper_search.sources.enrichment.base import Enricher

GROUP = "paper_search.enrichers"

EnricherFactory = Callable[[AppConfig], Enricher | None]
"""Makes an enricher of the settings; None: it cannot work without one that is missing."""


def known_enrichers() -> dict[str, EntryPoint]:
    """Return the entry points of all installed enrichers by name, sorted."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return dict(sorted(found.items()))


def create_enrichers(config: AppConfig) -> list[Enricher]:
    """Return the enrichers that the settings name, in that order; those that can work.

    Raises:
        UnknownNameError: nothing is installed under a name.
    """
    known = known_enrichers()
    enrichers = []
    for name in dict.fromkeys(config.enrichers):
        if name not in known:
            raise UnknownNameError("enricher", name, list(known))
        factory: EnricherFactory = known[name].load()
        if (enricher := factory(config)) is not None:
            enrichers.append(enricher)
    return enrichers
