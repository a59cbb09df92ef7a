"""The evidence for a pair that a person sees: which fields agree, and the confidence."""

from __future__ import annotations

from paper_search.models import MergeReason, PairEvidence
from paper_search.skills.deduplication.comparison import FIELDS, Comparison
from paper_search.skills.deduplication.profiles import Profile
from paper_search.skills.deduplication.weights import probability

_SILENT = frozenset({"missing", "both missing", "unknown", "none"})
_DERIVED = frozenset({"difference", "title_length", "numerals", "reactions", "kind", "place"})


def pair_evidence(  # noqa: PLR0913, PLR0917  # two records, each with its id, and three findings
    ids: tuple[str, str],
    one: Profile,
    other: Profile,
    levels: Comparison,
    odds: float,
    reason: MergeReason,
) -> PairEvidence:
    """Return the evidence on a pair.

    Args:
        ids: ids of the two records.
        one: the first record.
        other: the second.
        levels: how their fields agree.
        odds: log-odds that they are one work, after conflicts.
        reason: why they were made one, or would be.
    """
    is_said = reason is MergeReason.PERSON
    return PairEvidence(
        one=ids[0],
        other=ids[1],
        reason=reason,
        confidence=1.0 if is_said else round(probability(odds), 4),
        identifiers=shared_identifiers(one, other),
        title_similarity=_share(levels.title_similarity),
        author_overlap=_share(levels.author_overlap),
        abstract_overlap=_share(levels.abstract_overlap),
        fields={
            field: level
            for field, level in zip(FIELDS, levels, strict=False)
            if field not in _DERIVED and (level not in _SILENT or (field, level) == _NO_AUTHOR)
        },
    )


_NO_AUTHOR = ("authors", "none")
"""Here "none" is a finding: no name is shared."""


def shared_identifiers(one: Profile, other: Profile) -> list[str]:
    """Return the identifiers that two records share, as `kind:value`."""
    found = [f"doi:{one.doi}"] if one.doi and one.doi == other.doi else []
    if one.arxiv and one.arxiv == other.arxiv:
        found.append(f"arxiv:{one.arxiv}")
    kinds = set(one.ids) & set(other.ids)
    return found + [f"{kind.removesuffix('_id')}:{value}" for kind, value in sorted(kinds)]


def _share(value: float) -> float | None:
    return round(value, 3) if value >= 0 else None
