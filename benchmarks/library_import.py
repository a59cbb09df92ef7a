"""Measure the import of JSON lines into a library: records a second of CPU, memory, disk.

Usage: python benchmarks/library_import.py [NUMBER_OF_RECORDS ...]

The records are made up, of realistic size: titles of 10 words, abstracts of 180, words drawn from
a vocabulary of 30,000 with Zipf's frequencies. Each size runs in a process of its own, so that
peak memory is its own; memory must not grow with the number of records.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from paper_search.library import Library

SIZES = (2_000, 20_000, 60_000)


def main() -> None:
    sizes = [int(each) for each in sys.argv[1:]] or list(SIZES)
    print("| records | records/s of CPU | wall s | peak MB | records MB | index MB | again, s |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for size in sizes:
        subprocess.run([sys.executable, __file__, "--one", str(size)], check=True)  # noqa: S603  # this file


def measure(size: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "records.jsonl"
        write_records(file, size)
        with Library.open(Path(directory) / "library") as library:
            cpu, wall = time.process_time(), time.perf_counter()
            summary = library.import_file(file)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            assert summary.changes.added == size, summary
            info = library.info()
            again = time.perf_counter()
            assert library.import_file(file).changes.unchanged == size
            again = time.perf_counter() - again

        peak_mb = peak_rss_mb()
        print(
            f"| {size:,} | {size / cpu:,.0f} | {wall:.1f} | {peak_mb:.0f} | "
            f"{info.records_bytes / 1e6:.0f} | {info.index_bytes / 1e6:.0f} | {again:.1f} |"
        )


def peak_rss_mb() -> float:
    import resource  # noqa: PLC0415  # not on every platform

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def write_records(path: Path, size: int) -> None:
    chance = random.Random(1)  # noqa: S311  # the same records every time
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(chance.choices(letters, k=chance.randint(3, 11))) for _ in range(30_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))

    def text(count: int) -> str:
        return " ".join(chance.choices(vocabulary, cum_weights=weights, k=count))

    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            record = {
                "title": text(10).capitalize(),
                "authors": [text(2).title() for _ in range(4)],
                "year": chance.randint(1990, 2026),
                "venue": text(4).title(),
                "doi": f"10.1000/{number}",
                "abstract": text(180),
                "url": f"https://doi.org/10.1000/{number}",
            }
            file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(int(sys.argv[2]))
    else:
        main()
