"""What a person asked for in a review, as far as rules can carry it out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from paper_search.report.evidence import Evidence
from paper_search.report.models import Critique, CritiqueItem, Finding
from paper_search.report.passages import Passage, PassageFinder, by_source, content_stems
from paper_search.skills.intent.phrases import key_phrases

_WITHOUT = re.compile(
    r"\b(?:without|remove|leave out|drop|omit|delete|exclude|not? mention)\s+(?:the\s+)?([^.;,]+)",
    re.IGNORECASE,
)
_SHORTER = re.compile(r"\b(?:shorter|shorten|too long|cut|concise|longer than)\b", re.IGNORECASE)
_SHORTER_SHARE = 0.6
_PASSAGES = 4


@dataclass(frozen=True)
class Requests:
    """The items of a critique that change how a draft is put together."""

    items: tuple[CritiqueItem, ...] = ()

    @classmethod
    def of(cls, critique: Critique | None) -> Requests:
        """Return what a critique asks for; without one, nothing."""
        return cls(tuple(critique.items) if critique else ())

    @cached_property
    def wishes(self) -> list[str]:
        """Return the subjects that a person wants to read of, in their words."""
        return list(dict.fromkeys(filter(None, map(_wish, self._by_person))))

    def target(self, length: int) -> float:
        """Return the words to write, fewer where that was asked for."""
        is_shorter = any(_SHORTER.search(item.description) for item in self.items)
        return length * _SHORTER_SHARE if is_shorter else length

    def is_unwanted(self, finding: Finding, evidence: Evidence) -> bool:
        """Whether a finding is about what a person wants left out."""
        titles = " ".join(evidence.by_id[source].title for source in finding.sources)
        return self.is_unwanted_text(f"{finding.text} {titles}")

    def is_unwanted_text(self, text: str) -> bool:
        """Whether a text is about what a person wants left out."""
        stems = set(content_stems(text)) if self._unwanted else set()
        return any(wish <= stems for wish in self._unwanted)

    def is_preferred(self, text: str) -> bool:
        """Whether a text is about what a person wants to read."""
        stems = set(content_stems(text))
        return any(set(content_stems(wish)) & stems for wish in self.wishes)

    def passages(self, wish: str, evidence: Evidence) -> list[Passage]:
        """Return the best passages on a wish, each of another source."""
        return by_source(PassageFinder(evidence).passages(wish))[:_PASSAGES]

    def answers(self) -> list[str]:
        """Return for each item what was done, or why nothing could be."""
        return [f"{item.critique_id}: {self._answer(item)}" for item in self.items]

    def _answer(self, item: CritiqueItem) -> str:
        done: list[str] = []
        if _SHORTER.search(item.description):
            done.append("fewer findings a section")
        if item.found_by == "person":
            if _WITHOUT.search(item.description):
                done.append("left out the findings that are about it")
            if wish := _wish(item):
                done.append(f"added a section on {wish}")
        if done:
            return "; ".join(done)
        return f"not mended: without a language model this cannot be rewritten ({item.description})"

    @property
    def _by_person(self) -> Sequence[CritiqueItem]:
        return [item for item in self.items if item.found_by == "person"]

    @cached_property
    def _unwanted(self) -> list[set[str]]:
        named = [
            set(content_stems(match.group(1)))
            for item in self._by_person
            for match in _WITHOUT.finditer(item.description)
        ]
        return [words for words in named if words]


def _wish(item: CritiqueItem) -> str:
    """Return what a person wants to read of; empty: nothing in particular."""
    rest = _SHORTER.sub(" ", _WITHOUT.sub(" ", item.description))
    return ", ".join(name for name in key_phrases(rest) if content_stems(name))
