"""Compare the library with vectors with the usual hybrids of the same model on the same texts.

Usage: python benchmarks/library_vectors.py MODEL [--cache DIRECTORY] [COLLECTION ...]

MODEL is named as in PAPER_SEARCH_EMBEDDINGS, `minilm` for one. Vectors are made once and kept in
the directory, if one is given. Each collection is ranked by the library with and without vectors,
by bm25s, by nearness alone, and by both: reciprocal ranks added (rrf, k = 60), and scores of the
first 1,000 brought to 0..1 and added (sum). Figures: nDCG@10 and recall@100, ms of CPU a query
without making its vector. Then a person looks at ten papers at a time and marks them by the
judgements: the share of the relevant (of 50 at most) after each ten, with and without asking again
with the marks, for the first 60 questions. Needs the dependency group `benchmarks`.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from library import Collection, gain_of, papers, read
from typing_extensions import override

from paper_search.library import Embedder, Library
from paper_search.library.embedded import embedded_text
from paper_search.llm.embeddings import create_embedder
from paper_search.models import UserFeedback
from paper_search.models.settings import EmbeddingsConfig

DEPTH = 1_000
SHOWN = 100
ROUNDS, LOOKED_AT, ASKED_IN_ROUNDS = 5, 10, 60
_K = 60
Search = Callable[[str], list[int]]


class Kept(Embeddings):
    """A model whose answers are kept on disk, and that is not loaded for those it gave."""

    def __init__(self, name: str, directory: Path) -> None:
        self.model = name
        self._loaded: Embedder | None = None
        self._file = directory / f"{hashlib.blake2b(name.encode(), digest_size=6).hexdigest()}.npz"
        self._known: dict[str, Any] = {}
        if self._file.exists():
            with np.load(self._file) as kept:
                self._known = dict(zip(kept["names"].tolist(), kept["vectors"], strict=True))

    def save(self) -> None:
        """Write down what was answered so far."""
        names = np.array(list(self._known))
        np.savez(self._file, names=names, vectors=np.array(list(self._known.values())))

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        names = [hashlib.blake2b(text.encode(), digest_size=12).hexdigest() for text in texts]
        new = {
            name: text for name, text in zip(names, texts, strict=True) if name not in self._known
        }
        if new:
            made = self._model().documents(list(new.values()))
            self._known |= dict(zip(new, made, strict=True))
        return [self._known[name].tolist() for name in names]

    @override
    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _model(self) -> Embedder:
        if self._loaded is None:
            self._loaded = create_embedder(EmbeddingsConfig(name=self.model, timeout_s=3_600))
        assert self._loaded is not None
        return self._loaded


def opened(collection: Collection, path: Path, embedder: Embedder | None) -> Library:
    library = Library.open(path, embedder=embedder)
    library.add(papers(collection.documents))
    if embedder is not None:
        library.embed()
    return library


def ours(library: Library) -> Search:
    def search(question: str) -> list[int]:
        found = library.search(question, limit=SHOWN)
        assert found.note is None
        return [int(str(paper.doi).partition("/")[2]) for paper in found.papers]

    return search


def lexical(collection: Collection) -> Callable[[str], dict[int, float]]:
    import bm25s  # noqa: PLC0415  # only when it is measured
    import Stemmer  # noqa: PLC0415  # as above
    from library import text_of  # noqa: PLC0415  # as above

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    model = bm25s.BM25()
    model.index(
        tokens([text_of(document) for document in collection.documents]), show_progress=False
    )
    size = min(DEPTH, len(collection.documents))

    def scores(question: str) -> dict[int, float]:
        asked = tokens([question])
        if not asked.vocab:
            return {}
        found, values = model.retrieve(asked, k=size, show_progress=False)
        pairs = zip(found[0].tolist(), values[0].tolist(), strict=True)
        return {number: score for number, score in pairs if score > 0}

    return scores


def dense(collection: Collection, embedder: Embedder) -> Callable[[str], dict[int, float]]:
    texts = [
        embedded_text({"title": paper.title, "abstract": paper.abstract})
        for paper in papers(collection.documents)
    ]
    table = np.concatenate(
        [embedder.documents(texts[n : n + 512]) for n in range(0, len(texts), 512)]
    )

    def scores(question: str) -> dict[int, float]:
        cosines = table @ embedder.query(question)
        best = np.argsort(-cosines, kind="stable")[:DEPTH]
        return dict(zip(best.tolist(), cosines[best].tolist(), strict=True))

    return scores


def by_rank(first: dict[int, float], second: dict[int, float]) -> dict[int, float]:
    made: dict[int, float] = {}
    for scores in (first, second):
        for place, number in enumerate(_ranked(scores), start=1):
            made[number] = made.get(number, 0.0) + 1 / (_K + place)
    return made


def by_score(first: dict[int, float], second: dict[int, float]) -> dict[int, float]:
    made: dict[int, float] = {}
    for scores in (first, second):
        least, most = min(scores.values(), default=0.0), max(scores.values(), default=1.0)
        for number, score in scores.items():
            made[number] = made.get(number, 0.0) + (score - least) / ((most - least) or 1.0)
    return made


def _ranked(scores: dict[int, float]) -> list[int]:
    return sorted(scores, key=lambda number: (-scores[number], number))


def engines(
    collection: Collection, libraries: dict[str, Library], embedder: Embedder
) -> dict[str, Search]:
    words, near = lexical(collection), dense(collection, embedder)
    return {name: ours(library) for name, library in libraries.items()} | {
        "bm25s": lambda question: _ranked(words(question))[:SHOWN],
        "vectors alone": lambda question: _ranked(near(question))[:SHOWN],
        "bm25s + vectors, rrf": lambda question: _ranked(by_rank(words(question), near(question))),
        "bm25s + vectors, sum": lambda question: _ranked(by_score(words(question), near(question))),
    }


def measure(collection: Collection, search: Search) -> tuple[float, float, float]:
    """Return nDCG@10, recall@100 and the median of ms a query."""
    gains, recalls, times = [], [], []
    for question, text in collection.questions.items():
        started = time.process_time()
        numbers = search(text)
        times.append((time.process_time() - started) * 1000)
        found = list(dict.fromkeys(collection.documents[n]["_id"] for n in numbers[:SHOWN]))
        relevant = collection.relevant[question]
        gains.append(gain_of(found, relevant))
        recalls.append(len(relevant & set(found)) / len(relevant))
    middle = sorted(times)[len(times) // 2]
    return sum(gains) / len(gains), sum(recalls) / len(recalls), middle


def found_in_rounds(
    collection: Collection, library: Library, *, is_asked_again: bool
) -> list[float]:
    """Return the mean share of the relevant that a person has seen after each round."""
    shares = [0.0] * ROUNDS
    questions = dict(islice(collection.questions.items(), ASKED_IN_ROUNDS))
    for question, text in questions.items():
        relevant = collection.relevant[question]
        feedback, seen = UserFeedback(), 0
        hits = library.search(text, limit=SHOWN)
        for place in range(ROUNDS):
            looked_at = {*feedback.marked_relevant, *feedback.marked_irrelevant}
            if is_asked_again and place:
                hits = library.search(text, limit=SHOWN, feedback=feedback)
            unseen = [paper for paper in hits.papers if paper.id not in looked_at]
            for paper in unseen[:LOOKED_AT]:
                number = int(str(paper.doi).partition("/")[2])
                is_relevant = collection.documents[number]["_id"] in relevant
                seen += is_relevant
                name = "marked_relevant" if is_relevant else "marked_irrelevant"
                getattr(feedback, name).append(paper.id)
            most = min(ROUNDS * LOOKED_AT, len(relevant))
            shares[place] += seen / most / len(questions)
    return shares


def print_rounds(collection: Collection, libraries: dict[str, Library]) -> None:
    for name, library in libraries.items():
        for is_asked_again in (False, True) if "vectors" in name else (False,):
            shares = found_in_rounds(collection, library, is_asked_again=is_asked_again)
            how = f"{name}, asked again with the marks" if is_asked_again else f"{name}, read down"
            figures = " ".join(f"{share:.3f}" for share in shares)
            print(f"| {collection.name} | {how} | {figures} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embeddings", metavar="MODEL")
    parser.add_argument("collections", nargs="*", default=["cranfield", "cacm", "lisa"])
    parser.add_argument("--cache", type=Path)
    given = parser.parse_intermixed_args()
    means: dict[str, list[tuple[float, float, float]]] = {}
    print("| collection | engine | nDCG@10 | recall@100 | query, CPU ms |\n|---|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as temporary:
        cache = given.cache or Path(temporary)
        cache.mkdir(parents=True, exist_ok=True)
        model = Kept(given.embeddings, cache)
        embedder = Embedder(model, timeout_s=3_600)
        for name in given.collections:
            collection = read(name)
            libraries = {
                "library with vectors": opened(collection, Path(temporary, name, "with"), embedder),
                "library": opened(collection, Path(temporary, name, "without"), None),
            }
            made = engines(collection, libraries, embedder)
            for question in collection.questions.values():
                embedder.query(question)
            model.save()
            for engine, search in made.items():
                gain, recall, middle = measure(collection, search)
                means.setdefault(engine, []).append((gain, recall, middle))
                row = f"| {name} | {engine} | {gain:.4f} | {recall:.4f} | {middle:.1f} |"
                print(row, flush=True)
            print_rounds(collection, libraries)
    for engine, figures in means.items():
        gain, recall, _ = (sum(item) / len(figures) for item in zip(*figures, strict=True))
        print(f"| mean | {engine} | {gain:.4f} | {recall:.4f} | |")


if __name__ == "__main__":
    main()
