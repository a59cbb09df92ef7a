"""Compare the library with vectors with the usual hybrids of the same model on the same texts.

Usage: python benchmarks/library_vectors.py MODULE:FACTORY [--cache DIRECTORY] [COLLECTION ...]

MODULE:FACTORY gives LangChain `Embeddings`, as `minilm:MiniLM` beside this script does. Vectors
are made once and kept in the directory, if one is given. Each collection is ranked by the library
with and without vectors, by bm25s, by nearness alone, and by both: reciprocal ranks added (rrf,
k = 60), and scores of the first 1,000 brought to 0..1 and added (sum). Figures: nDCG@10 and
recall@100, ms of CPU a query without making its vector. Needs the dependency group `benchmarks`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from library import Collection, gain_of, papers, read
from typing_extensions import override

from paper_search.library import Embedder, Library
from paper_search.library.embedding import embedded_text

DEPTH = 1_000
SHOWN = 100
_K = 60
Search = Callable[[str], list[int]]


class Kept(Embeddings):
    """A model whose answers are kept on disk, and that is not loaded for those it gave."""

    def __init__(self, factory: str, directory: Path) -> None:
        self.model = factory
        self._factory = factory
        self._loaded: Embeddings | None = None
        self._file = (
            directory / f"{hashlib.blake2b(factory.encode(), digest_size=6).hexdigest()}.npz"
        )
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
            made = self._model().embed_documents(list(new.values()))
            self._known |= {
                name: np.asarray(each, np.float32) for name, each in zip(new, made, strict=True)
            }
        return [self._known[name].tolist() for name in names]

    @override
    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _model(self) -> Embeddings:
        if self._loaded is None:
            module, _, name = self._factory.partition(":")
            self._loaded = getattr(importlib.import_module(module), name)()
        assert self._loaded is not None
        return self._loaded


def ours(collection: Collection, path: Path, embedder: Embedder | None) -> Search:
    library = Library.open(path, embedder=embedder)
    library.add(papers(collection.documents))
    if embedder is not None:
        library.embed()

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
    model.index(tokens([text_of(each) for each in collection.documents]), show_progress=False)
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


def engines(collection: Collection, directory: Path, embedder: Embedder) -> dict[str, Search]:
    words, near = lexical(collection), dense(collection, embedder)
    return {
        "library with vectors": ours(collection, directory / "with", embedder),
        "library": ours(collection, directory / "without", None),
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embeddings", metavar="MODULE:FACTORY")
    parser.add_argument("collections", nargs="*", default=["cranfield", "cacm", "lisa"])
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    means: dict[str, list[tuple[float, float, float]]] = {}
    print("| collection | engine | nDCG@10 | recall@100 | query, CPU ms |\n|---|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as temporary:
        cache = given.cache or Path(temporary)
        cache.mkdir(parents=True, exist_ok=True)
        model = Kept(given.embeddings, cache)
        embedder = Embedder(model, timeout_s=3_600)
        for name in given.collections:
            collection = read(name)
            made = engines(collection, Path(temporary) / name, embedder)
            for question in collection.questions.values():
                embedder.query(question)
            model.save()
            for engine, search in made.items():
                gain, recall, middle = measure(collection, search)
                means.setdefault(engine, []).append((gain, recall, middle))
                row = f"| {name} | {engine} | {gain:.4f} | {recall:.4f} | {middle:.1f} |"
                print(row, flush=True)
    for engine, figures in means.items():
        gain, recall, _ = (sum(each) / len(figures) for each in zip(*figures, strict=True))
        print(f"| mean | {engine} | {gain:.4f} | {recall:.4f} | |")


if __name__ == "__main__":
    main()
