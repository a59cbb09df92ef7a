"""Titles that several works of a batch share: columns, annual reports, editorials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

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
    is_short = len(group[0].words) <= _SHORT_TITLE
    issues = {
        # A column may stand on one page of every issue; a long title on one page is one work.
        (item.volume, item.issue if is_short or not item.first_page else item.first_page)
        for item in group
        if item.volume and item.issue
    }
    if len(issues) >= _FEWEST:
        return True
    years = {profile.year for profile in group if profile.year is not None}
    if len(years) >= _FEWEST and is_short:
        return True
    crowds: list[set[str]] = []
    for profile in group:
        names = set(profile.people.names)
        if names and all(names.isdisjoint(crowd) for crowd in crowds):
            crowds.append(names)
    return len(crowds) >= _FEWEST


def identifiers_of_several(profiles: Sequence[Profile]) -> frozenset[tuple[str, str]]:
    """Return the DOIs and addresses, with their kind, under which three or more titles stand.

    Abstracts of a supplement often carry the DOI, or the file, of the whole: it names none of them.
    """
    groups: dict[tuple[str, str], list[Profile]] = defaultdict(list)
    for profile in profiles:
        if profile.doi:
            groups["doi", profile.doi].append(profile)
        for kind, value in profile.ids:
            if kind == "url":
                groups[kind, value].append(profile)
    return frozenset(name for name, group in groups.items() if _has_many_titles(group))


def without_shared(profile: Profile, shared: Collection[tuple[str, str]]) -> Profile:
    """Return a record without the addresses that name no one work."""
    ids = tuple(name for name in profile.ids if name not in shared)
    return profile if len(ids) == len(profile.ids) else replace(profile, ids=ids)


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
