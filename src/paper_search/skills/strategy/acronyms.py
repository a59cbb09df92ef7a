"""Acronyms and their long forms, from texts that introduce them.

The algorithm of Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation
definitions in biomedical text".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from paper_search.skills.strategy.terms import lowered

_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_SENTENCE = re.compile(r"[.;:!?](?=\s)|[()\[\]]")
_SHORT = re.compile(r"[^\W_][\w-]{1,9}")
_SHORTEST, _LONGEST = 2, 10


def long_forms(texts: Iterable[str]) -> dict[str, str]:
    """Return acronyms with what they stand for, those of most texts first.

    Understood are "long form (LF)" and "LF (long form)". An acronym with several long forms has
    the one of most texts; the plural of an acronym counts as the acronym.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        pairs.update(set(_definitions(text)))
    found: dict[str, str] = {}
    for (short, long), _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        found.setdefault(short, long)
    return found


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    for bracket in _BRACKETS.finditer(text):
        inside = re.split(r"[;,]", bracket[1])[0].strip()
        before = _SENTENCE.split(text[: bracket.start()])[-1].split()
        if not before:
            continue
        if _is_acronym(inside):
            long = long_form(inside, " ".join(before))
            short = inside
        elif _is_acronym(before[-1]):
            long = long_form(before[-1], inside)
            short = before[-1]
        else:
            continue
        if long is not None:
            is_plural = short.endswith("s") and short[:-1].isupper()
            yield (short[:-1] if is_plural else short), lowered(long)


def long_form(short: str, before: str) -> str | None:
    """Return the end of the text that an acronym stands for; None: it does not.

    Every letter of the acronym is found in order, from the right, its first one at the start of
    a word.
    """
    most = min(len(short) + 5, 2 * len(short))
    text = " ".join(before.split()[-most:])
    place = len(text)
    for position in range(len(short) - 1, -1, -1):
        letter = short[position].casefold()
        if not letter.isalnum():
            continue
        place -= 1
        while place >= 0 and not (
            text[place].casefold() == letter
            and (position > 0 or place == 0 or not text[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
    found = text[text.rfind(" ", 0, place) + 1 :].strip(" -\"'“”‘’,")
    is_longer = len(found) > len(short) and short.casefold() not in found.casefold().split()
    return found if is_longer else None


def _is_acronym(text: str) -> bool:
    """Whether the text is one short word with at least two capitals, or a capital and a digit."""
    signs = sum(char.isupper() or char.isdigit() for char in text)
    return (
        _SHORTEST <= len(text) <= _LONGEST
        and signs > 1
        and any(char.isupper() for char in text)
        and _SHORT.fullmatch(text) is not None
    )
