"""How the papers that a person marked move the scores of the others."""

from __future__ import annotations

from collections.abc import Sequence

from paper_search.models import MarkedPaper, RawPaper
from paper_search.skills.lexical import Verdict
from paper_search.skills.screening import Ranker

RELEVANT_FLOOR, IRRELEVANT_CEILING = 0.95, 0.05
"""Scores of the marked papers themselves."""
_TOLD = 0.01
"""A smaller shift is not worth telling."""


def moved(
    papers: Sequence[RawPaper], found: Sequence[Verdict], marked: Sequence[MarkedPaper]
) -> list[Verdict]:
    """Return the verdicts with the marks taken into account; the latest mark of a paper counts.

    A marked paper gets what the person said. Another one moves towards the kind that a classifier,
    trained on the marked papers, sees in it: by at most 0.2 after the first marks, by more when
    there are many of both kinds (see `paper_search.skills.screening.ranking`).
    """
    if not marked:
        return list(found)
    said = {mark.id: mark.is_relevant for mark in marked}
    # A marked paper that is not among these is learned from by the text that came with the mark.
    texts = [(paper.title, paper.text) for paper in papers]
    marks: dict[int, bool] = {}
    known: set[str] = set()
    for number, paper in enumerate(papers):
        for each in (paper.id, *paper.merged_from):
            if each in said:
                known.add(each)
                marks.setdefault(number, said[each])
    for mark in {each.id: each for each in marked}.values():
        if mark.id not in known:
            marks[len(texts)] = mark.is_relevant
            texts.append((mark.title, mark.abstract))
    lean = Ranker(texts).lean(marks)
    scores = lean.moved([verdict.score for verdict in found])
    return [
        _as_said(verdict, is_relevant=marks[number])
        if number in marks
        else _shifted(verdict, score)
        for number, (verdict, score) in enumerate(zip(found, scores, strict=True))
    ]


def _as_said(verdict: Verdict, *, is_relevant: bool) -> Verdict:
    if is_relevant:
        score, said = max(verdict.score, RELEVANT_FLOOR), "marked relevant by you"
    else:
        score, said = min(verdict.score, IRRELEVANT_CEILING), "marked irrelevant by you"
    return Verdict(score, f"{said}; {verdict.reason}" if verdict.reason else said)


def _shifted(verdict: Verdict, score: float) -> Verdict:
    shift = score - verdict.score
    if abs(shift) < _TOLD:
        return Verdict(score, verdict.reason)
    like = "relevant" if shift > 0 else "irrelevant"
    note = f"resembles papers you marked {like} ({shift:+.2f})"
    return Verdict(score, f"{verdict.reason}; {note}" if verdict.reason else note)
