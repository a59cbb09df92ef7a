"""What a judge that errs adds to the order of the words, or takes from it.

    python benchmarks/judging.py [COLLECTION ...] [--most QUESTIONS] [--gate] [--stops | --model]

Of the library's first 200 papers of each question, as many as in a search are judged by a simulated
model that is right in 75, 85, 95 or 100 of 100, and all are put into the order of a result. Its
errors fall on all papers alike ("everywhere"), or half as often again on the first 40 and half as
often on the others ("near misses"). Figures: nDCG@10, recall@20, recall@50, means of six draws;
first of all without a judge.
With --gate, the program fails where a figure is more than .02 below that. With --stops: what a
search would save and lose that stops judging after so many irrelevant papers in a row. With
--model: the scores in `judgements.txt`, which has the first hundred papers of twelve questions as a
language model graded them, in groups of twenty, by criteria of its own.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import find
import library

from paper_search.library import Library
from paper_search.models import RawPaper, ScoredPaper
from paper_search.skills.judging.run import MOST_JUDGED
from paper_search.skills.result_ranker import by_grades

COLLECTIONS = ("cacm", "cranfield")
DEPTH, FIRST, DRAWS = 200, 40, 6
ACCURACIES = (0.75, 0.85, 0.95, 1.0)
TOLERANCE = 0.02
"""About two standard errors of a figure, which is a mean over a few hundred draws."""
STOPS = (10, 20, 30, 40)
Figures = tuple[float, float, float]


@dataclass(frozen=True)
class Pool:
    """The papers that a question is answered with, best first, and which of all are relevant."""

    question: str
    papers: list[RawPaper]
    relevant: set[str]


def pools(name: str, most: int | None) -> list[Pool]:
    """Return the questions of a collection with what the library has for them."""
    corpus = find.read(name, most)
    with tempfile.TemporaryDirectory() as directory, Library.open(directory) as records:
        records.add(corpus.papers)
        return [
            Pool(task.question, found, task.relevant)
            for task in corpus.tasks
            if (found := records.search(task.question, limit=DEPTH).papers)
        ]


def figures(pool: Pool, papers: list[RawPaper]) -> Figures:
    """Return nDCG@10, recall@20 and recall@50 of an order."""
    names = [str(paper.doi) for paper in papers]
    shares = [len(pool.relevant & set(names[:depth])) / len(pool.relevant) for depth in (20, 50)]
    return library.gain_of(names, pool.relevant), shares[0], shares[1]


def judged(
    pool: Pool, accuracy: float, seed: int, *, is_near: bool = False, stop: int = MOST_JUDGED
) -> list[ScoredPaper]:
    """Return the papers as a model judges them, whose errors are drawn.

    `stop`: papers in a row that it finds irrelevant, after which it is asked no more.
    """
    chance = random.Random(f"{pool.question} {seed}")  # noqa: S311  # a simulation
    scored: list[ScoredPaper] = []
    irrelevant = 0
    for place, paper in enumerate(pool.papers):
        share = (1.5 if place < FIRST else 0.5) if is_near else 1.0
        is_right = chance.random() >= share * (1 - accuracy)
        score = float((str(paper.doi) in pool.relevant) == is_right)
        is_judged = place < MOST_JUDGED and irrelevant < stop
        if is_judged:
            irrelevant = 0 if score else irrelevant + 1
        verdict = ScoredPaper(paper=paper, relevance_score=score, relevance_reason="drawn")
        scored.append(verdict.model_copy(update={"is_judged": is_judged}))
    return scored


def ordered(scored: list[ScoredPaper]) -> list[RawPaper]:
    return [verdict.paper for verdict in by_grades(scored)]


def stop_rows(found: list[Pool]) -> Iterator[str]:
    """Yield a row for each accuracy and rule: calls, relevant papers not judged, figures."""
    for accuracy in ACCURACIES:
        for stop in (*STOPS, MOST_JUDGED):
            calls = relevant = missed = losing = 0
            rows: list[Figures] = []
            for pool in found:
                for seed in range(DRAWS if accuracy < 1 else 1):
                    scored = judged(pool, accuracy, seed, stop=stop)
                    first = [v for v in scored[:MOST_JUDGED] if str(v.paper.doi) in pool.relevant]
                    lost = sum(not verdict.is_judged for verdict in first)
                    calls += sum(verdict.is_judged for verdict in scored)
                    relevant, missed, losing = (
                        relevant + len(first),
                        missed + lost,
                        losing + bool(lost),
                    )
                    rows.append(figures(pool, ordered(scored)))
            cells = " | ".join(f"{figure:.3f}" for figure in mean(rows))
            yield (
                f"{accuracy:.0%} | {stop} | {calls / len(rows):.0f} | {missed / relevant:.3f}"
                f" | {losing / len(rows):.2f} | {cells}"
            )


def by_model(pool: Pool, scores: dict[str, float]) -> list[ScoredPaper]:
    """Return the papers with the scores that a language model gave them, by DOI."""
    return [
        ScoredPaper(
            paper=paper,
            relevance_score=scores.get(str(paper.doi), 0.0),
            relevance_reason="recorded",
            is_judged=str(paper.doi) in scores,
        )
        for paper in pool.papers
    ]


def model_rows() -> Iterator[str]:
    """Yield the mean figures over all questions without a judge, with the model and a perfect one.

    Last, the order by its scores alone.
    """
    rows: dict[str, list[Figures]] = {}
    every = {name: pools(name, None) for name in (*COLLECTIONS, "lisa")}
    for line in Path(__file__).with_name("judgements.txt").read_text().splitlines():
        (name, number), *groups = (part.split() for part in line.split("|"))
        pool = every[name][int(number)]
        scores = {f"10.5555/{doi}": float(score) for score, *dois in groups for doi in dois}
        scored = by_model(pool, scores)
        alone = sorted(scored, key=lambda v: -v.relevance_score if v.is_judged else 1)
        orders = {
            "none": pool.papers,
            "a language model": ordered(scored),
            "the same, its scores alone": [verdict.paper for verdict in alone],
            "perfect": ordered(judged(pool, 1.0, 0)),
        }
        for label, papers in orders.items():
            rows.setdefault(label, []).append(figures(pool, papers))
    for label, found in rows.items():
        yield f"{label} | {' | '.join(f'{figure:.3f}' for figure in mean(found))}"


def mean(rows: list[Figures]) -> Figures:
    """Return the mean of each figure."""
    first, second, third = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return first, second, third


def curve(found: list[Pool]) -> Iterator[tuple[str, Figures]]:
    """Yield the figures without a judge, and with each judge."""
    yield "none", mean([figures(pool, pool.papers) for pool in found])
    for errors, is_near in (("everywhere", False), ("near misses", True)):
        for accuracy in ACCURACIES:
            rows = [
                figures(pool, ordered(judged(pool, accuracy, seed, is_near=is_near)))
                for pool in found
                for seed in range(DRAWS if accuracy < 1 else 1)
            ]
            yield f"{accuracy:.0%}, errors {errors}", mean(rows)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("collections", nargs="*", default=list(COLLECTIONS))
    options.add_argument("--most", type=int, help="questions of a collection")
    options.add_argument("--gate", action="store_true", help="fail where a judge makes it worse")
    options.add_argument("--model", action="store_true", help="as a language model judged")
    options.add_argument("--stops", action="store_true", help="what a rule to stop would save")
    given = options.parse_args()
    if given.model:
        print("| judge | nDCG@10 | recall@20 | recall@50 |\n|---|--:|--:|--:|")
        for row in model_rows():
            print(f"| {row} |")
        return
    if given.stops:
        print("| collection | judge | stop | calls | relevant, not judged | searches that lose |")
        for name in given.collections:
            for row in stop_rows(pools(name, given.most)):
                print(f"| {name} | {row} |", flush=True)
        return
    print("| collection | judge | nDCG@10 | recall@20 | recall@50 |\n|---|---|---|---|---|")
    is_worse = False
    for name in given.collections:
        rows = list(curve(pools(name, given.most)))
        for label, row in rows:
            cells = " | ".join(f"{figure:.3f}" for figure in row)
            print(f"| {name} | {label} | {cells} |", flush=True)
            pairs = zip(row, rows[0][1], strict=True)
            is_worse |= any(figure < before - TOLERANCE for figure, before in pairs)
    if given.gate and is_worse:
        raise SystemExit("a judge makes a result worse than none")


if __name__ == "__main__":
    main()
