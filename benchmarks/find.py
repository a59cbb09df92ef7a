"""The whole search, from the question to the page, and what rounds of marks add to it.

    python benchmarks/find.py [COLLECTION ...] [--most QUESTIONS] [--rounds NUMBER]
                              [--embeddings NAME] [--no-peers]

Real questions go into `find` as a user's run asks them: SearchWorkflow, source `library`, no model.
A simulated person approves every strategy and marks the first ten papers not seen before, as the
labels say. Beside it, in the same run and on the same records: `library search` read down, bm25s
read down, and a feedback learner over the whole collection (TF-IDF of words and pairs, logistic
regression on the marks and a sample of the rest, the order of the library as its prior).

First table: nDCG@10 and recall@100 of the first page, with binary labels; pages without a paper.
Second table: of the relevant (at most 50; 100 for `reviews`), the share found after each ten papers
that were looked at. `reviews` is the seven reviews of `screen_asreview` in one library, ten rounds.

With --embeddings (such as `minilm`), the library is ranked by nearness, too, in both of its rows.

Needs the dependency group `benchmarks`.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import library
import screening

from paper_search.config import AppConfig
from paper_search.library import Library
from paper_search.library.source import library_path
from paper_search.llm.embeddings import create_embedder
from paper_search.models import RawPaper
from paper_search.models.settings import EmbeddingsConfig
from paper_search.workflow import (
    Checkpoint,
    CheckpointKind,
    Decision,
    DecisionAction,
    ResultPayload,
    SearchWorkflow,
)

COLLECTIONS = ("cacm", "lisa", "cranfield", "scholargym_local", "reviews")
MOST = {"cranfield": 60, "scholargym_local": 40}
"""Questions of the larger collections, the first ones."""
PAGE, DEPTH = 10, 100
Order = Sequence[str]
"""Names of papers, best first."""
Learner = Callable[[dict[str, bool]], Order]
"""What a person marked, to the order of everything."""


@dataclass(frozen=True)
class Task:
    """One question and the names of the papers that answer it."""

    question: str
    relevant: set[str]


@dataclass(frozen=True)
class Corpus:
    """Records, each named by a DOI that no other has, and what is asked of them."""

    name: str
    papers: list[RawPaper]
    tasks: list[Task]
    rounds: int
    most_relevant: int


@dataclass
class Figures:
    """What one method reached on one collection."""

    ndcg: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    empty: int = 0
    shown: list[int] = field(default_factory=list)
    found: list[list[float]] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    def first_page(self, order: Order, task: Task) -> None:
        """Add the scores of a first page."""
        names = list(order)
        self.ndcg.append(library.gain_of(names, task.relevant))
        self.recall.append(len(task.relevant & set(names[:DEPTH])) / len(task.relevant))
        self.empty += not names
        self.shown.append(len(names))

    def rounds(self, counts: Sequence[int], task: Task, corpus: Corpus) -> None:
        """Add how many relevant papers were found after each round."""
        whole = min(len(task.relevant), corpus.most_relevant)
        padded = [*counts, *[counts[-1] if counts else 0] * (corpus.rounds - len(counts))]
        self.found.append([min(1.0, count / whole) for count in padded])


def read(name: str, most: int | None = None, rounds: int = 5) -> Corpus:
    """Return a collection by its name, or the reviews in one."""
    if name == "reviews":
        return _reviews()
    given = library.read(name)
    number = {document["_id"]: place for place, document in enumerate(given.documents)}
    tasks = [
        Task(text, {f"10.5555/{number[item]}" for item in given.relevant[key] if item in number})
        for key, text in given.questions.items()
    ]
    tasks = [task for task in tasks if task.relevant][: most or MOST.get(name)]
    return Corpus(name, list(library.papers(given.documents)), tasks, rounds, 50)


def _reviews() -> Corpus:
    papers, tasks = [], []
    for review in screening.reviews(screening.DATA):
        names = [f"10.5555/{review.name}.{n}".lower() for n in range(len(review.papers))]
        papers += [
            paper.model_copy(update={"doi": name, "id": ""})
            for paper, name in zip(review.papers, names, strict=True)
        ]
        relevant = {name for name, label in zip(names, review.labels, strict=True) if label}
        tasks.append(Task(review.question, relevant))
    return Corpus("reviews", papers, tasks, 10, 100)


class Reader:
    """A person who approves every strategy and marks the first unseen papers as the labels say."""

    def __init__(self, task: Task, rounds: int) -> None:
        self._task, self._rounds = task, rounds
        self._seen: set[str] = set()
        self._relevant = 0
        self.first: list[str] = []
        self.counts: list[int] = []

    async def handle(self, checkpoint: Checkpoint) -> Decision:
        """Return the decision on a question."""
        if checkpoint.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            return Decision(action=DecisionAction.APPROVE)
        assert isinstance(checkpoint.payload, ResultPayload)
        papers = checkpoint.payload.collection.papers
        if not self.counts:
            self.first = [str(paper.doi) for paper in papers]
        fresh = [paper for paper in papers if paper.doi not in self._seen][:PAGE]
        self._seen.update(str(paper.doi) for paper in fresh)
        liked = [paper.id for paper in fresh if paper.doi in self._task.relevant]
        self._relevant += len(liked)
        self.counts.append(self._relevant)
        if len(self.counts) == self._rounds:
            return Decision(action=DecisionAction.APPROVE)
        disliked = [paper.id for paper in fresh if paper.id not in liked]
        marks = {"marked_relevant": liked, "marked_irrelevant": disliked}
        return Decision(action=DecisionAction.EDIT, revised_data=marks)


async def _found(corpus: Corpus, config: AppConfig, figures: Figures) -> None:
    for task in corpus.tasks:
        reader = Reader(task, corpus.rounds)
        workflow = SearchWorkflow.from_config(
            config, reader, max_iterations=corpus.rounds, sources=["library"]
        )
        started = time.process_time()
        await workflow.run(task.question)
        figures.cpu_s.append(time.process_time() - started)
        figures.first_page(reader.first, task)
        figures.rounds(reader.counts, task, corpus)


def _read_down(corpus: Corpus, search: Callable[[str], Order]) -> Figures:
    figures = Figures()
    for task in corpus.tasks:
        order = search(task.question)
        figures.first_page(order, task)
        ends = range(PAGE, PAGE * (corpus.rounds + 1), PAGE)
        figures.rounds([len(task.relevant & set(order[:end])) for end in ends], task, corpus)
    return figures


def _by_bm25s(corpus: Corpus) -> Callable[[str], Order]:
    import bm25s  # noqa: PLC0415  # of the benchmark group: only where peers are asked
    import Stemmer  # noqa: PLC0415  # as bm25s

    def tokens(texts: list[str]) -> object:
        return bm25s.tokenize(
            texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False
        )

    index = bm25s.BM25()
    index.index(tokens([_text(paper) for paper in corpus.papers]), show_progress=False)
    names = [str(paper.doi).lower() for paper in corpus.papers]

    def search(question: str) -> Order:
        found, _ = index.retrieve(tokens([question]), k=DEPTH, show_progress=False)
        return [names[row] for row in found[0]]

    return search


def _by_feedback(corpus: Corpus, search: Callable[[str], Order]) -> Figures:
    """Return what the feedback learner finds: facts/end-to-end.md has its recipe."""
    import numpy as np  # noqa: PLC0415  # of the benchmark group
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  # as numpy
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  # as numpy

    names = [str(paper.doi).lower() for paper in corpus.papers]
    row_of = {name: row for row, name in enumerate(names)}
    terms = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2, stop_words="english")
    rows = terms.fit_transform(map(_text, corpus.papers))
    chance = np.random.default_rng(1)
    figures = Figures()
    for task in corpus.tasks:
        prior = np.zeros(len(names))
        for rank, name in enumerate(search(task.question), start=1):
            prior[row_of[name]] = 1 / (20 + rank)
        prior /= prior.max() or 1.0
        marks: dict[int, bool] = {}
        counts = []
        scores = prior
        for _ in range(corpus.rounds):
            fresh = [row for row in np.argsort(-scores, kind="stable") if row not in marks][:PAGE]
            marks.update({int(row): names[row] in task.relevant for row in fresh})
            counts.append(sum(marks.values()))
            if not any(marks.values()):
                continue
            rest = chance.choice(len(names), min(200, len(names)), replace=False)
            examples = [*marks, *map(int, rest)]
            labels = [*marks.values(), *[False] * len(rest)]
            weights = [1.0 if mark else 0.5 for mark in marks.values()] + [0.1] * len(rest)
            model = LogisticRegression(C=10, max_iter=1000)
            model.fit(rows[examples], labels, sample_weight=weights)
            scores = 0.5 * prior + model.predict_proba(rows)[:, 1]
        figures.rounds(counts, task, corpus)
    return figures


def _text(paper: RawPaper) -> str:
    authors = " ".join(author.name for author in paper.authors)
    return "\n".join(filter(None, (paper.title, paper.abstract, authors, paper.venue)))


def measure(corpus: Corpus, *, peers: bool = True, embeddings: str = "") -> dict[str, Figures]:
    """Return the figures of every method on a collection."""
    made = {"find": Figures()}
    with tempfile.TemporaryDirectory() as home:
        config = AppConfig(home=Path(home), embeddings=EmbeddingsConfig(name=embeddings))
        embedder = create_embedder(config.embeddings)
        with Library.open(library_path(config.home), embedder=embedder) as records:
            records.add(corpus.papers)
            if embedder is not None:
                records.embed()

            def search(question: str, limit: int = DEPTH) -> Order:
                return [str(paper.doi) for paper in records.search(question, limit=limit).papers]

            made["library search"] = _read_down(corpus, search)
            if peers:
                made["bm25s"] = _read_down(corpus, _by_bm25s(corpus))
                made["learner"] = _by_feedback(corpus, lambda text: search(text, 1000))
        asyncio.run(_found(corpus, config, made["find"]))
    return made


def _rows(corpus: Corpus, made: dict[str, Figures]) -> Iterator[str]:
    for name, item in made.items():
        cells = [corpus.name, name]
        if item.ndcg:
            shown = _mean(item.shown)
            cells += [f"{_mean(item.ndcg):.3f}", f"{_mean(item.recall):.3f}"]
            cells += [f"{shown:.0f}", str(item.empty)]
        else:
            cells += [""] * 4
        looked_at = [_mean(shares) for shares in zip(*item.found, strict=True)]
        cells.append(" ".join(f"{share:.3f}"[1:] if share < 1 else "1" for share in looked_at))
        cells.append(f"{_mean(item.cpu_s):.2f}" if item.cpu_s else "")
        yield f"| {' | '.join(cells)} |"


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures) if figures else 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("collections", nargs="*", default=list(COLLECTIONS))
    parser.add_argument("--most", type=int, help="questions of each collection")
    parser.add_argument("--rounds", type=int, default=5, help="of a collection (%(default)s)")
    parser.add_argument("--embeddings", default="", help="an embedding model of the library")
    parser.add_argument("--no-peers", action="store_true", help="without bm25s and the learner")
    given = parser.parse_args()
    print("| collection | method | nDCG@10 | recall@100 | shown | empty | found | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for name in given.collections:
        corpus = read(name, given.most, given.rounds)
        for row in _rows(
            corpus, measure(corpus, peers=not given.no_peers, embeddings=given.embeddings)
        ):
            print(row, flush=True)


if __name__ == "__main__":
    main()
