"""Which sentences answer a question, which way, and how many independent studies say the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from paper_search.report.evidence import Evidence, family_names, graded
from paper_search.report.models import Answer, Grade
from paper_search.report.passages import VERBS, Passage, content_stems
from paper_search.report.polarity import denies, direction, groups
from paper_search.skills.words import tokens

Verdict = Literal["yes", "no"]

_YES_NO = re.compile(
    r"^\W*(?:do|does|did|is|are|was|were|can|could|has|have|had|should|will|would|may|might)\b",
    re.IGNORECASE,
)
_AFFIRMING = re.compile(
    r"\b(?:effective|efficacious|superior|beneficial|better|outperform\w*|associat\w+|caus\w+"
    r"|improv\w+|enhanc\w+|prevent\w*|reliev\w+|predict\w*|correlat\w+|benefit\w*|help(?:s|ed)?"
    r"|affect\w*|led to|leads? to|result(?:s|ed)? in|work(?:s|ed)|shorten\w*|risk of|safe"
    r"|achiev\w+|solv\w+|significant\w*)\b",
    re.IGNORECASE,
)
_NEAREST = 3
_SAME = 0.3
"""Share of the shorter sentence's words from which two sentences that go one way say the same."""


def is_yes_no(question: str) -> bool:
    """Whether a question can be answered by yes or no."""
    return _YES_NO.match(question) is not None


def verdict(question: str, sentence: str) -> Verdict | None:
    """Return which way a sentence answers a question of yes or no; None: neither."""
    asked, said = direction(question), direction(sentence)
    if asked and said:
        return "yes" if (asked == said) is not denies(sentence) else "no"
    if denies(sentence):
        return "no"
    has_verb = bool(VERBS & set(tokens(question)) & set(tokens(sentence)))
    return "yes" if has_verb or said or _AFFIRMING.search(sentence) else None


def answering(passages: Sequence[Passage], question: str) -> list[Passage]:
    """Return the passages that answer a question.

    Such a one names every concept that is asked for, at most half of them in its title alone; has
    the aspect that is asked for; says what came out, not how or why it was studied, unless that is
    asked; and says which, if yes or no is asked.
    """
    return [
        passage
        for passage in passages
        if passage.is_answer
        and (not is_yes_no(question) or verdict(question, passage.sentence.text))
    ]


def answer_to(
    index: int | None,
    question: str,
    passages: Sequence[Passage],
    evidence: Evidence,
    fresh: Sequence[Passage],
) -> Answer:
    """Return whether and which way the passages answer a question, and what is nearest if not.

    Args:
        index: number of the sub-question; None: the question itself.
        question: in words.
        passages: that match it, best first.
        evidence: the sources.
        fresh: those of the passages that may be shown as the nearest.
    """
    found = answering(passages, question)
    sides: dict[Verdict, list[str]] = {"yes": [], "no": []}
    if is_yes_no(question):
        for passage in _by_source(found):
            if side := verdict(question, passage.sentence.text):
                sides[side].append(passage.result.result_id)
    nearest = [] if found else _by_source(fresh)[:_NEAREST]
    return Answer(
        question=index,
        is_answered=bool(found),
        is_yes_no=is_yes_no(question),
        yes=independent(sides["yes"], evidence),
        no=independent(sides["no"], evidence),
        nearest=[passage.quote for passage in nearest],
        missing=list(nearest[0].missing) if nearest else [],
    )


def grade_of(passage: Passage, others: Iterable[Passage], evidence: Evidence) -> Grade:
    """Return the grade of a passage by the independent studies that say the same.

    A sentence on design and a title are weak, however many there are of them.
    """
    same = [other.result.result_id for other in others if says_the_same(passage, other)]
    studies = independent([passage.result.result_id, *same], evidence)
    is_weak = passage.part == "title" or passage.is_background
    return graded(len(studies), is_title=is_weak)


def says_the_same(one: Passage, other: Passage) -> bool:
    """Whether two passages say the same: of the same people, the same way, in like words."""
    first, second = one.sentence.text, other.sentence.text
    if other.is_background or denies(first) is not denies(second):
        return False
    if direction(first) * direction(second) < 0 or are_of_other_people(one, other):
        return False
    mine, theirs = set(content_stems(first)), set(content_stems(second))
    return len(mine & theirs) >= _SAME * max(1, min(len(mine), len(theirs)))


def are_of_other_people(one: Passage, other: Passage) -> bool:
    """Whether both passages, or their titles, say of whom they are, and they are different."""
    first = groups(one.sentence.text) or groups(one.result.title)
    second = groups(other.sentence.text) or groups(other.result.title)
    return bool(first and second) and not first & second


def independent(result_ids: Iterable[str], evidence: Evidence) -> list[str]:
    """Return the sources of which no two share an author, the first of each group."""
    kept: list[str] = []
    known: set[str] = set()
    for result_id in dict.fromkeys(result_ids):
        names = family_names(evidence.by_id[result_id])
        if not names & known:
            kept.append(result_id)
            known |= names
    return kept


def _by_source(passages: Iterable[Passage]) -> list[Passage]:
    best: dict[str, Passage] = {}
    for passage in passages:
        best.setdefault(passage.result.result_id, passage)
    return list(best.values())
