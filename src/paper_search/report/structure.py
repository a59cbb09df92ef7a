"""The parts of a report: which section answers what, and a section with its counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paper_search.report.citations import cited_keys, without_citations
from paper_search.report.models import DraftSection
from paper_search.report.passages import content_stems
from paper_search.report.sub_questions import headings

Kind = Literal["introduction", "question", "themes", "disagreements", "methods", "nearest"]

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "introduction",
        re.compile(r"^(?:\d+\.?\s*)?(?:introduction|background|scope)", re.IGNORECASE),
    ),
    ("methods", re.compile(r"\b(?:limitations?$|methodology|how this report)", re.IGNORECASE)),
    ("disagreements", re.compile(r"disagree|contradict|\bgaps?\b|open questions", re.IGNORECASE)),
    ("themes", re.compile(r"\bthemes?\b|\bpatterns?\b", re.IGNORECASE)),
)


@dataclass(frozen=True)
class Part:
    """One section to write."""

    title: str
    kind: Kind
    question: int | None = None


def parts_of(sections: Sequence[str], questions: Sequence[str]) -> list[Part]:
    """Return what each expected section is for.

    Sections are named by whoever planned; those that no rule knows take the sub-questions in
    order. A sub-question that is left gets a section of its own before the closing ones.
    """
    waiting = list(range(len(questions)))
    parts: list[Part] = []
    for title in sections:
        kind = next((kind for kind, name in _KINDS if name.search(title)), None)
        if kind is not None and not any(part.kind == kind for part in parts):
            parts.append(Part(title, kind))
        elif waiting:
            parts.append(Part(title, "question", waiting.pop(_nearest(title, questions, waiting))))
    if not any(part.kind == "introduction" for part in parts):
        parts.insert(0, Part("Introduction", "introduction"))
    named = headings([questions[index] for index in waiting])
    extra = [Part(title, "question", index) for title, index in zip(named, waiting, strict=True)]
    closing: dict[Kind, str] = {
        "themes": "Themes across the sources",
        "methods": "Methods and limitations",
    }
    last = [
        Part(name, kind) for kind, name in closing.items() if kind not in {p.kind for p in parts}
    ]
    body = [part for part in parts if part.kind in {"introduction", "question"}]
    ends = [part for part in parts if part.kind not in {"introduction", "question"}]
    return [*body, *extra, *ends, *last]


def section(number: int, title: str, content: str) -> DraftSection:
    """Return a section with its citations and its words counted."""
    return DraftSection(
        section_id=f"s{number}",
        title=title,
        content=content.strip(),
        citations=cited_keys(content),
        word_count=len(without_citations(content).split()),
    )


def _nearest(title: str, questions: Sequence[str], waiting: Sequence[int]) -> int:
    """Return which of the waiting questions a title is closest to; the first, if none is."""
    stems = set(content_stems(title))
    shared = [len(stems & set(content_stems(questions[index]))) for index in waiting]
    return 0 if len(set(shared)) == 1 else shared.index(max(shared))
