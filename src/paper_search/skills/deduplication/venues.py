"""Compares venues across abbreviations, and classifies them."""

from __future__ import annotations

import re

from paper_search.skills.deduplication.text import word_set, words

_EMPTY_WORDS = word_set(
    "the of and in on for a an de la le et des der die das und proc proceedings conference conf"
    " journal j jour int intl international annual meeting st nd rd th symposium symp workshop"
    " lecture notes trans transactions acm ieee united states kingdom published as to appear col"
    " year val hellip mdash amp official publication organ"
)
_CUT = re.compile(
    r"(?:\.\s*|(?<!\s)\s+)?\bconference(?: start| publication)?\s*:|\bannual meeting\b| - |\(|;|:"
)
_DIGITS = re.compile(r"\d")
_KINDS = (
    (
        "report",
        re.compile(
            r"\btech|\breport\b|\bthes[ie]s\b|\bdissert|\bunpub|\bmanuscript|\bpreprint|\barxiv"
            r"|\bsubmitted|\bto appear|\bdraft|\bworking paper|\b(?:bio|med)rxiv|\bssrn\b|\bcorr\b"
        ),
    ),
    (
        "conference",
        re.compile(
            r"\bproc|\bconf|\bsymp|\bworkshop|\bmeeting|\bcongress|\bcolloq|\bannual acm\b|\bstoc\b"
            r"|\bscientific sessions"
        ),
    ),
    (
        "journal",
        re.compile(
            r"\bjourn|\bj\b|\btrans(?:actions)?\b|\bletters?\b|\blett\b|\brev(?:iews?)?\b|\bannals?\b"
            r"|\bannal|\barchives?\b|\barch\b|\brecord\b|\bmagazine\b|\bquarterly\b|\bbulletin\b"
            r"|\bresearch\b|\bmedicine\b"
        ),
    ),
)


def venue_words(folded_venue: str) -> tuple[str, ...]:
    """Return the telling words of a folded venue, in order; all words if none is telling."""
    cut = _CUT.split(folded_venue, maxsplit=1)[0]
    found = tuple(word for word in words(cut) if not _DIGITS.search(word))
    telling = tuple(word for word in found if word not in _EMPTY_WORDS)
    if telling:
        return telling
    return tuple(w for w in words(folded_venue) if not _DIGITS.search(w) and w not in _EMPTY_WORDS)


def venue_kind(folded_venue: str) -> str:
    """Return "report", "conference", "journal", or "" where the name does not tell."""
    return next((kind for kind, pattern in _KINDS if pattern.search(folded_venue)), "")


def venue_similarity(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return how far two venues may be the same, 0 to 1: words that begin alike, or initials."""
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=lambda venue: (len(venue), venue))
    if len(short) == 1 and len(long) > 1:
        initials = "".join(word[0] for word in long)
        if short[0].startswith(initials) or (len(short[0]) > 2 and initials.startswith(short[0])):  # noqa: PLR2004  # two letters are no acronym
            return 0.9
    place, matched = 0, 0
    for word in short:
        for position in range(place, len(long)):
            if _begins_alike(word, long[position]):
                matched += 1
                place = position + 1
                break
    return matched / len(short) * 0.6 + matched / len(long) * 0.4


def _begins_alike(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return long.startswith(short) or (
        len(short) > 3 and short[:3] == long[:3] and short[-1] == long[-1]  # noqa: PLR2004  # "natl", "national"
    )
