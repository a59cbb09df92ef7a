"""De-duplication on labelled sets: ours, simple rules, and bib-dedupe, in one run.

Usage: python benchmarks/dedup.py [SET ...] [--with-bib-dedupe [PYTHON]] [--gate]

Sets are folders `dedup_*` beside the repository (../shared/data), named without the prefix; all
but the largest by default, "all" for all. "twins_30k", "twins_300k" and so on are made by
near_twins.py; their works lost and duplicates left are also told by kind. With --gate only ours
runs, and the exit code is 1 where it loses more works, leaves more duplicates or takes more memory
than `GATE` allows. PYTHON is an interpreter that has bib-dedupe installed
(MIT, `pip install bib-dedupe`); the one that runs this file by default.

Each method and set runs in a process of its own. CPU seconds are of the method alone, workers
included; peak memory is that of all its processes together, and above what the loaded records take.
Pairs: all pairs that the clusters imply against all gold pairs. Lost: works that were wrongly
merged into another one. Left: duplicates not found. Records: the same for removed records.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "../shared/data"
LARGEST = "arxiv_100k"
TWINS = "twins_"
OURS = "ours"
GATE = {
    "asysd_testset": (0, 0),
    "bibdedupe_respiratory": (0, 6),
    "bibdedupe_haematology": (0, 16),
    "exp_mis_baseline": (0, 8),
    "cora": (20, 46),
    "dblp_acm": (20, 115),
    "dblp_scholar_pairs_structured_valid": (10, 355),
    "arxiv_20k": (1, 130),
    "arxiv_100k": (15, 675),
}
"""The most works lost and duplicates left."""
MOST_MEMORY = 300
"""MB above the loaded records, at 100,000 of them."""
Record = dict[str, str]
Groups = list[list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--with-bib-dedupe", nargs="?", const=sys.executable, metavar="PYTHON")
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--one", nargs=3, metavar=("METHOD", "SET", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        run_one(*options.one)
        return
    known = sorted(path.name.removeprefix("dedup_") for path in DATA.glob("dedup_*"))
    labelled = [name for name in known if records_file(name) is not None]
    chosen = [name for name in labelled if name != LARGEST]
    if options.sets:
        chosen = labelled if options.sets == ["all"] else options.sets
    print(
        "| set | records | method | pairs P / R / F1 | records P / R / F1 | lost | left | CPU s "
        "| peak MB | of it own |"
    )
    print("|:--|--:|:--|:--|:--|--:|--:|--:|--:|--:|")
    failed: list[str] = []
    for name in chosen:
        for method in [OURS] if options.gate else METHODS:
            if method != "bib-dedupe":
                lost, left, memory = report(name, method, sys.executable)
            elif options.with_bib_dedupe:
                report(name, method, options.with_bib_dedupe)
            if method == OURS and options.gate and name in GATE:
                most_lost, most_left = GATE[name]
                if lost > most_lost or left > most_left or memory > MOST_MEMORY:
                    failed.append(f"{name}: at most {most_lost} lost, {most_left} left, 300 MB")
    if failed:
        sys.exit("the gate is shut: " + "; ".join(failed))


def report(name: str, method: str, python: str) -> tuple[int, int, float]:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "groups.json"
        command = [python, __file__, "--one", method, name, str(file)]
        peak = peak_memory(command)
        found = json.loads(file.read_text())
    pairs, removed, lost, left = scores(name, found["ids"], found["groups"])
    print(
        f"| {name} | {len(found['ids'])} | {method} | {pairs} | {removed} | {lost} | {left} "
        f"| {found['cpu']:.2f} | {peak:.0f} | {peak - found['before']:.0f} |",
        flush=True,
    )
    if name.startswith(TWINS):
        print(f"<!-- {by_kind(name, found['groups'])} -->", flush=True)
    return lost, left, peak - found["before"]


def by_kind(name: str, groups: Groups) -> str:
    """Return works lost and duplicates left of each kind of a made set, of how many."""
    gold = {member: group[0] for group in gold_groups(name) for member in group}
    numbers = {member: number for number, group in enumerate(groups) for member in group}
    made: Counter[str] = Counter(number.partition(":")[0] for number in numbers)
    lost: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for group in groups:
        works = sorted(
            {gold.get(member, member) for member in group}, key=lambda w: w[:5] != "work:"
        )
        lost.update(work.partition(":")[0] for work in works[1:])
    for item, work in gold.items():
        left[item.partition(":")[0]] += numbers[item] != numbers[work]
    return "; ".join(
        f"{kind}: {lost[kind]} lost, {left[kind]} left of {made[kind]}" for kind in sorted(made)
    )


def peak_memory(command: list[str]) -> float:
    """Run a command and return the peak memory of it and its children, in MB."""
    import psutil  # noqa: PLC0415  # bib-dedupe's own interpreter has to do without

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # noqa: S603  # this file
    tree, peak = psutil.Process(process.pid), 0
    while process.poll() is None:
        try:
            family = [tree, *tree.children(recursive=True)]
            peak = max(peak, sum(item.memory_info().rss for item in family))
        except psutil.Error:
            continue  # one of them has just ended
        finally:
            time.sleep(0.02)  # noqa: TID251  # a sampler in a script
    if process.returncode:
        assert process.stderr is not None
        sys.exit(process.stderr.read().decode())
    return peak / 2**20


def run_one(method: str, name: str, file: str) -> None:
    rows = list(read(name))
    ids = [row["id"] for row in rows]
    prepare, solve = METHODS[method]
    records = prepare(rows)
    del rows
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = cpu_seconds()
    groups = solve(records)
    outcome = {"ids": ids, "groups": groups, "cpu": cpu_seconds() - started, "before": before}
    Path(file).write_text(json.dumps(outcome))


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


# --- the sets


def records_file(name: str) -> Path | None:
    found = sorted((DATA / f"dedup_{name}").glob("records.jsonl*"))
    return found[0] if found else None


def read(name: str) -> Iterator[Record]:
    if name.startswith(TWINS):
        yield from twins(name)[0]
        return
    path = records_file(name)
    assert path is not None, f"no records in {DATA / f'dedup_{name}'}"
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        yield from map(json.loads, lines)


@cache
def twins(name: str) -> tuple[list[Record], Groups]:
    """Return a set that is made of one record for each work of arXiv, and its groups."""
    import near_twins  # noqa: PLC0415  # only where such a set is asked for

    again = {member for group in gold_groups(LARGEST) for member in group[1:]}
    works = [row for row in read(LARGEST) if row["id"] not in again]
    size = name.removeprefix(TWINS).removesuffix("k")
    return near_twins.near_twins(works, int(size) * 1_000)


def gold_groups(name: str) -> Groups:
    if name.startswith(TWINS):
        return twins(name)[1]
    with (DATA / f"dedup_{name}" / "gold_clusters.csv").open() as lines:
        return [line.strip().split(";") for line in lines if line.strip()]


def scores(name: str, ids: list[str], groups: Groups) -> tuple[str, str, int, int]:
    """Return pair scores, record scores, works lost and duplicates left."""
    predicted = {member: number for number, group in enumerate(groups) for member in group}
    assert sorted(predicted) == sorted(ids), "records were lost or invented"
    pairs_file = DATA / f"dedup_{name}" / "labelled_pairs.csv"
    if pairs_file.exists():
        return labelled_pair_scores(pairs_file, predicted)
    gold: dict[str, str] = {}
    for number, group in enumerate(gold_groups(name)):
        gold.update(dict.fromkeys(group, str(number)))
    gold |= {identity: f"single {identity}" for identity in ids if identity not in gold}
    right = found = lost = 0
    pieces: Counter[str] = Counter()
    for group in groups:
        counts = Counter(gold[member] for member in group)
        found += len(group) * (len(group) - 1) // 2
        right += sum(count * (count - 1) // 2 for count in counts.values())
        lost += len(counts) - 1
        pieces.update(counts.keys())
    wanted = sum(count * (count - 1) // 2 for count in Counter(gold.values()).values())
    left = sum(count - 1 for count in pieces.values())
    removed = sum(len(group) - 1 for group in groups)
    redundant = len(ids) - len(pieces)
    return (
        shown(right, found, wanted),
        shown(removed - lost, removed, redundant),
        lost,
        left,
    )


def labelled_pair_scores(path: Path, predicted: dict[str, int]) -> tuple[str, str, int, int]:
    """Score only the pairs that are labelled; nothing is known of the others."""
    right = found = wanted = 0
    with path.open() as lines:
        for one, other, label, *_ in csv.reader(lines):
            is_found = predicted[one] == predicted[other]
            right += is_found and label == "1"
            found += is_found
            wanted += label == "1"
    return shown(right, found, wanted), "", found - right, wanted - right


def shown(right: int, found: int, wanted: int) -> str:
    precision = right / found if found else 1.0
    recall = right / wanted if wanted else 1.0
    both = precision + recall
    return f"{precision:.4f} / {recall:.4f} / {2 * precision * recall / both if both else 0:.4f}"


# --- the methods


def as_they_are(rows: list[Record]) -> list[Record]:
    return rows


def papers_of(rows: list[Record]) -> list[Any]:
    import paper_search.skills  # noqa: F401, PLC0415  # so that starting up is not measured
    from paper_search.models import Author, RawPaper  # noqa: PLC0415  # not in bib-dedupe's process

    def paper(row: Record) -> RawPaper:
        year = re.search(r"\d{4}", row.get("year") or "")
        names = re.split(r"\s+and\s+|;", row.get("author") or "")
        return RawPaper(
            id=row["id"],
            source=row.get("source") or "file",
            title=row.get("title") or "",
            authors=[Author(name=name) for name in names if name.strip()],
            year=int(year.group()) if year else None,
            venue=row.get("journal"),
            volume=row.get("volume"),
            issue=row.get("number"),
            pages=row.get("pages"),
            doi=row.get("doi"),
            abstract=row.get("abstract"),
        )

    papers = []
    while rows:
        papers.append(paper(rows.pop()))
    papers.reverse()
    return papers


def our_clusters(papers: list[Any]) -> Groups:
    from paper_search.skills import Deduplicator  # noqa: PLC0415  # not in bib-dedupe's process

    return [cluster.ids for cluster in Deduplicator().cluster(papers).clusters]


def our_works(papers: list[Any]) -> Groups:
    from paper_search.skills import Deduplicator  # noqa: PLC0415  # not in bib-dedupe's process

    found = Deduplicator().cluster(papers)
    return [[papers[place].id for place in work] for work in found.works_by_members()]


def simple_rule(*fields: str) -> Callable[[list[Record]], Groups]:
    """Return the rule that makes one of records whose DOI, or all of whose `fields`, agree."""

    def solve(rows: list[Record]) -> Groups:
        parent = list(range(len(rows)))

        def root(number: int) -> int:
            while parent[number] != number:
                parent[number] = parent[parent[number]]
                number = parent[number]
            return number

        seen: dict[tuple[str, ...], int] = {}
        for number, row in enumerate(rows):
            doi = re.sub(r"^.*?(?=10\.\d)", "", (row.get("doi") or "").lower(), count=1).strip(" .")
            values = tuple(letters(row, field) for field in fields)
            keys = [("doi", doi)] if doi and "author" not in fields else []
            if fields and len(values[0]) >= 10 and all(values):
                keys.append(values)
            for key in keys:
                parent[root(number)] = root(seen.setdefault(key, number))
        groups: dict[int, list[str]] = defaultdict(list)
        for number, row in enumerate(rows):
            groups[root(number)].append(row["id"])
        return list(groups.values())

    return solve


def letters(row: Record, field: str) -> str:
    text = row.get(field) or ""
    if field == "author":
        first = re.split(r"\s+and\s+|;", text)[0]
        text = first.partition(",")[0] if "," in first else (first.split() or [""])[-1]
    folded = unicodedata.normalize("NFKD", text).lower()
    return "".join(letter for letter in folded if letter.isalnum())


def table_of(rows: list[Record]) -> Any:
    import bib_dedupe.bib_dedupe  # noqa: F401, PLC0415  # so that starting up is not measured
    import pandas as pd  # noqa: PLC0415  # only in bib-dedupe's process

    table = pd.DataFrame([{"ID": row["id"], "ENTRYTYPE": "article", **row} for row in rows]).drop(
        columns=["id", "type", "source", "harvest"], errors="ignore"
    )
    for column in ("title", "author", "year", "journal", "volume", "number", "pages", "abstract"):
        if column not in table:
            table[column] = ""
    return table.fillna("")


def bib_dedupe_groups(table: Any) -> Groups:
    from bib_dedupe.bib_dedupe import block, match, prep  # noqa: PLC0415  # an optional dependency
    from bib_dedupe.cluster import get_connected_components  # noqa: PLC0415  # as above

    found = get_connected_components(match(block(prep(table))))
    merged = {member for group in found for member in group}
    return [list(group) for group in found] + [[i] for i in table["ID"] if i not in merged]


Method = tuple[Callable[[list[Record]], Any], Callable[[Any], Groups]]
METHODS: dict[str, Method] = {
    OURS: (papers_of, our_clusters),
    "ours, versions folded": (papers_of, our_works),
    "DOI": (as_they_are, simple_rule()),
    "DOI or title": (as_they_are, simple_rule("title")),
    "DOI or title+year": (as_they_are, simple_rule("title", "year")),
    "title+author+year": (as_they_are, simple_rule("title", "author", "year")),
    "bib-dedupe": (table_of, bib_dedupe_groups),
}

if __name__ == "__main__":
    main()
