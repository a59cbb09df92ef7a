"""Records and papers as rows of the store."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from paper_search.models import BibliographicRecord, Paper, RawPaper, ScoredPaper
from paper_search.threads.records import storable

VERDICT = (
    "relevance_score",
    "relevance_reason",
    "tags",
    "is_judged",
    "unjudged_because",
    "grades",
)
"""Fields of a paper that a judgement fills."""


def record_row(record: BibliographicRecord) -> dict[str, Any]:
    """Return the record as JSON, without fields at their default: most fields of most records."""
    row: dict[str, Any] = storable(record.set_fields() | {"id": record.id})  # type: ignore[attr-defined]  # both kinds have one
    return row


def verdict_row(scored: ScoredPaper) -> dict[str, Any]:
    fields = {*VERDICT, "whole_concepts", "blocks"}
    verdict: dict[str, Any] = storable(scored.model_dump(mode="json", include=fields))
    return verdict


def is_same(work: RawPaper, other: RawPaper | None) -> bool:
    """Whether two works are equal; a citation count of 0 differs from an unknown one."""
    return other is not None and (
        work is other or (work == other and work.known_citation_count == other.known_citation_count)
    )


def is_plain(paper: Paper, scored: ScoredPaper | None) -> bool:
    """Whether a paper equals a work with its verdict."""
    return (
        scored is not None
        and paper == Paper.from_scored(scored)
        and paper.known_citation_count == scored.paper.known_citation_count
    )


def add_sightings(value: dict[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Add the sightings of earlier rounds to a record. Idempotent."""
    earlier = list(before.get("sightings", [])) if before else []
    sightings = {_sighting(sighting) for sighting in earlier}
    fresh = [
        sighting for sighting in value.get("sightings", []) if _sighting(sighting) not in sightings
    ]
    return {**value, "sightings": [*earlier, *fresh]} if earlier else value


def _sighting(sighting: Mapping[str, Any]) -> tuple[Any, ...]:
    return sighting.get("source"), sighting.get("query"), sighting.get("rank")


def with_unique_ids(papers: Sequence[RawPaper], owners: Mapping[str, str | None]) -> list[RawPaper]:
    """Return the papers with one id for each record, whatever their order.

    A record keeps the id of its source. If two sources use one id, one of them keeps it, and the
    other's gets its source appended. Different records of one source with the same id, or without
    any, get a digest of their content appended.
    """
    groups: dict[str, list[RawPaper]] = {}
    for paper in papers:
        groups.setdefault(storable(paper.id), []).append(paper)
    result = []
    for paper in papers:
        own = storable(paper.id)
        group = groups[own]
        owner = owners.get(own) or min(other.source for other in group)
        name = own if owner == paper.source else f"{own}@{paper.source}"
        if not own or len(group) > 1:
            digest = _digest(paper)
            if not own or digest != min(_digest(p) for p in group if p.source == paper.source):
                name = f"{name or paper.source}~{digest}"
        result.append(paper if name == paper.id else paper.model_copy(update={"id": name}))
    return result


def _digest(paper: RawPaper) -> str:
    fields = (paper.title, paper.doi, paper.year, [author.name for author in paper.authors])
    return hashlib.blake2b(repr(fields).encode("utf-8", "replace"), digest_size=5).hexdigest()
