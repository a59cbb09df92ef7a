"""What a judge that errs adds to the order of the words, or takes from it.

    python benchmarks/judging.py [COLLECTION ...] [--most QUESTIONS] [--gate]

Of the library's first 200 papers of each question, as many as in a search are judged by a simulated
model that is right in 75, 85, 95 or 100 of 100, and all are put into the order of a result. Its
errors fall on all papers alike ("everywhere"), or half as often again on the first 40 and half as
often on the others ("near misses"). Figures: nDCG@10, recall@20, recall@50, means of six draws;
first of all without a judge.
With --gate, the program fails where a figure is more than .02 below that.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

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


def with_judge(pool: Pool, accuracy: float, seed: int, *, is_near: bool) -> Figures:
    """Return the figures of a result that a model judged, whose errors are drawn."""
    chance = random.Random(f"{pool.question} {seed}")  # noqa: S311  # a simulation
    scored = []
    for place, paper in enumerate(pool.papers):
        share = (1.5 if place < FIRST else 0.5) if is_near else 1.0
        is_right = chance.random() >= share * (1 - accuracy)
        score = float((str(paper.doi) in pool.relevant) == is_right)
        verdict = ScoredPaper(paper=paper, relevance_score=score, relevance_reason="drawn")
        scored.append(verdict.model_copy(update={"is_judged": place < MOST_JUDGED}))
    return figures(pool, [verdict.paper for verdict in by_grades(scored)])


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
                with_judge(pool, accuracy, seed, is_near=is_near)
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
    given = options.parse_args()
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
