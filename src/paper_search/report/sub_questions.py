"""The parts of a report: a question taken apart along its concepts, and a section for each part."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from paper_search.models import ParsedIntent
from paper_search.report.claims.citations import cited_keys, without_citations
from paper_search.report.models import DraftSection
from paper_search.report.passages import content_stems, without_verbs
from paper_search.report.phrasing import joined, sentence_case

_HEADING_CHARS = 80
_PAIR = 2


@dataclass(frozen=True)
class SubQuestion:
    """One sub-question and the heading of the section that answers it."""

    text: str
    heading: str


def sub_questions(intent: ParsedIntent, count: int) -> list[SubQuestion]:
    """Return so many sub-questions, different ones, that together cover the intent.

    The whole comes first, then what is asked of any subject (methods, results, limits); pairs of
    its concepts come last: what is said of two of three does not answer the whole.
    """
    topic = _topic(intent)
    asked = [SubQuestion(f"What do the sources report on {topic}?", f"What is known: {topic}")]
    asked += [*_aspects(topic), *_pairs(intent)]
    return list({candidate.text.casefold(): candidate for candidate in asked}.values())[:count]


def headings(questions: list[str]) -> list[str]:
    """Return a heading for each question that came without one, in order, all different."""
    named = []
    for number, question in enumerate(questions, 1):
        words = " ".join(question.split()).rstrip("?？. ")
        heading = words if len(words) <= _HEADING_CHARS else words[: _HEADING_CHARS - 1] + "…"
        named.append(heading if heading not in named else f"{heading} ({number})")
    return named


def subjects(intent: ParsedIntent) -> list[str]:
    """Return what a question is about: its concepts without verbs, "A of B" as one.

    A question is no noun: "how do shade trees lower the temperature of streets" is about "shade
    trees" and the "temperature of streets".
    """
    text = " ".join(intent.topic.casefold().split())
    cut = [_whole(part, text) for concept in intent.concepts for part in without_verbs(concept)]
    merged: list[str] = []
    for concept in cut:
        last = merged[-1] if merged else ""
        of = re.search(
            rf"\b{re.escape(last.casefold())} of (?:the )?{re.escape(concept.casefold())}\b", text
        )
        if last and of:
            merged[-1] = f"{last} of {concept}"
        else:
            merged.append(concept)
    return list({concept.casefold(): concept for concept in merged}.values())


def _whole(concept: str, text: str) -> str:
    """Return "side effects" for "side": what is generic elsewhere is half of the name there."""
    found = re.search(rf"\b{re.escape(concept.casefold())} (effects?|events?)\b", text)
    is_half = concept.casefold().rpartition(" ")[2] in {"side", "adverse"}
    return f"{concept} {found.group(1)}" if found and is_half else concept


def _topic(intent: ParsedIntent) -> str:
    named = subjects(intent)
    if named:
        return joined(named)
    return " ".join(intent.topic.split()).rstrip("?？.!, ")


def _pairs(intent: ParsedIntent) -> Iterator[SubQuestion]:
    named = subjects(intent)
    if len(named) == _PAIR:  # that is the whole, which is asked for already
        return
    for one, other in itertools.combinations(named, 2):
        yield SubQuestion(
            f"What do the sources say on {one} together with {other}?",
            f"{sentence_case(one)} and {other}",
        )


def _aspects(topic: str) -> Iterator[SubQuestion]:
    yield SubQuestion(
        f"Which methods and data are used to study {topic}?", "Methods and data in the sources"
    )
    yield SubQuestion(
        f"Which results and effects are reported on {topic}?", "Reported results and effects"
    )
    yield SubQuestion(
        f"Which limitations and open problems are reported on {topic}?",
        "Reported limitations and open problems",
    )
    yield SubQuestion(
        f"What do reviews and comparisons conclude on {topic}?", "Reviews and comparisons"
    )
    yield SubQuestion(
        f"In which applications and settings is {topic} studied?", "Applications and settings"
    )
    yield SubQuestion(f"How did work on {topic} change over the years?", "Change over the years")


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
