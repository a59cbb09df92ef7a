"""Titles that several works of a batch share: columns, annual reports, editorials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rapidfuzz.fuzz import ratio

from paper_search.skills.deduplication.profiles import Profile

_LOOKED_AT = 60
_FEWEST = 3
_SHORT_TITLE = 4
_OTHER_TITLE = 65.0


def recurring_titles(profiles: Sequence[Profile]) -> frozenset[str]:
    """Return the keys of titles that three or more works seem to carry.

    They do where three records of one title have nobody in common, stand in three different
    issues, or, if the title has four words at most, in three years. Two records are not enough:
    they may be one work, badly recorded once.
    """
    groups: dict[str, list[Profile]] = defaultdict(list)
    for profile in profiles:
        if profile.key:
            groups[profile.key].append(profile)
    return frozenset(
        key
        for key, group in groups.items()
        if len(group) >= _FEWEST and _are_several(group[:_LOOKED_AT])
    )


def _are_several(group: list[Profile]) -> bool:
    issues = {
        (profile.volume, profile.issue) for profile in group if profile.volume and profile.issue
    }
    if len(issues) >= _FEWEST:
        return True
    years = {profile.year for profile in group if profile.year is not None}
    if len(years) >= _FEWEST and len(group[0].words) <= _SHORT_TITLE:
        return True
    crowds: list[set[str]] = []
    for profile in group:
        names = set(profile.people.names)
        if names and all(names.isdisjoint(crowd) for crowd in crowds):
            crowds.append(names)
    return len(crowds) >= _FEWEST


def shared_dois(profiles: Sequence[Profile]) -> frozenset[str]:
    """Return the DOIs under which three or more quite different titles stand.

    Abstracts of a supplement often carry the DOI of the whole: it names none of them.
    """
    groups: dict[str, list[Profile]] = defaultdict(list)
    for profile in profiles:
        if profile.doi:
            groups[profile.doi].append(profile)
    return frozenset(doi for doi, group in groups.items() if _has_many_titles(group))


def _has_many_titles(group: list[Profile]) -> bool:
    if len(group) < _FEWEST:
        return False
    kept: list[str] = []
    for profile in group[:_LOOKED_AT]:
        if profile.title and all(ratio(profile.title, title) < _OTHER_TITLE for title in kept):
            kept.append(profile.title)
            if len(kept) >= _FEWEST:
                return True
    return False
