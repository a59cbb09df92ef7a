"""Content words of titles and abstracts, and the terms of one or two of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.untrusted import visible
from paper_search.skills.words import is_unspaced, stem

Term: TypeAlias = tuple[str, ...]
"""One or two stems."""

_BREAKS = re.compile(r"\b(?:https?://|www\.)\S+|[^\w\s'’-]+|\s-+\s")
"""What ends a run of words; the parts of an address are none."""
_WORD = re.compile(r"([^\W_]+)(?:['’]\w*)?(-?)")
_INNER_CAPITAL = re.compile(r"\w[A-Z]")
_SHORTEST, _LONGEST = 3, 30
_LONGEST_UNSPACED = 6
"""Most characters of a run without spaces that counts as a word."""


class Word(NamedTuple):
    """A content word as it counts and as it was written."""

    stem: str
    written: str
    joint: str
    """What joins it to the next one: a hyphen or a space."""


def runs(text: str) -> list[list[Word]]:
    """Return the content words of a text, a list for what no stop word or sign interrupts."""
    found: list[list[Word]] = []
    for part in _BREAKS.split(visible(text)):
        found.append([])
        for word, hyphen in _WORD.findall(part):
            if _is_content(word):
                found[-1].append(Word(stem(word.casefold()), lowered(word), hyphen or " "))
            else:
                found.append([])
    return [run for run in found if run]


@dataclass
class TermCounts:
    """In how many texts terms stand, and how they are written there."""

    texts: int = 0
    counts: Counter[Term] = field(default_factory=Counter)
    _written: dict[Term, Counter[str]] = field(default_factory=dict)

    def written(self, term: Term) -> str:
        """Return the commonest way to write a term; small letters win over capitals."""
        forms = self._written[term]
        return min(forms, key=lambda form: (-forms[form], form != form.casefold(), form))

    def add(self, text: str) -> None:
        """Count the terms of one more text, every one once."""
        self.texts += 1
        present: dict[Term, str] = {}
        for run in runs(text):
            for position, word in enumerate(run):
                present.setdefault((word.stem,), word.written)
                for after in run[position + 1 : position + 2]:
                    pair = f"{word.written}{word.joint}{after.written}"
                    present.setdefault((word.stem, after.stem), pair)
        self.counts.update(present.keys())
        for term, form in present.items():
            self._written.setdefault(term, Counter())[form] += 1


def count_terms(texts: Iterable[str]) -> TermCounts:
    """Return in how many of the texts every word, and every two that stand together, occur."""
    counted = TermCounts()
    for text in texts:
        counted.add(text)
    return counted


def lowered(text: str) -> str:
    """Return the words in small letters, but for those with a capital inside, such as DNA."""
    words = (word if _INNER_CAPITAL.search(word) else word.casefold() for word in text.split())
    return " ".join(words)


def _is_content(word: str) -> bool:
    if word.casefold() in STOP_WORDS or not any(char.isalpha() for char in word):
        return False
    if is_unspaced(word):
        return 1 < len(word) <= _LONGEST_UNSPACED
    return _SHORTEST <= len(word) <= _LONGEST
