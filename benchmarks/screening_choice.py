"""Choose the weights of `screen`'s order by leaving each review out, and print what that gives.

Usage: python benchmarks/screening_choice.py [--starts 1] [--jobs 2] [--limit N]

Every mixture of `MIXTURES` screens every task, with the code that ships: the reviews with the
labels of their final decision and, where they differ, of the decision by abstract, and questions of
the retrieval collections with at least `LEAST` relevant papers among the first thousand that the
library ranks. For each review, the mixture with the best mean over the tasks of *other* groups is
printed with its figures on that review: what a new review can expect. A group is a review or a
collection; the three measures count alike. `--limit` takes so many questions of each collection.

The starts are others than those of `screening.py`. Some minutes of CPU for each mixture and start.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import library
import screening

from paper_search.library import Library
from paper_search.models import RawPaper
from paper_search.skills.screening import Ranker
from paper_search.skills.screening.ranking import Mixture

MIXTURES = [Mixture(margin, prior) for margin in (0.5, 2 / 3, 1.0) for prior in (0.15, 0.25, 0.4)]
COLLECTIONS = ("cacm", "lisa", "cranfield")
LEAST, POOL = 15, 1_000
SEED = 11
Figures = tuple[float, ...]


@dataclass(frozen=True)
class Task:
    """Papers to screen, and the scores that they have before any mark."""

    review: screening.Review
    group: str
    scores: list[float]


def tasks(limit: int) -> Iterator[Task]:
    """Yield the reviews, then the questions of the collections."""
    for review in screening.reviews(screening.DATA):
        scores = screening._judged(review)  # noqa: SLF001  # a part of the same benchmark
        yield Task(review, review.name, scores)
        by_abstract = _decided_by_abstract(review.name)
        if any(by_abstract) and by_abstract != review.labels:
            other = replace(review, name=f"{review.name} by abstract", labels=by_abstract)
            yield Task(other, review.name, scores)
    for name in COLLECTIONS:
        yield from itertools.islice(_questions(name), limit)


def _decided_by_abstract(name: str) -> list[bool]:
    path = next(screening.DATA.glob(f"*{name}.jsonl*"))
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        return [json.loads(line)["abstract_included"] == "1" for line in lines]


def _questions(name: str) -> Iterator[Task]:
    """Yield questions of a collection with what the library ranks first for them."""
    collection = library.read(name)
    with tempfile.TemporaryDirectory() as folder:
        opened = Library.open(Path(folder) / "library")
        opened.add(library.papers(collection.documents))
        for key, question in collection.questions.items():
            found = opened.search(question, limit=POOL).papers
            numbers = [int(str(paper.doi).partition("/")[2]) for paper in found]
            ids = [collection.documents[number]["_id"] for number in numbers]
            labels = [paper_id in collection.relevant[key] for paper_id in ids]
            if sum(labels) >= LEAST:
                papers: list[RawPaper] = list(found)
                review = screening.Review(f"{name} {key}", papers, labels, question)
                yield Task(review, name, [1 / (20 + rank) for rank in range(len(papers))])


def figures(task: Task, mixture: Mixture, count: int) -> Figures:
    """Return the measures of a mixture on a task, in the mean over the starts."""
    ranker = Ranker([(paper.title, paper.abstract) for paper in task.review.papers], mixture)

    def method(marks: dict[int, bool]) -> list[float]:
        places = [0.0] * len(task.scores)
        for place, number in enumerate(ranker.order(marks, task.scores)):
            places[number] = -float(place)
        return places

    relevant = [number for number, label in enumerate(task.review.labels) if label]
    rows = []
    for start in random.Random(SEED).sample(relevant, count):  # noqa: S311  # a simulation
        order, _ = screening.screened(task.review, method, start)
        rows.append(screening.measures([task.review.labels[number] for number in order]))
    return _mean(rows)


def chosen(groups: Sequence[str], rows: Sequence[Sequence[Figures]], left_out: str) -> int:
    """Return the number of the mixture with the best mean over the tasks of other groups."""
    kept = [number for number, group in enumerate(groups) if group != left_out]
    totals = [sum(_mean([row[number] for number in kept])) for row in rows]
    return totals.index(max(totals))


def _mean(rows: Sequence[Figures]) -> Figures:
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))


def _shown(row: Figures) -> str:
    return " | ".join(f"{figure:.3f}" for figure in row)


def _named(mixture: Mixture) -> str:
    return f"margin {mixture.margin:.2f}, prior {mixture.prior:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=5)
    options = parser.parse_args()
    every = list(tasks(options.limit))
    groups = [task.group for task in every]
    reviewed = [n for n, task in enumerate(every) if task.review.name == task.group]
    print("| mixture | all tasks: AP | R@10 % | WSS@95 | reviews: AP | R@10 % | WSS@95 |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    rows: list[list[Figures]] = []
    repeat = itertools.repeat
    with ProcessPoolExecutor(options.jobs) as pool:
        for mixture in MIXTURES:
            rows.append(list(pool.map(figures, every, repeat(mixture), repeat(options.starts))))
            reviews = _mean([rows[-1][number] for number in reviewed])
            print(f"| {_named(mixture)} | {_shown(_mean(rows[-1]))} | {_shown(reviews)} |")
    print("\n| left out | chosen by the others | AP | R@10 % | WSS@95 |\n|---|---|--:|--:|--:|")
    unseen = []
    for number in reviewed:
        best = chosen(groups, rows, groups[number])
        unseen.append(rows[best][number])
        print(f"| {groups[number]} | {_named(MIXTURES[best])} | {_shown(unseen[-1])} |")
    print(f"| **mean** | | {_shown(_mean(unseen))} |")


if __name__ == "__main__":
    main()
