"""Compare the library's ranking with bm25s, SQLite FTS5 and tantivy on the collections at hand.

Usage: python benchmarks/library.py [COLLECTION ...]

Collections are the `ir_*` folders of `../shared/data`. Every engine gets the same text (title,
abstract, authors, source) and the same questions in one run. Figures: nDCG@10 and recall@100 with
binary judgements, seconds of CPU to index, ms of CPU a query for 100 results (the library's
include reading and parsing the records), and MB on disk. Then titles are looked for as they are
known: the mean reciprocal rank of the record. Needs the dependency group `benchmarks`.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paper_search.library import Library
from paper_search.models import Author, RawPaper

DATA = Path(__file__).parents[1] / "../shared/data"
COLLECTIONS = ("cranfield", "cacm", "lisa", "scholargym_local")
DEPTH = 100
KNOWN_TITLES = 300
Search = Callable[[str], list[int]]


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, questions, and which documents answer them."""

    name: str
    documents: list[dict[str, Any]]
    questions: dict[str, str]
    relevant: dict[str, set[str]]


def read(name: str) -> Collection:
    folder = DATA / f"ir_{name}"
    documents = list(_records(folder / "corpus.jsonl"))
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        question, document, grade = line.split("\t")
        if int(grade) > 0:
            relevant.setdefault(question, set()).add(document)
    questions = {
        record["_id"]: record["text"]
        for record in _records(folder / "queries.jsonl")
        if record["_id"] in relevant and record.get("full", True)
    }
    return Collection(name, documents, questions, relevant)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    packed = path.with_name(f"{path.name}.gz")
    with gzip.open(packed, "rt") if packed.exists() else path.open() as file:
        yield from map(json.loads, file)


def text_of(document: dict[str, Any]) -> str:
    authors = document.get("authors") or ""
    names = authors if isinstance(authors, str) else " ".join(authors)
    parts = (document["title"], document.get("text"), names, document.get("source"))
    return "\n".join(part for part in parts if part)


def papers(documents: list[dict[str, Any]]) -> Iterator[RawPaper]:
    for number, document in enumerate(documents):
        authors = document.get("authors") or ""
        names = authors.split(";") if isinstance(authors, str) else authors
        yield RawPaper(
            id="",
            # Identifiers that no record shares, so that equal titles stay two records.
            doi=f"10.5555/{number}",
            title=document["title"].strip() or "-",
            abstract=document.get("text") or None,
            authors=[Author(name=name.strip()) for name in names if name.strip()],
            venue=document.get("source") or None,
            source="benchmark",
        )


def ours(documents: list[dict[str, Any]], path: Path) -> Search:
    library = Library.open(path)
    library.add(papers(documents))

    def search(question: str) -> list[int]:
        found = library.search(question, limit=DEPTH)
        return [int(str(paper.doi).partition("/")[2]) for paper in found.papers]

    return search


def fts5(documents: list[dict[str, Any]], path: Path) -> Search:
    path.mkdir()
    connection = sqlite3.connect(path / "fts.db")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(body, content='', tokenize='porter')")
    connection.executemany(
        "INSERT INTO t (rowid, body) VALUES (?, ?)",
        ((number, text_of(document)) for number, document in enumerate(documents)),
    )
    connection.commit()

    def search(question: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        rows = connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (words, DEPTH)
        )
        return [row for (row,) in rows]

    return search


def tantivy(documents: list[dict[str, Any]], path: Path) -> Search:
    import tantivy as engine  # noqa: PLC0415  # as the other engines: only when it is measured

    path.mkdir()
    builder = engine.SchemaBuilder()
    builder.add_unsigned_field("row", fast=True)
    builder.add_text_field("body", tokenizer_name="en_stem")
    schema = builder.build()
    index = engine.Index(schema, path=str(path))
    writer = index.writer(num_threads=1)
    for number, item in enumerate(documents):
        document = engine.Document()
        document.add_unsigned("row", number)
        document.add_text("body", text_of(item))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question: str) -> list[int]:
        words = " ".join(re.findall(r"\w+", question.lower()))
        found = searcher.search(index.parse_query(words, ["body"]), limit=DEPTH)
        return searcher.fast_field_values("row", [address for _, address in found.hits])

    return search


def bm25s(documents: list[dict[str, Any]], path: Path) -> Search:
    import bm25s as engine  # noqa: PLC0415  # as above
    import Stemmer  # noqa: PLC0415  # as above

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: list[str]) -> Any:
        return engine.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    model = engine.BM25()
    model.index(tokens([text_of(document) for document in documents]), show_progress=False)
    model.save(str(path))

    def search(question: str) -> list[int]:
        asked = tokens([question])
        if not asked.vocab:
            return []
        found, _ = model.retrieve(asked, k=min(DEPTH, len(documents)), show_progress=False)
        return [int(number) for number in found[0]]

    return search


ENGINES: dict[str, Callable[[list[dict[str, Any]], Path], Search]] = {
    "library": ours,
    "bm25s": bm25s,
    "FTS5": fts5,
    "tantivy": tantivy,
}


def main(names: list[str]) -> None:
    collections = [read(name) for name in names]
    print("| collection | engine | nDCG@10 | recall@100 | index, CPU s | query, CPU ms | MB |")
    print("|---|---|--:|--:|--:|--:|--:|")
    means: dict[str, list[tuple[float, float]]] = {}
    for collection in collections:
        for engine in ENGINES:
            gain, recall = measure(collection, engine)
            means.setdefault(engine, []).append((gain, recall))
    for engine, figures in means.items():
        gain, recall = (sum(row) / len(figures) for row in zip(*figures, strict=True))
        print(f"| mean | {engine} | {gain:.4f} | {recall:.4f} | | | |")
    known_titles(max(collections, key=lambda item: len(item.documents)))


def measure(collection: Collection, engine: str) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "index"
        started = time.process_time()
        search = ENGINES[engine](collection.documents, path)
        indexed = time.process_time() - started
        search("warm up")
        gains, recalls = [], []
        times: list[float] = []
        for question, text in collection.questions.items():
            started = time.process_time()
            numbers = search(text)
            times.append(time.process_time() - started)
            # Some ids of a collection are not unique.
            found = list(dict.fromkeys(collection.documents[n]["_id"] for n in numbers))
            gains.append(gain_of(found, collection.relevant[question]))
            recalls.append(
                len(collection.relevant[question] & set(found)) / len(collection.relevant[question])
            )
        size = sum(item.stat().st_size for item in path.rglob("*") if item.is_file())
    gain, recall = sum(gains) / len(gains), sum(recalls) / len(recalls)
    middle = sorted(times)[len(times) // 2] * 1000
    print(
        f"| {collection.name} | {engine} | {gain:.4f} | {recall:.4f} | {indexed:.1f} | "
        f"{middle:.1f} | {size / 1e6:.1f} |",
        flush=True,
    )
    return gain, recall


def gain_of(found: list[str], relevant: set[str]) -> float:
    """Return nDCG@10 with binary gains."""
    got = sum(1 / math.log2(rank + 2) for rank, item in enumerate(found[:10]) if item in relevant)
    return got / sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))


def known_titles(collection: Collection) -> None:
    """Print at which rank records are found by their own titles, and by mistyped ones."""
    count = Counter(document["title"].casefold() for document in collection.documents)
    chance = random.Random(1)  # noqa: S311  # the same titles every time
    single = [
        number
        for number, document in enumerate(collection.documents)
        if count[document["title"].casefold()] == 1 and len(document["title"].split()) > 2
    ]
    chosen = chance.sample(single, min(KNOWN_TITLES, len(single)))
    print("\n| known titles in", collection.name, "| MRR@10 as it is | without one word |")
    print("|---|--:|--:|")
    for engine, make in ENGINES.items():
        with tempfile.TemporaryDirectory() as directory:
            search = make(collection.documents, Path(directory) / "index")
            whole, cut = 0.0, 0.0
            for number in chosen:
                words = collection.documents[number]["title"].split()
                whole += _reciprocal(search(" ".join(words)), number)
                words.pop(chance.randrange(len(words)))
                cut += _reciprocal(search(" ".join(words)), number)
        print(f"| {engine} | {whole / len(chosen):.3f} | {cut / len(chosen):.3f} |", flush=True)


def _reciprocal(found: list[int], number: int) -> float:
    return 1 / (found.index(number) + 1) if number in found[:10] else 0.0


if __name__ == "__main__":
    main(sys.argv[1:] or list(COLLECTIONS))
