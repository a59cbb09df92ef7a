"""The sub-questions of a plan that no model made, and the sections of a report."""

from __future__ import annotations

from collections.abc import Sequence

from paper_search.models import ParsedIntent
from paper_search.report.claims.citations import cited_keys, without_citations
from paper_search.report.models import DraftSection

_HEADING_CHARS = 80
_ASKED = (
    "What do the sources report on {topic}?",
    "Which methods and data are used to study {topic}?",
    "What results and effects are reported for {topic}?",
    "Which limitations and open problems are named for {topic}?",
    "What do reviews and comparisons conclude on {topic}?",
    "In which applications and settings is {topic} studied?",
    "How did work on {topic} change over the years?",
)


def sub_questions(intent: ParsedIntent, count: int) -> list[str]:
    """Return so many sub-questions: the whole, then what is asked of any subject."""
    topic = " and ".join(intent.concepts) or " ".join(intent.topic.split()).rstrip("?？.!, ")
    return [asked.format(topic=topic) for asked in _ASKED[:count]]


def headings(questions: Sequence[str]) -> list[str]:
    """Return a heading for each question that came without one, in order, all different."""
    named: list[str] = []
    for number, question in enumerate(questions, 1):
        words = " ".join(question.split()).rstrip("?？. ")
        heading = words if len(words) <= _HEADING_CHARS else words[: _HEADING_CHARS - 1] + "…"
        named.append(heading if heading not in named else f"{heading} ({number})")
    return named


def section(number: int, title: str, content: str) -> DraftSection:
    """Return a section with its citations and its words counted."""
    return DraftSection(
        section_id=f"s{number}",
        title=title,
        content=content.strip(),
        citations=cited_keys(content),
        word_count=len(without_citations(content).split()),
    )
