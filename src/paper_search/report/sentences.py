"""Text cut into sentences, each with the place where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paper_search.skills.words import tokens

_BREAK = re.compile(r"[.!?]['\"”’)\]]*(?=;?\s+[\"“'‘(\[]*[A-Z0-9À-Þ])|[。！？]|\n\s*\n|(?<=[:;])\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|vs|cf|Fig|Figs|Eq|Eqs|Dr|Prof|St|approx|resp|ca|No|Vol|pp|Mr|Mrs"
    r"|Ref|Refs|Sec|al)|\b[A-Z])\.$"
)
LONGEST = 600
"""Characters of a sentence; what is longer is a table or a list, not a sentence."""


@dataclass(frozen=True)
class Sentence:
    """A sentence and where it stands."""

    text: str
    start: int
    end: int

    @property
    def stems(self) -> frozenset[str]:
        """Return its words as they are compared."""
        return frozenset(tokens(self.text))


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text, in order, each exactly as it stands there."""
    found: list[Sentence] = []
    start = 0
    for match in _BREAK.finditer(text):
        if match.group().startswith(".") and _ABBREVIATION.search(text[start : match.start() + 1]):
            continue
        _add(found, text, start, match.end())
        # Parts of an abstract that a database joins with semicolons keep their own full stops.
        start = match.end() + text.startswith(";", match.end())
    _add(found, text, start, len(text))
    return found


def _add(found: list[Sentence], text: str, start: int, end: int) -> None:
    part = text[start:end]
    stripped = part.strip()
    if any(character.isalnum() for character in stripped):
        begin = start + len(part) - len(part.lstrip())
        found.append(Sentence(stripped, begin, begin + len(stripped)))
