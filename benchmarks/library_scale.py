"""Measure a library at scale: import, disk, memory, opening, queries, and titles that are known.

Usage: python benchmarks/library_scale.py [RECORDS ...] [--keep DIRECTORY]

The corpus begins with the real records of `../shared/data` (ScholarGym, arXiv; about 210,000 with
different titles). Further ones are made of them with a seeded generator: the first half of one
title and the second half of that of a neighbour; the sentences of both abstracts, shuffled and cut
to the length of one, in which one word in thirty is exchanged for one drawn from all real text, so
that frequencies stay Zipf's, and one in three hundred gets a new ending, so that the vocabulary
goes on growing. All titles are different. Everything is written into a temporary directory, or
into the one given, where a corpus that is there already is used again.

Every figure is of a process of its own: seconds are of CPU (user and system, all threads), peak
memory is of that process. Queries: questions of ScholarGym and of PaperLantern, titles of records,
and boolean queries with phrases, prefixes and NEAR, each asked once, with 20 results.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "../shared/data"
SIZES = (150_000, 500_000, 1_000_000)
QUERIES = 200
RESULTS = 20
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_EXCHANGED = 1 / 30
_NEW = 1 / 300
_NEIGHBOURS = 40
BOOLEAN = (
    '"graph neural network*" AND (toxicity OR drug*)',
    '("large language model" OR transformer*) AND "question answering" NOT survey',
    'title:attention AND abstract:"machine translation"',
    "(dark NEAR/3 matter) AND galax*",
    '"reinforcement learning" AND (robot* OR manipulation)',
    "quantum AND entangle* AND (photon* OR qubit*) NOT cryptography",
    '("semi supervised" OR "self supervised") AND segmentation AND medical',
    "speech AND recogni* AND (noise OR robust*)",
    '"black hole*" OR "neutron star*"',
    "bayesian NEAR/5 optimi*",
    'author:wang AND "object detection"',
    "title:bert* AND (distill* OR prun* OR quanti*)",
    '"of the" AND "state of the art"',
    "neural OR network OR learning OR model",
)


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    given.add_argument("--keep", type=Path)
    given.add_argument("--one", choices=["write", "import", "index", "open", "ask"])
    options = given.parse_args()
    if options.one:
        ONE[options.one](options.keep, options.sizes[0])
        return
    with tempfile.TemporaryDirectory() as temporary:
        place = options.keep or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        for size in options.sizes:
            for step in ONE:
                command = [sys.executable, __file__, str(size), "--keep", str(place), "--one", step]
                subprocess.run(command, check=True)  # noqa: S603  # this file


def write(place: Path, size: int) -> None:
    """Write the corpus, unless it is there."""
    file = corpus_file(place, size)
    if file.exists():
        return
    draft = file.with_suffix(".draft")
    with draft.open("w", encoding="utf-8") as out:
        for record in records(size):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    draft.replace(file)


def measure_import(place: Path, size: int) -> None:
    """Import the file into a new library, and say what it cost."""
    from paper_search.library import Library  # noqa: PLC0415  # not where the corpus is written

    path = library_path(place, size)
    if path.exists():
        return
    file, text = corpus_file(place, size), 0
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            text += text_bytes(json.loads(line))
    cpu, wall = process_seconds(), time.perf_counter()
    with Library.open(path) as library:
        summary = library.import_file(file)
        assert summary.changes.added == size, summary.changes
        cpu, wall = process_seconds() - cpu, time.perf_counter() - wall
        info = library.info()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    tell(size, "import, records/s of CPU", f"{size / cpu:,.0f} ({wall:.0f} s of wall time)")
    tell(size, "import, peak MB", f"{peak:.0f}")
    tell(size, "text MB", f"{text / 1e6:.0f}")
    tell(size, "records MB", f"{info.records_bytes / 1e6:.0f}")
    tell(size, "index MB", f"{info.index_bytes / 1e6:.0f} = {info.index_bytes / text:.1%} of text")


def measure_index(place: Path, size: int) -> None:
    """Make the index again from the records, as the first search does, and say what it cost."""
    from paper_search.library import Library  # noqa: PLC0415  # as above

    path = library_path(place, size)
    shutil.rmtree(path / "index")
    cpu = process_seconds()
    with Library.open(path) as library:
        library.search("graph")
        assert library.info().is_index_current
    tell(size, "index, records/s of CPU", f"{size / (process_seconds() - cpu):,.0f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    tell(size, "index, peak MB", f"{peak:.0f}")


def measure_opening(place: Path, size: int) -> None:
    """Open the library in a new process and ask once, with and without the imports of Python."""
    code = (
        "import time; start = time.process_time(); wall = time.perf_counter()\n"
        "from paper_search.library import Library\n"
        "import tantivy, filelock, paper_search.library.retrieval\n"
        "imported, seen = time.process_time(), time.perf_counter()\n"
        f"library = Library.open({str(library_path(place, size))!r})\n"
        "opened, looked = time.process_time(), time.perf_counter()\n"
        "library.search('graph neural networks for drug toxicity')\n"
        "end, over = time.process_time(), time.perf_counter()\n"
        "print(imported - start, opened - imported, end - opened, over - seen)"
    )
    rows = []
    for _ in range(5):
        done = subprocess.run(  # noqa: S603  # our own interpreter and script
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        rows.append([float(part) for part in done.stdout.split()])
    middle = [sorted(row)[2] * 1000 for row in zip(*rows, strict=True)]
    tell(size, "opening, ms of CPU", f"{middle[1]:.1f}")
    tell(size, "first query, ms of CPU", f"{middle[2]:.1f}")
    tell(size, "opening and first query, ms of wall time", f"{middle[3]:.1f}")
    tell(size, "imports of Python before that, ms of CPU", f"{middle[0]:.0f}")


def measure_queries(place: Path, size: int) -> None:
    """Ask every kind of query, and look for titles that are known."""
    from paper_search.library import Library  # noqa: PLC0415  # as above

    library = Library.open(library_path(place, size))
    titles = known_titles(place, size)
    for kind, asked in {
        "question": questions()[:QUERIES],
        "title": titles[:QUERIES],
        "boolean": list(BOOLEAN),
    }.items():
        times, slowest = [], ("", 0.0)
        for text in asked:
            start = process_seconds()
            library.search(text, limit=RESULTS)
            times.append((process_seconds() - start) * 1000)
            slowest = max(slowest, (text, times[-1]), key=lambda item: item[1])
        times.sort()
        middle, high = times[len(times) // 2], times[int(len(times) * 0.95)]
        tell(size, f"{kind} query, ms of CPU", f"p50 {middle:.1f}, p95 {high:.1f}")
        if kind == "boolean":
            tell(size, "slowest boolean query", f"{slowest[1]:.0f} ms: {slowest[0]}")
    total = 0.0
    for title in titles:
        found = [paper.title for paper in library.search(title, limit=10).papers]
        total += 1 / (found.index(title) + 1) if title in found else 0.0
    tell(size, f"known titles ({len(titles)}), mean reciprocal rank", f"{total / len(titles):.4f}")
    chance, total = random.Random(3), 0.0  # noqa: S311  # the same words every time
    for title in titles:
        words = title.replace('"', "").split()
        words.pop(chance.randrange(len(words)))
        found = [paper.title for paper in library.search(" ".join(words), limit=10).papers]
        total += 1 / (found.index(title) + 1) if title in found else 0.0
    tell(size, "the same with one word left out", f"{total / len(titles):.4f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    tell(size, "searching, peak MB", f"{peak:.0f}")


ONE = {
    "write": write,
    "import": measure_import,
    "index": measure_index,
    "open": measure_opening,
    "ask": measure_queries,
}


def corpus_file(place: Path, size: int) -> Path:
    return place / f"{size}.jsonl"


def library_path(place: Path, size: int) -> Path:
    return place / f"{size}.library"


def tell(size: int, what: str, value: str) -> None:
    print(f"| {size:,} | {what} | {value} |", flush=True)


def process_seconds() -> float:
    """Return the seconds of CPU that all threads of this process have taken."""
    return time.process_time()


def text_bytes(record: dict[str, Any]) -> int:
    parts = (record["title"], record.get("abstract"), record.get("venue"), *record["authors"])
    return sum(len(part.encode()) for part in parts if part)


def questions() -> list[str]:
    """Return questions as people ask them, in the same order every time."""
    given = [line["text"] for line in _lines(DATA / "ir_scholargym_local/queries.jsonl")]
    random.Random(2).shuffle(given)  # noqa: S311  # the same order every time
    return given


def known_titles(place: Path, size: int) -> list[str]:
    """Return titles of records from everywhere in the corpus, of three words at least."""
    chosen = set(random.Random(4).sample(range(size), min(size, 3 * QUERIES)))  # noqa: S311  # as above
    with corpus_file(place, size).open(encoding="utf-8") as lines:
        found = [json.loads(line)["title"] for n, line in enumerate(lines) if n in chosen]
    random.Random(5).shuffle(found)  # noqa: S311  # as above
    return [title for title in found if len(title.split()) > 2][: 2 * QUERIES]  # words


def records(size: int) -> Iterator[dict[str, Any]]:
    """Yield the real records, then made-up ones, up to that number in all."""
    real, seen = [], set()
    for record in _real():
        if record["title"].casefold() not in seen:
            seen.add(record["title"].casefold())
            real.append(record)
    for number, record in enumerate(real[:size]):
        yield {**record, "doi": f"10.5555/{number}"}
    chance = random.Random(1)  # noqa: S311  # the same records every time
    pool = [word for item in real[::7] for word in item["abstract"].split()]
    number = len(real)
    while number < size:
        made = _made(real, pool, chance)
        if made["title"].casefold() not in seen:
            seen.add(made["title"].casefold())
            yield {**made, "doi": f"10.5555/{number}"}
            number += 1


def _made(real: list[dict[str, Any]], pool: list[str], chance: random.Random) -> dict[str, Any]:
    def near(place: int) -> dict[str, Any]:
        return real[(place + chance.randint(-_NEIGHBOURS, _NEIGHBOURS)) % len(real)]

    place = chance.randrange(len(real))
    base, other = real[place], near(place)
    head, tail = base["title"].split(), other["title"].split()
    title = " ".join(head[: (len(head) + 1) // 2] + tail[len(tail) // 2 :])
    given = [_SENTENCE.split(record["abstract"]) for record in (base, other) if record["abstract"]]
    sentences = [half for halves in given for half in halves]
    chance.shuffle(sentences)
    words = " ".join(sentences[: len(sentences) // max(1, len(given))]).split()
    for _ in range(int(len(words) * _EXCHANGED)):
        words[chance.randrange(len(words))] = chance.choice(pool)
    for _ in range(sum(chance.random() < _NEW for _ in words)):
        spot = chance.randrange(len(words))
        words[spot] += "".join(chance.choices("aeiourstlnm", k=3))
    return {
        "title": title,
        "abstract": " ".join(words),
        "authors": base["authors"][:1] + other["authors"][1:],
        "year": chance.randint(1990, 2026),
        "venue": near(place)["venue"],
    }


def _real() -> Iterator[dict[str, Any]]:
    for record in _lines(DATA / "ir_scholargym_local/corpus.jsonl.gz"):
        given = record.get("authors") or []
        names = given.split(";") if isinstance(given, str) else given
        yield {
            "title": " ".join(record["title"].split()),
            "abstract": record.get("text") or "",
            "authors": [name.strip() for item in names for name in item.split(", ")],
            "year": 2000 + len(record["title"]) % 26,
            "venue": record.get("source") or record["_id"].partition("/")[0],
        }
    for line in _lines(DATA / "dedup_arxiv_100k/records.jsonl.gz"):
        yield {
            "title": " ".join(line["title"].split()),
            "abstract": line.get("abstract") or "",
            "authors": (line.get("author") or "").split(" and "),
            "year": int(line["year"]) if (line.get("year") or "").isdigit() else None,
            "venue": line.get("journal") or "",
        }


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        yield from map(json.loads, file)


if __name__ == "__main__":
    main()
