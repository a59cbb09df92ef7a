"""Screening with learning from marks, beside TF-IDF active learning and ASReview, in one run.

    python benchmarks/screening.py [FOLDER] [--starts 3] [--set NAME] [--jobs 2] [--asreview PYTHON]
    python benchmarks/screening.py --speed

Simulation on reviews with human labels: the person knows one relevant paper (drawn by a fixed seed)
and the question; whatever comes first is marked as the reviewers did, until nothing is left. All
learn anew after each of the first 20 marks and then after every 4 % of the papers.

AP: average precision of the order. R@10: share of the relevant that is found when a tenth is
screened. WSS@95: share of the work that is saved against random order when 95 % are found (Cohen et
al. 2006). The known paper counts nowhere. Peers get one random irrelevant paper for free: they
cannot start without.

The peers need scikit-learn; the program itself does not. ASReview needs an older rispy than the
program, so it lives in an environment of its own: --asreview names its interpreter.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import itertools
import json
import math
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paper_search.models import RawPaper
from paper_search.skills import IntentParser, RelevanceScorer
from paper_search.skills.screening import Ranker

DATA = Path(__file__).parents[1] / "../shared/data/screen_asreview"
QUESTIONS = {
    "ADHD": "comparative effectiveness and safety of drugs for attention deficit hyperactivity "
    "disorder",
    "Antihistamines": "comparative effectiveness and safety of newer antihistamines for allergic "
    "rhinitis and urticaria",
    "AtypicalAntipsychotics": "comparative effectiveness and safety of atypical antipsychotics for "
    "schizophrenia, bipolar disorder and dementia",
    "CalciumChannelBlockers": "comparative effectiveness and safety of calcium channel blockers "
    "for hypertension, angina and heart failure",
    "Estrogens": "hormone therapy with estrogens for menopausal symptoms and osteoporosis",
    "Triptans": "comparative effectiveness and safety of triptans for migraine",
    "Kitchenham_2010": "systematic literature reviews in software engineering",
}
"""Written from the names of the reviews, before any record was looked at."""
FIRST, STEP = 20, 0.04
Scores = Sequence[float]
Method = Callable[[dict[int, bool]], Scores]


@dataclass(frozen=True)
class Review:
    """One review: texts, labels, and the question."""

    name: str
    papers: list[RawPaper]
    labels: list[bool]
    question: str


def reviews(folder: Path, wanted: str | None = None) -> Iterator[Review]:
    """Yield the reviews of a folder whose question is known."""
    for path in sorted(folder.glob("*.jsonl*")):
        name = next(
            (question for question in QUESTIONS if path.name.split(".")[0].endswith(question)), None
        )
        if name is None or (wanted is not None and wanted != name):
            continue
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
            rows = [json.loads(line) for line in lines]
        papers = [
            RawPaper(id=row["id"], title=row["title"], abstract=row["abstract"] or None, source="s")
            for row in rows
        ]
        yield Review(name, papers, [row["included"] == "1" for row in rows], QUESTIONS[name])


def measures(found: Sequence[bool]) -> tuple[float, float, float]:
    """Return AP, recall at 10 % and WSS at 95 % of labels in the order of screening."""
    total, hits, precisions, needed = sum(found), 0, [], 0
    for place, is_hit in enumerate(found, start=1):
        if is_hit:
            hits += 1
            precisions.append(hits / place)
            if hits == math.ceil(0.95 * total):
                needed = place
    early = sum(found[: max(1, math.ceil(0.1 * len(found)))])
    return sum(precisions) / total, early / total, (len(found) - needed) / len(found) - 0.05


def screened(review: Review, method: Method, start: int) -> tuple[list[int], float]:
    """Return the order in which a review is screened, and the CPU seconds of one training."""
    marks, order, spent, trained = {start: True}, [], 0.0, 0
    left = [number for number in range(len(review.papers)) if number != start]
    while left:
        began = time.process_time()
        scores = method(marks)
        spent, trained = spent + time.process_time() - began, trained + 1
        count = 1 if len(order) < FIRST else max(1, int(len(review.papers) * STEP))
        left.sort(key=lambda number: -scores[number])
        for number in left[:count]:
            marks[number] = review.labels[number]
            order.append(number)
        left = left[count:]
    return order, spent / trained


def ours(review: Review, _start: int) -> Method:
    """Return the order of `paper-search screen`."""
    scores = _judged(review)
    ranker = Ranker([(paper.title, paper.abstract) for paper in review.papers])

    def method(marks: dict[int, bool]) -> Scores:
        order = ranker.order(marks, scores)
        places = [0.0] * len(order)
        for place, number in enumerate(order):
            places[number] = -float(place)
        return places

    return method


def question_only(review: Review, _start: int) -> Method:
    """Return the order of the verdicts by words, without learning."""
    scores = _judged(review)
    return lambda _marks: scores


def peer(kind: str) -> Callable[[Review, int], Method]:
    """Return TF-IDF active learning with balanced weights and the maximum first, as ASReview's."""

    def make(review: Review, start: int) -> Method:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  # optional
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  # optional
        from sklearn.naive_bayes import MultinomialNB  # noqa: PLC0415  # optional
        from sklearn.svm import LinearSVC  # noqa: PLC0415  # optional

        options: dict[str, Any] = {"stop_words": "english"}
        if kind == "svm":
            options = {"ngram_range": (1, 2), "sublinear_tf": True, "max_df": 0.95}
        texts = [f"{paper.title} {paper.abstract or ''}" for paper in review.papers]
        features = TfidfVectorizer(**options).fit_transform(texts)
        irrelevant = [number for number, label in enumerate(review.labels) if not label]
        given = random.Random(start).choice(irrelevant)  # noqa: S311  # a simulation
        ratio = 9.8 if kind == "svm" else 1.2

        def method(marks: dict[int, bool]) -> Scores:
            known = dict(marks) if not all(marks.values()) else {**marks, given: False}
            wanted = list(known.values())
            light = sum(wanted) / (ratio * (len(wanted) - sum(wanted)))
            weights = [1.0 if item else light for item in wanted]
            scale = len(weights) / sum(weights)
            kinds: dict[str, Callable[[], Any]] = {
                "svm": lambda: LinearSVC(loss="squared_hinge", C=0.11, random_state=0),
                "nb": lambda: MultinomialNB(alpha=3.822),
                "lr": LogisticRegression,
            }
            model = kinds[kind]()
            model.fit(features[list(known)], wanted, [weight * scale for weight in weights])
            if kind == "svm":
                return list(model.decision_function(features))
            return list(model.predict_proba(features)[:, 1])

        return method

    return make


METHODS: dict[str, Callable[[Review, int], Method]] = {
    "question only": question_only,
    "TF-IDF + naive Bayes": peer("nb"),
    "TF-IDF + logistic regression": peer("lr"),
    "TF-IDF + SVM (ELAS u4's settings)": peer("svm"),
    "paper_search": ours,
}

ASREVIEW = """
import json, sys, time, warnings
import pandas as pd
from asreview.learner import ActiveLearningCycle, ActiveLearningCycleData
from asreview.models.models import get_ai_config
from asreview.simulation.simulate import Simulate
warnings.filterwarnings("ignore")
job = json.load(sys.stdin)
frame = pd.DataFrame({"title": job["titles"], "abstract": job["abstracts"]})
orders = []
for start, other in job["starts"]:
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    cycle.n_query = lambda results: 1 if len(results) < job["first"] else min(
        job["count"], len(job["labels"]) - len(results)
    )
    simulation = Simulate(frame, job["labels"], [cycle], stopper=-1, print_progress=False)
    simulation.label([start, other])
    began = time.process_time()
    simulation.review()
    ids = [int(i) for i in simulation._results["record_id"]][2:]
    orders.append([ids, time.process_time() - began])
json.dump(orders, sys.stdout)
"""


def asreview(review: Review, starts: Sequence[int], interpreter: str) -> list[tuple[float, ...]]:
    """Return the measures of ASReview's own simulation with its default model, ELAS u4."""
    irrelevant = [number for number, label in enumerate(review.labels) if not label]
    given = [random.Random(start).choice(irrelevant) for start in starts]  # noqa: S311  # a simulation
    job = {
        "titles": [paper.title for paper in review.papers],
        "abstracts": [paper.abstract or "" for paper in review.papers],
        "labels": [int(label) for label in review.labels],
        "starts": list(zip(starts, given, strict=True)),
        "first": FIRST + 2,
        "count": max(1, int(len(review.papers) * STEP)),
    }
    ended = subprocess.run(  # noqa: S603  # the interpreter that the caller names
        [interpreter, "-c", ASREVIEW],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=True,
    )
    trainings = FIRST + 1 / STEP
    return [
        (*measures([review.labels[number] for number in order]), spent / trainings)
        for order, spent in json.loads(ended.stdout)
    ]


def starts_of(review: Review, count: int) -> list[int]:
    """Return the known papers of the simulations."""
    relevant = [number for number, label in enumerate(review.labels) if label]
    return random.Random(7).sample(relevant, count)  # noqa: S311  # a simulation


@dataclass(frozen=True)
class Compared:
    """What one review gave."""

    review: Review
    rows: dict[str, tuple[float, ...]]
    """Means of the measures over the starts, by method."""


def compared(
    review: Review, methods: Sequence[str], count: int, interpreter: str | None
) -> Compared:
    """Simulate the screening of a review by all methods, from the same starts."""
    starts = starts_of(review, count)
    rows: dict[str, list[tuple[float, ...]]] = {}
    for name in methods:
        make, rows[name] = METHODS[name], []
        for start in starts:
            order, spent = screened(review, make(review, start), start)
            found = [review.labels[number] for number in order]
            rows[name].append((*measures(found), spent))
    if interpreter:
        rows["ASReview 3, ELAS u4"] = asreview(review, starts, interpreter)
    return Compared(review, {name: _mean(values) for name, values in rows.items()})


def compare(
    chosen: Sequence[Review],
    methods: Sequence[str],
    count: int,
    interpreter: str | None,
    jobs: int,
) -> None:
    """Print a row for every review and method, the means, and what the stopping estimate said."""
    with ProcessPoolExecutor(jobs) as pool:
        every = itertools.repeat
        found = list(pool.map(compared, chosen, every(methods), every(count), every(interpreter)))
    print("| review | papers | relevant | method | AP | R@10 % | WSS@95 | CPU ms a training |")
    print("|---|--:|--:|---|--:|--:|--:|--:|")
    for hit in found:
        size = f"{len(hit.review.papers):,} | {sum(hit.review.labels)}"
        for name, mean in hit.rows.items():
            print(f"| {hit.review.name} | {size} | {name} | {_shown(mean)} |")
    for name in found[0].rows:
        print(f"| **mean** | | | {name} | {_shown(_mean([entry.rows[name] for entry in found]))} |")


def judge_speed(folder: Path) -> None:
    """Print the CPU seconds of a training for 5,000 papers, and of what is done once before it."""
    papers = [paper for review in reviews(folder) for paper in review.papers][:5_000]
    labels = [label for review in reviews(folder) for label in review.labels][:5_000]
    began = time.process_time()
    ranker = Ranker([(paper.title, paper.abstract) for paper in papers])
    print(f"{len(papers):,} papers: {time.process_time() - began:.2f} s to read the words, once")
    for count in (2, 10, 100, 500, 1_000, 2_500):
        chosen = random.Random(1).sample(range(len(papers)), count)  # noqa: S311  # a simulation
        began = time.process_time()
        ranker.order({number: labels[number] for number in chosen}, [0.5] * len(papers))
        print(f"{count:5,} marks: {time.process_time() - began:.2f} s")


def _judged(review: Review) -> list[float]:
    async def judge() -> list[float]:
        intent = await IntentParser(None).parse(review.question)
        scored = await RelevanceScorer(None).score(review.papers, intent)
        return [judgement.relevance_score for judgement in scored]

    return asyncio.run(judge())


def _mean(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))


def _shown(row: tuple[float, ...]) -> str:
    return f"{row[0]:.3f} | {row[1]:.3f} | {row[2]:.3f} | {row[3] * 1000:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--set")
    parser.add_argument("--asreview", metavar="PYTHON")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--speed", action="store_true")
    chosen = parser.parse_args()
    if chosen.speed:
        judge_speed(chosen.folder)
        return
    found = list(reviews(chosen.folder, chosen.set))
    compare(found, list(METHODS), chosen.starts, chosen.asreview, chosen.jobs)


if __name__ == "__main__":
    main()
