"""Scores from a person's labels, which override the words."""

from __future__ import annotations

from collections.abc import Sequence

from paper_search.models import MarkedPaper, RawPaper
from paper_search.skills.lexical import Verdict

RELEVANT_FLOOR, IRRELEVANT_CEILING = 0.95, 0.05
"""Scores of the marked papers."""


def with_marks(
    papers: Sequence[RawPaper], found: Sequence[Verdict], marked: Sequence[MarkedPaper]
) -> list[Verdict]:
    """Return the verdicts, those of marked papers as the person said; the latest mark counts.

    A mark changes no other paper's score: what resembles it is moved in the order of the result.
    """
    marks = {mark.id: mark.is_relevant for mark in marked}
    return [
        next(
            (
                _as_marked(verdict, is_relevant=marks[name])
                for name in (paper.id, *paper.merged_from)
                if name in marks
            ),
            verdict,
        )
        for paper, verdict in zip(papers, found, strict=True)
    ]


def _as_marked(verdict: Verdict, *, is_relevant: bool) -> Verdict:
    if is_relevant:
        score, note = max(verdict.score, RELEVANT_FLOOR), "marked relevant by you"
    else:
        score, note = min(verdict.score, IRRELEVANT_CEILING), "marked irrelevant by you"
    return Verdict(score, f"{note}; {verdict.reason}" if verdict.reason else note)
