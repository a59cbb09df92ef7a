"""How often the stopping estimate holds, and what stopping by it costs.

    python -m benchmarks.stopping [--starts 3]

Screenings are simulated on data that the estimate was not made with: seven labelled reviews in the
order of `paper-search screen`, the same reviews in random order, and questions of three test
collections, whose first 300 papers of the library are screened in its order as learned from every
tenth label. At twelve moments of each (2 to 90 % screened) the interval that is shown, 0 to
`at_most`, is compared with the relevant papers among the rest.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import library
from benchmarks.screening import DATA, ours, reviews, screened, starts_of

from paper_search.library.corpus import Library
from paper_search.skills.screening import Ranker, stopping_estimate

SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
COLLECTIONS = ("cacm", "lisa", "cranfield")
DEPTH, BATCH, QUESTIONS = 300, 10, 25
Order = list[bool]
"""Labels in the order of screening."""


def review_orders(starts: int) -> Iterator[tuple[str, Order]]:
    """Yield the orders of the reviews, ours and random ones."""
    chance = random.Random(11)  # noqa: S311  # a simulation
    for review in reviews(DATA):
        for start in starts_of(review, starts):
            order, _ = screened(review, ours(review, start), start)
            yield "reviews, our order", [review.labels[number] for number in order]
            labels = list(review.labels)
            chance.shuffle(labels)
            yield "reviews, random order", labels


def topic_orders() -> Iterator[tuple[str, Order]]:
    """Yield the orders of questions of which something relevant is among the first papers."""
    for name in COLLECTIONS:
        collection = library.read(name)
        ids = [document["_id"] for document in collection.documents]
        with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder)) as corpus:
            corpus.add(library.papers(collection.documents))
            for key in list(collection.questions)[:QUESTIONS]:
                papers = corpus.search(collection.questions[key], limit=DEPTH).papers
                places = [int(str(paper.doi).partition("/")[2]) for paper in papers]
                labels = [ids[place] in collection.relevant[key] for place in places]
                ranker = Ranker([(paper.title, paper.abstract) for paper in papers])
                if any(labels):
                    yield f"topics, {name}", _learned(ranker, labels)


def _learned(ranker: Ranker, labels: Sequence[bool]) -> Order:
    scores = [1 / (20 + rank) for rank in range(len(labels))]
    marks: dict[int, bool] = {}
    while len(marks) < len(labels):
        queue = [n for n in ranker.order(marks, scores) if n not in marks]
        marks |= {number: labels[number] for number in queue[:BATCH]}
    return list(marks.values())


def holds(order: Order) -> list[bool]:
    """Return at each moment whether the interval holds the truth."""
    moments = [max(5, int(len(order) * share)) for share in SHARES]
    return [sum(order[n:]) <= stopping_estimate(order[:n], len(order) - n).at_most for n in moments]


def stop(order: Order) -> tuple[float, float]:
    """Return the work done and the recall reached when the estimate first advises to stop."""
    places = range(10, len(order), max(1, len(order) // 80))
    rule = (n for n in places if stopping_estimate(order[:n], len(order) - n).is_enough)
    end = next(rule, len(order))
    return end / len(order), sum(order[:end]) / sum(order)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=3)
    orders: dict[str, list[Order]] = defaultdict(list)
    for name, order in (*review_orders(parser.parse_args().starts), *topic_orders()):
        orders[name].append(order)
    print("| order | screenings | holds | least of a moment | stops at | recall | least |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, kind in orders.items():
        moments = [sum(column) / len(kind) for column in zip(*map(holds, kind), strict=True)]
        cells = [f"{sum(moments) / len(moments):.1%}", f"{min(moments):.1%}"]
        work, recalls = zip(*map(stop, kind), strict=True)
        cells += [f"{sum(work) / len(kind):.0%}", f"{sum(recalls) / len(kind):.3f}"]
        cells.append(f"{min(recalls):.2f}")
        print(f"| {name} | {len(kind)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
