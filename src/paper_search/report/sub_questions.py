"""A question taken apart without a model: along its concepts, and by what any can be asked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from paper_search.models import ParsedIntent

_HEADING_CHARS = 80


@dataclass(frozen=True)
class SubQuestion:
    """One sub-question and the heading of the section that answers it."""

    text: str
    heading: str


def sub_questions(intent: ParsedIntent, count: int) -> list[SubQuestion]:
    """Return so many sub-questions, different ones, that together cover the intent.

    The whole comes first, then what is asked of any subject (methods, results, limits), between
    them every pair of concepts, so that no concept is left out.
    """
    topic = _topic(intent)
    asked = [SubQuestion(f"What do the sources report on {topic}?", f"What is known: {topic}")]
    pairs, aspects = list(_pairs(intent)), list(_aspects(topic))
    for pair, aspect in itertools.zip_longest(pairs, aspects):
        asked += [each for each in (pair, aspect) if each is not None]
    return list({each.text.casefold(): each for each in asked}.values())[:count]


def headings(questions: list[str]) -> list[str]:
    """Return a heading for each question that came without one, in order, all different."""
    named = []
    for number, question in enumerate(questions, 1):
        words = " ".join(question.split()).rstrip("?？. ")
        heading = words if len(words) <= _HEADING_CHARS else words[: _HEADING_CHARS - 1] + "…"
        named.append(heading if heading not in named else f"{heading} ({number})")
    return named


def _topic(intent: ParsedIntent) -> str:
    words = " ".join(intent.topic.split()).rstrip("?？.!, ")
    return words or ", ".join(intent.concepts)


def _pairs(intent: ParsedIntent) -> Iterator[SubQuestion]:
    for one, other in itertools.combinations(intent.concepts, 2):
        yield SubQuestion(
            f"What do the sources say on {one} together with {other}?",
            f"{_capital(one)} and {other}",
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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
