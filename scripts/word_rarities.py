# ruff: noqa: INP001  # a script, not a package
"""Count in how many scholarly records English stems and words stand; write the tables that ship.

    .venv/bin/python scripts/word_rarities.py FOLDER

FOLDER holds the collections of `FIELDS` as JSON lines, gzip or not. Every record with an abstract
is counted once, by the stems of its title and abstract. The share of records that have a stem is
taken for each collection apart. A field of several collections has their mean without the highest
quarter, as a collection on one topic makes its words common; the table has the mean of the fields,
so that none counts for more only because it has many records. Only counts leave the records. Words
are listed once more as they are written, the most frequent first, for what a `*` may stand for.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from paper_search.skills.words import STOP_WORDS, tokens

TARGET = Path(__file__).parents[1] / "src/paper_search/bibliography/word_rarities.txt"
WORDS = TARGET.with_name("words.txt.gz")
FIELDS = {
    "conferences on machine learning and language": ["ir_scholargym_local/corpus"],
    "arXiv": ["dedup_arxiv_100k/records"],
    "medicine": [
        "screen_asreview/Cohen_2006__ADHD",
        "screen_asreview/Cohen_2006__Antihistamines",
        "screen_asreview/Cohen_2006__AtypicalAntipsychotics",
        "screen_asreview/Cohen_2006__CalciumChannelBlockers",
        "screen_asreview/Cohen_2006__Estrogens",
        "screen_asreview/Cohen_2006__Triptans",
        "dedup_asysd_testset/records",
    ],
    "computing, engineering, libraries": [
        "ir_cacm/corpus",
        "ir_cranfield/corpus",
        "ir_lisa/corpus",
        "screen_asreview/Hall_Wahono_Radjenovic_Kitchenham__Kitchenham_2010",
    ],
}
MOST, FEWEST, LONGEST = 20_000, 4, 24
FEWEST_OF_A_WORD = 12
WORD = re.compile(r"(?<![\w-])[a-z]{3,24}(?![\w-])")
OF_STOP_WORDS = 5
SHORTEST_ABSTRACT = 100
HEADER = """\
# How rare English stems are in scholarly records: log10(1 / share of records), times ten, rounded.
# Made by scripts/word_rarities.py from {records:,} records with abstracts in {fields} fields
# ({names}),
# as the mean of the fields' shares, a field's being the mean of its collections' without the
# highest quarter. A stem that is not here is as rare as the last line.
# One line for each rarity: the number, then its stems. 5 are stop words, which were not counted.
"""


def main(folder: Path) -> None:
    """Count the records of the folder and write the table."""
    shares: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    records = 0
    for names in FIELDS.values():
        collections = []
        for name in names:
            counts, total = _counted(folder, name)
            records += total
            seen.update(counts)
            collections.append({stem: count / total for stem, count in counts.items()})
        for stem, share in _typical(collections).items():
            shares[stem] += share / len(FIELDS)
    kept = [stem for stem, share in shares.most_common() if share and seen[stem] >= FEWEST][:MOST]
    levels: dict[int, list[str]] = {}
    for stem in kept:
        levels.setdefault(round(-10 * math.log10(shares[stem])), []).append(stem)
    levels[OF_STOP_WORDS] = list(STOP_WORDS)
    lines = [f"{level} {' '.join(sorted(stems))}" for level, stems in sorted(levels.items())]
    header = HEADER.format(records=records, fields=len(FIELDS), names="; ".join(FIELDS))
    TARGET.write_text(header + "\n".join(lines) + "\n", "utf-8")
    write_words(folder)


def write_words(folder: Path) -> None:
    """Write the words of the records, the most frequent first."""
    counts: Counter[str] = Counter()
    for name in (name for names in FIELDS.values() for name in names):
        for text in texts_of(folder, name):
            counts.update(set(WORD.findall(text.lower())))
    words = [word for word, count in counts.most_common() if count >= FEWEST_OF_A_WORD]
    WORDS.write_bytes(gzip.compress("\n".join(words).encode("ascii"), mtime=0))


def _counted(folder: Path, name: str) -> tuple[Counter[str], int]:
    counts: Counter[str] = Counter()
    total = 0
    for text in texts_of(folder, name):
        counts.update({stem for stem in tokens(text) if _is_word(stem)})
        total += 1
    return counts, total


def _typical(collections: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean share of each stem without the highest quarter of the collections."""
    kept = len(collections) - math.ceil((len(collections) - 1) / 4)
    return {
        stem: sum(sorted(collection.get(stem, 0.0) for collection in collections)[:kept]) / kept
        for stem in set().union(*collections)
    }


def _is_word(stem: str) -> bool:
    return 1 < len(stem) <= LONGEST and stem.isascii() and stem.isalpha() and stem not in STOP_WORDS


def texts_of(folder: Path, name: str) -> Iterator[str]:
    """Yield title and abstract of every record of a collection that has an abstract."""
    for path in folder.glob(f"{name}.jsonl*"):
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
            for record in map(json.loads, lines):
                abstract = record.get("abstract") or record.get("text") or ""
                if len(abstract) >= SHORTEST_ABSTRACT:
                    yield f"{record['title']} {abstract}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
