"""One record out of several of the same work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paper_search.bibliography.identifiers import stable_id
from paper_search.models import RawPaper, Sighting

_OWN = frozenset({"id", "source", "citation_count", "merged_from", "sightings", "is_retracted"})
"""Fields that are not filled from other records, but kept, counted or united."""


def merged(papers: Sequence[RawPaper]) -> RawPaper:
    """Return the richest record with its gaps filled from the others, richest first.

    The same records give the same result in any order. The id is the stable id of the whole if a
    member has it, so that it survives a richer record in a later round; else the richest one's.
    """
    ordered = sorted(papers, key=_by_richness)
    richest = ordered[0]
    filled: dict[str, Any] = {}
    for name in RawPaper.model_fields:
        if name not in _OWN and _is_empty(getattr(richest, name)):
            values = (getattr(other, name) for other in ordered[1:])
            found = next((value for value in values if not _is_empty(value)), None)
            if found is not None:
                filled[name] = found
    whole = richest.model_copy(
        update={
            **filled,
            "citation_count": max(paper.citation_count for paper in papers),
            "is_retracted": _is_retracted(papers),
            "merged_from": sorted({each for p in papers for each in (p.id, *p.merged_from)}),
            "sightings": _united_sightings(papers),
        }
    )
    stable = stable_id(whole)
    is_known = any(paper.id == stable for paper in papers)
    return whole.model_copy(update={"id": stable}) if is_known else whole


def _by_richness(paper: RawPaper) -> tuple[int, int, int, str]:
    filled = sum(
        not _is_empty(getattr(paper, name)) for name in RawPaper.model_fields if name not in _OWN
    )
    return -filled, -len(paper.abstract or ""), -paper.citation_count, fingerprint(paper)


def fingerprint(paper: RawPaper) -> str:
    """Return a text that orders records by their content."""
    return f"{paper.source}\n{paper.id}\n{paper.model_dump_json(fallback=repr)}"


def _is_empty(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value in ([], {})


def _is_retracted(papers: Sequence[RawPaper]) -> bool | None:
    said = [paper.is_retracted for paper in papers if paper.is_retracted is not None]
    return any(said) if said else None


def _united_sightings(papers: Sequence[RawPaper]) -> list[Sighting]:
    united = {sighting.model_dump_json(): sighting for p in papers for sighting in p.sightings}
    return [
        united[key]
        for key in sorted(united, key=lambda key: (united[key].source, united[key].rank or 0, key))
    ]
