"""Texts as sparse rows of tf-idf over words and pairs of neighbouring words."""

from __future__ import annotations

import itertools
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paper_search.skills.words import is_unspaced, tokens

_WORD = re.compile(r"[^\W_]{2,}")
_LONGEST = 20_000
"""Characters of a text that are read: more is a whole paper, whose words say less."""
_TOO_COMMON = 0.95
"""A term in more than this share of the texts tells nothing."""


@dataclass(frozen=True)
class Row:
    """One text: the terms that it shares with other texts, and what the others add up to."""

    terms: array[int]
    values: array[float]
    norm: float
    """Squared length, unshared terms included: 1, or 0 for a text without words."""


@dataclass(frozen=True)
class TermMatrix:
    """All texts as rows over one numbering of terms."""

    rows: list[Row]
    width: int
    """Number of shared terms."""

    @classmethod
    def of(cls, texts: Sequence[tuple[str, str | None]]) -> TermMatrix:
        """Return the rows of titles and abstracts.

        Each row is 1 + log tf times smoothed idf, scaled to length 1 (the tf-idf that screening
        tools use: Ferdinands et al. 2023, doi:10.1186/s13643-023-02257-7). The title counts twice.
        Common words stay in: "versus", "randomised" and "among" tell a trial from a report of a
        case. A term of one text only has no number: it changes nothing but that text's length.
        """
        counts = [Counter(_terms(title, abstract)) for title, abstract in texts]
        frequency: Counter[str] = Counter()
        for each in counts:
            frequency.update(each.keys())
        total = len(texts)
        most = max(2.0, _TOO_COMMON * total)
        numbers: dict[str, int] = {}
        for term, count in frequency.items():
            if 1 < count <= most:
                numbers[term] = len(numbers)
        rarity = {
            count: math.log((1 + total) / (1 + count)) + 1 for count in set(frequency.values())
        }
        weight = {term: rarity[frequency[term]] for term in numbers}
        rows = [_row(each, numbers, weight, rarity.get(1, 1.0), frequency, most) for each in counts]
        return cls(rows, len(numbers))


def _terms(title: str, abstract: str | None) -> Iterable[str]:
    for text in (title, title, abstract or ""):
        words = _words(text[:_LONGEST])
        yield from words
        for one, other in itertools.pairwise(words):
            yield f"{one} {other}"


def _words(text: str) -> list[str]:
    if not text.isascii() and is_unspaced(text):
        return tokens(text)
    return _WORD.findall(text.casefold())


def _row(  # noqa: PLR0913, PLR0917  # all of them are needed for each of some thousand texts
    counts: Counter[str],
    numbers: dict[str, int],
    weight: dict[str, float],
    rarest: float,
    frequency: Counter[str],
    most: float,
) -> Row:
    terms, values = array("i"), array("d")
    squared = 0.0
    for term, count in counts.items():
        number = numbers.get(term)
        tf = 1.0 if count == 1 else 1.0 + math.log(count)
        if number is not None:
            terms.append(number)
            values.append(tf * weight[term])
        elif frequency[term] <= most:
            squared += (tf * rarest) ** 2
    squared += sum(value * value for value in values)
    length = math.sqrt(squared) or 1.0
    values = array("d", [value / length for value in values])
    return Row(terms, values, squared / (length * length))
