"""How well papers are judged without a model: the order, the cut at 0.3, and what a score means.

    python benchmarks/relevance.py [COLLECTION ...] [--most QUESTIONS]

For each `ir_*` collection of `../shared/data` the library is asked, and its first hundred are
judged in a mixed order, so that nothing is won by keeping the library's. For the reviews of
`screen_asreview` every paper is judged. Intents come from IntentParser's algorithm. Figures are
means over questions:

- nDCG@10 of the judged order (average precision for the reviews, whose relevant are many);
- of the relevant, and of all, the share at or above 0.3; and how much of what is there is relevant;
- for each tenth of the scale, the share of papers that are relevant.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import library
import screening

from paper_search.library import Library
from paper_search.models import RawPaper
from paper_search.skills import IntentParser, RelevanceScorer

CUT, DEPTH, TENTHS = 0.3, 100, 10


@dataclass(frozen=True)
class Question:
    """What was asked, what is to be judged, and what of it is relevant."""

    text: str
    papers: list[RawPaper]
    labels: list[bool]


@dataclass(frozen=True)
class Judged:
    """The figures of one question."""

    order: float
    recall: float
    shown: float
    precision: float


def pools(name: str, most: int) -> Iterator[Question]:
    """Yield the questions of a collection with the library's first hundred, mixed."""
    collection = library.read(name)
    chance = random.Random(1)  # noqa: S311  # the same order every time
    with tempfile.TemporaryDirectory() as directory, Library.open(directory) as found:
        found.add(library.papers(collection.documents))
        for identity, text in list(collection.questions.items())[:most]:
            papers = found.search(text, limit=DEPTH).papers
            chance.shuffle(papers)
            ids = [collection.documents[int(str(p.doi).partition("/")[2])]["_id"] for p in papers]
            labels = [key in collection.relevant[identity] for key in ids]
            if any(labels):
                yield Question(text, papers, labels)


def reviews() -> Iterator[tuple[str, Question]]:
    """Yield the reviews by name."""
    for review in screening.reviews(screening.DATA):
        yield review.name, Question(review.question, review.papers, review.labels)


def judged(question: Question, *, is_review: bool, bins: Counter[tuple[int, bool]]) -> Judged:
    """Judge the papers of a question, and count them by score and label in `bins`."""
    intent = asyncio.run(IntentParser(None).parse(question.text))
    found = asyncio.run(RelevanceScorer(None).score(question.papers, intent))
    scores = [judgement.relevance_score for judgement in found]
    bins.update(
        (min(TENTHS - 1, int(score * TENTHS)), label)
        for score, label in zip(scores, question.labels, strict=True)
    )
    ranked = sorted(range(len(scores)), key=lambda number: -scores[number])
    order = [question.labels[number] for number in ranked]
    above = [label for score, label in zip(scores, question.labels, strict=True) if score >= CUT]
    total = sum(question.labels)
    return Judged(
        screening.measures(order)[0] if is_review else gain(order),
        sum(above) / total,
        len(above) / len(order),
        sum(above) / len(above) if above else 0.0,
    )


def gain(order: Sequence[bool]) -> float:
    """Return nDCG@10 of labels in the judged order, beside the best order of the same pool."""
    names = [str(number) for number in range(len(order))]
    return library.gain_of(names, {n for n, label in zip(names, order, strict=True) if label})


def report(name: str, figures: Sequence[Judged], papers: int, spent: float) -> None:
    """Print the row of a collection."""
    rows = [(f.order, f.recall, f.shown, f.precision) for f in figures]
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    cells = " | ".join(f"{mean:.3f}" for mean in means)
    print(f"| {name} | {len(figures)} | {cells} | {1e6 * spent / papers:.0f} |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("collections", nargs="*")
    options.add_argument("--most", type=int, default=10_000, help="questions of a collection")
    given = options.parse_args()
    print("| set | questions | order | of the relevant >= 0.3 | of all | relevant there | us CPU |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    found, read = Counter[tuple[int, bool]](), Counter[tuple[int, bool]]()
    for name in given.collections or library.COLLECTIONS:
        asked = list(pools(name, given.most))
        started = time.process_time()
        figures = [judged(request, is_review=False, bins=found) for request in asked]
        spent = time.process_time() - started
        report(name, figures, sum(len(request.papers) for request in asked), spent)
    for name, review in reviews():
        started = time.process_time()
        figures = [judged(review, is_review=True, bins=read)]
        report(name, figures, len(review.papers), time.process_time() - started)
    print("\n| score | " + " | ".join(f"{n / TENTHS:.1f}" for n in range(TENTHS)) + " |")
    print("|---|" + "--:|" * TENTHS)
    for name, bins in (("first hundred", found), ("reviews", read)):
        shares = [bins[n, True] / max(1, bins[n, True] + bins[n, False]) for n in range(TENTHS)]
        print(f"| {name}: relevant | " + " | ".join(f"{share:.3f}" for share in shares) + " |")


if __name__ == "__main__":
    main()
