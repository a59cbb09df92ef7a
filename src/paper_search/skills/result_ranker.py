"""Orders a result by the ranks of all sources and by similarity to the best papers."""

import bisect
import functools
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence

from paper_search.models import MarkedPaper, RawPaper, ScoredPaper
from paper_search.skills.screening import Ranker

FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""
LEARNING = 20
"""The same for ranks that are a prior for learning, where the first ones count more."""
RESEMBLANCE = 0.15
"""Weight, before anything is marked, of similarity to the question and the first papers; ranks have
the rest. With more, one collection of five fell .02 below its own order (decision 0015)."""
BY_MEANING = 20
"""Papers at the top whose order by vectors is kept (decision 0019)."""
FIRST = 5
"""Papers that replace marked ones until there are some."""

Asked = Collection[tuple[str, str]]
Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""Semantic similarity of titles to a question; empty if it is not available."""
COMPARED = 100
"""Papers whose titles are compared with the question if several sources answered."""


class ResultRanker:
    """Orders papers by rank, agreement of sources, words and, once there are some, marks."""

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
        """Return the papers, best first; those marked relevant lead, irrelevant ones come last.

        Only ranks for `asked`, if given, count. If several sources answered, similarity to
        `question` counts, too.
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
    """Combine the order of the papers with the order of a judge's grades.

    By Zipf's law, the odds that the paper at place n is relevant are those of the first divided by
    n; the odds of both orders are multiplied. A paper's place by the judge is the number of papers
    with the same grade or a higher one, so a judge who finds nearly all papers relevant has little
    influence. A paper without a judgement gets the mean of the others' places by the judge.
    `marked` are a person's decisions so far.
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
    places = {True: 0, None: 1, False: 2}
    return sorted(numbers, key=lambda number: places[decided.get(number)])


class _Learner:
    """Orders papers by similarity to the question, to the first papers, or to marked ones."""

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
            if mark.id not in ids:  # learn from the text that came with the mark
                self._marks[len(texts)] = mark.is_relevant
                texts.append((mark.title, mark.abstract))
        self._question = {len(texts): True} if question else {}
        self._ranker = Ranker([*texts, (question, None)] if question else texts)

    def by_question(self) -> list[int]:
        return self._ranker.order(self._question, self._unmarked) if self._question else []

    def order(self, by_rank: Sequence[int]) -> list[int]:
        """Order the papers by the marks and, with less weight, by rank.

        Without marks, similarity to the question and to the first papers counts a little.
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
    """Order the papers by the ranks of the sources.

    The order of a single source is kept, since it has seen all papers. Ranks of different services
    are not comparable. Reciprocal rank fusion combines them, and then, with equal weights, their
    order, the order by words, the order by similarity to the question and, for the first papers,
    the order by semantic similarity of titles.
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
    """Return whether papers were marked relevant, by number; the latest mark counts."""
    marks = {mark.id: mark.is_relevant for mark in marked}
    return {
        number: marks[name]
        for number, paper in enumerate(papers)
        for name in (*paper.merged_from, paper.id)
        if name in marks
    }


def _reciprocal(order: Sequence[int], offset: int) -> list[float]:
    counts = [0.0] * len(order)
    for place, number in enumerate(order, start=1):
        counts[number] = 1.0 / (offset + place)
    return counts
