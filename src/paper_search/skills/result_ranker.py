"""Orders a result: fuses the ranks of all sources with likeness to the best papers."""

import bisect
import functools
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence

from paper_search.models import MarkedPaper, RawPaper, ScoredPaper
from paper_search.skills.screening import Ranker

FUSION = 60
"""Added to ranks that are fused by their reciprocals (Cormack, Clarke and Büttcher 2009)."""
LEARNING = 20
"""Added to ranks that are a prior beside what is learned: the first ones count for more there."""
RESEMBLANCE = 0.15
"""Weight of likeness to the question and to the first papers before anything is marked; ranks have
the rest. With more, one collection of five fell .02 below its own order (decision 0015)."""
BY_MEANING = 20
"""Papers whose order by vectors is kept; below them, words order, too (decision 0019)."""
FIRST = 5
"""Papers that stand in for marked ones until there are some."""

Asked = Collection[tuple[str, str]]
"""Source and query of what was asked in this round."""
Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""How near in meaning titles are to a question; empty: that cannot be said."""
COMPARED = 100
"""Papers of several sources whose titles are compared with the question."""


class ResultRanker:
    """Orders papers by rank, agreement of sources, words and, once there are some, marks.

    `likeness` compares titles with the question where several sources answered.
    """

    def __init__(self, likeness: Likeness | None = None) -> None:
        self._likeness = likeness

    def order(
        self,
        papers: Sequence[ScoredPaper],
        marked: Sequence[MarkedPaper] = (),
        *,
        asked: Asked = (),
        question: str = "",
    ) -> list[ScoredPaper]:
        """Return the papers, best first, those marked relevant before and irrelevant after all.

        `marked`: what a person decided so far, in all rounds. `asked`: only the ranks for these
        count; empty: all do. What resembles the question, in plain words, comes first where several
        sources answered.
        """
        if not papers:
            return []
        decided = _decisions([paper.paper for paper in papers], marked)
        learner = _Learner(papers, marked, decided, question) if len(papers) > FIRST else None
        likeness = functools.partial(self._likeness, question) if self._likeness else None
        numbers = by_rank = _by_rank(papers, asked, learner, likeness if question else None)
        is_by_meaning = not marked and _is_by_meaning(papers, asked)
        if learner is not None:
            first = by_rank[:BY_MEANING] if is_by_meaning else []
            numbers = [*first, *(n for n in learner.order(by_rank) if n not in first)]
        return [papers[n] for n in _marks_first(numbers, decided)]


def by_grades(
    papers: Sequence[ScoredPaper], marked: Sequence[MarkedPaper] = ()
) -> list[ScoredPaper]:
    """Return papers by their place in the order without a judge and in that of the judge.

    By Zipf's law the odds of a paper at place n are those of the first one divided by n; those of
    both orders are multiplied. A paper's place by the judge is how many papers it grades as high or
    higher, so a judge that finds nearly all of them relevant says little, and one that finds few
    says much: its accuracy need not be known. A paper without a judgement keeps its place among the
    others: it gets the mean of their places by the judge. `marked`: what a person decided so far.
    """
    grades = sorted(paper.relevance_score for paper in papers if paper.is_judged)
    by_judge = {
        number: len(grades) - bisect.bisect_left(grades, paper.relevance_score)
        for number, paper in enumerate(papers)
        if paper.is_judged
    }
    unknown = statistics.geometric_mean(by_judge.values()) if by_judge else 1.0
    places = [(number + 1) * by_judge.get(number, unknown) for number in range(len(papers))]
    numbers = sorted(range(len(papers)), key=places.__getitem__)
    decided = _decisions([paper.paper for paper in papers], marked)
    return [papers[number] for number in _marks_first(numbers, decided)]


def _marks_first(numbers: Sequence[int], decided: Mapping[int, bool]) -> list[int]:
    """Return the numbers, those marked relevant before all others, those marked irrelevant last."""
    places = {True: 0, None: 1, False: 2}
    return sorted(numbers, key=lambda number: places[decided.get(number)])


class _Learner:
    """Orders papers by likeness to the question, to the first of them, or to marked ones."""

    def __init__(
        self,
        papers: Sequence[ScoredPaper],
        marked: Sequence[MarkedPaper],
        decided: Mapping[int, bool],
        question: str,
    ) -> None:
        self._unmarked = [0.0] * len(papers)
        texts: list[tuple[str, str | None]] = [(p.paper.title, p.paper.text) for p in papers]
        self._marks = dict(decided)
        ids = {name for paper in papers for name in (paper.paper.id, *paper.paper.merged_from)}
        for mark in marked:
            if mark.id not in ids:  # learned from by the text that came with the mark
                self._marks[len(texts)] = mark.is_relevant
                texts.append((mark.title, mark.abstract))
        self._question = {len(texts): True} if question else {}
        self._ranker = Ranker([*texts, (question, None)] if question else texts)

    def by_question(self) -> list[int]:
        return self._ranker.order(self._question, self._unmarked) if self._question else []

    def order(self, by_rank: Sequence[int]) -> list[int]:
        """Return the numbers of the papers as the marks say, in doubt as `by_rank` does.

        Without a mark the question and the first papers stand in for relevant ones, and count a
        little.
        """
        if self._marks:
            return self._ranker.order(self._marks, _reciprocal(by_rank, LEARNING))
        stand_ins = dict.fromkeys(by_rank[:FIRST], True) | self._question
        by_place = _reciprocal(by_rank, FUSION)
        alike = _reciprocal(self._ranker.order(stand_ins, self._unmarked), FUSION)
        fused = [
            (1 - RESEMBLANCE) * rank + RESEMBLANCE * resemblance
            for rank, resemblance in zip(by_place, alike, strict=True)
        ]
        return sorted(by_rank, key=lambda number: -fused[number])


def _by_rank(
    papers: Sequence[ScoredPaper],
    asked: Asked,
    learner: _Learner | None,
    likeness: Callable[[Sequence[str]], Sequence[float]] | None,
) -> list[int]:
    """Return the numbers of the papers by the ranks that sources gave them.

    The order of a single source is kept: it saw everything. Ranks of different services say nothing
    about each other: several are fused, and their order with the order by words, the order by
    likeness to the question and, for the first of them, the order by the meaning of titles, each by
    reciprocal ranks and all alike.
    """
    ranks = [_best_ranks(paper.paper, asked) for paper in papers]
    scores = [paper.relevance_score for paper in papers]
    fused = [sum(1.0 / (FUSION + rank) for rank in best.values()) for best in ranks]
    every = range(len(papers))
    by_rank = sorted(every, key=lambda n: (-fused[n], -scores[n], n))
    if len({source for best in ranks for source in best}) < 2:  # noqa: PLR2004  # a single one
        return by_rank
    by_words = sorted(every, key=lambda n: (-scores[n], -fused[n], n))
    by_question = learner.by_question() if learner is not None else []
    votes = [_reciprocal(order, FUSION) for order in (by_rank, by_words, by_question) if order]
    totals = [sum(counts) for counts in zip(*votes, strict=True)]
    order = sorted(by_rank, key=lambda n: -totals[n])
    first = order[:COMPARED]
    alike = likeness([papers[n].paper.title for n in first]) if likeness is not None else ()
    if not alike:
        return order
    places = sorted(range(len(first)), key=lambda place: -alike[place])
    for n, count in zip(first, _reciprocal(places, FUSION), strict=True):
        totals[n] += count
    return [*sorted(first, key=lambda n: -totals[n]), *order[COMPARED:]]


def _is_by_meaning(papers: Sequence[ScoredPaper], asked: Asked) -> bool:
    """Return whether vectors had a part in all ranks."""
    sightings = [sighting for paper in papers for sighting in paper.paper.sightings]
    ranked = [one for one in sightings if not asked or (one.source, one.query) in asked]
    return bool(ranked) and all(one.by_meaning for one in ranked)


def _best_ranks(paper: RawPaper, asked: Asked) -> dict[str, int]:
    best: dict[str, int] = {}
    for sighting in paper.sightings:
        if sighting.rank is None or (asked and (sighting.source, sighting.query) not in asked):
            continue
        best[sighting.source] = min(sighting.rank, best.get(sighting.source, sighting.rank))
    return best


def _decisions(papers: Sequence[RawPaper], marked: Sequence[MarkedPaper]) -> dict[int, bool]:
    """Return by number of the paper whether it was marked relevant; the latest mark counts."""
    marks = {mark.id: mark.is_relevant for mark in marked}
    return {
        number: marks[name]
        for number, paper in enumerate(papers)
        for name in (*paper.merged_from, paper.id)
        if name in marks
    }


def _reciprocal(order: Sequence[int], offset: int) -> list[float]:
    """Return by number what its place in an order of all numbers counts."""
    counts = [0.0] * len(order)
    for place, number in enumerate(order, start=1):
        counts[number] = 1.0 / (offset + place)
    return counts
