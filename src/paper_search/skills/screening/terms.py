"""Texts as sparse rows of tf-idf over words and pairs of neighbouring words."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import add, mul

from paper_search.skills.words import is_unspaced, tokens

_WORD = re.compile(r"[^\W_]{2,}")
_LONGEST = 20_000
"""Characters of a text that are read: more is a whole paper, whose words say less."""
_TOO_COMMON = 0.95
"""A term in more than this share of the texts tells nothing."""
_PAIR = 1 << 32
"""A pair of words is the number of the one times this, plus the number of the other."""


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
        terms: defaultdict[str | int, int] = defaultdict(count().__next__)
        counts = [_counted(title, abstract, terms.__getitem__) for title, abstract in texts]
        scale = _Scale.of(counts, len(terms))
        return cls([scale.row(counted) for counted in counts], scale.width)


# Some thousand texts have some million terms: what is done with each of them is left to `map`.
def _counted(
    title: str, abstract: str | None, number_of: Callable[[str | int], int]
) -> Counter[int]:
    """Return how often a text has each word and each pair of neighbours, by number."""
    heading = list(map(number_of, _words(title[:_LONGEST])))
    body = list(map(number_of, _words((abstract or "")[:_LONGEST])))
    found = Counter(heading * 2)
    found.update(list(map(number_of, _pairs(heading))) * 2)
    found.update(body)
    found.update(map(number_of, _pairs(body)))
    return found


def _pairs(words: Sequence[int]) -> Iterator[int]:
    return map(add, map(_PAIR.__mul__, words), words[1:])


def _words(text: str) -> list[str]:
    if not text.isascii() and is_unspaced(text):
        return tokens(text)
    return _WORD.findall(text.casefold())


@dataclass(frozen=True)
class _Scale:
    """What terms weigh, and which of them texts share."""

    places: list[int]
    """Of each term among the shared ones, from 1; 0: texts do not share it."""
    weights: list[float]
    """Of each shared term; before them, of those that one text has."""
    heights: dict[int, float]
    """1 + log of a count."""

    @property
    def width(self) -> int:
        return len(self.weights) - 1

    @classmethod
    def of(cls, counts: Sequence[Counter[int]], terms: int) -> _Scale:
        frequency: Counter[int] = Counter()
        heights: set[int] = set()
        for counted in counts:
            frequency.update(counted.keys())
            heights.update(counted.values())
        total = len(counts)
        most = max(2.0, _TOO_COMMON * total)
        rarity = {
            found: math.log((1 + total) / (1 + found)) + 1 if found <= most else 0.0
            for found in {1, *frequency.values()}
        }
        places, weights = [0] * terms, [rarity[1]]
        for term, found in frequency.items():
            if found > 1:
                places[term] = len(weights)
                weights.append(rarity[found])
        return cls(places, weights, {height: 1.0 + math.log(height) for height in heights})

    def row(self, counts: Counter[int]) -> Row:
        places = list(map(self.places.__getitem__, counts))
        heights = map(self.heights.__getitem__, counts.values())
        values = list(map(mul, heights, map(self.weights.__getitem__, places)))
        squared = sum(map(mul, values, values))
        scale = 1.0 / math.sqrt(squared) if squared else 1.0
        return Row(
            array("i", map((-1).__add__, filter(None, places))),
            array("d", map(scale.__mul__, compress(values, places))),
            1.0 if squared else 0.0,
        )
