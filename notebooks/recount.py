"""Count an audit of a search again, from its rows, without the program.

    python notebooks/recount.py DIRECTORY

Prints each number of prisma_flow.json, of the kappa in reviewers.json, of the flow in report.md and
of the methods in reporting.md that plain counts do not give, and ends with 1 if there is one.
"""

import csv
import json
import re
import sys
from collections import Counter
from itertools import combinations
from math import isclose
from pathlib import Path
from statistics import fmean
from typing import Any

Row = dict[str, str]
_SCREENED = ("included", "excluded", "undecided", "not_judged")
STATUSES = ("set_aside", "not_carried_over", "pending", "undecided", "not_judged")
LINES = {
    "Records identified": "identified",
    "Removed before screening, not as duplicates": "removed_by_checks",
    "Removed before screening as duplicates": "duplicates",
    "Works": "works",
    "Works for screening": "for_screening",
    "Screened": "screened",
    "Excluded": "excluded",
    "Full texts sought": "sought",
    "Full texts not retrieved": "not_retrieved",
    "Full texts assessed": "assessed",
    "Excluded by full text": "text_excluded",
    "Included": "included_last",
}


def main(directory: Path) -> int:
    tables = {name: rows(directory / f"{name}.csv") for name in ("records", "decisions")}
    log = rows(directory / "search_log.csv")
    update_of = {row["round"]: int(row["update"]) for row in log if row["purpose"] == "search"}
    said = json.loads((directory / "prisma_flow.json").read_text())
    # What belongs to no round, as after a fork, does not count; a decision does.
    decided = {"included", "excluded"}
    counting = [r for r in tables["records"] if r["round"] or r["status"] in decided]
    update_of[""] = 0
    first = {}
    for row in counting:
        first.setdefault(row["kept_as"], update_of[row["round"]])
    work_of = {row["id"]: row["kept_as"] for row in tables["records"]}
    texts = [
        {**row, "paper": work_of.get(row["paper"], row["paper"])}
        for row in tables["decisions"]
        if row["question"] == "full text"
    ]
    updates = range(len(said["parts"]) or 1)  # the last may wait for its approval
    parts = []
    for update in updates:
        own = [row for row in counting if update_of[row["round"]] == update]
        works = {work for work, number in first.items() if number == update and work}
        parts.append(counted(counting, own, works, texts))
    everything = counted(counting, counting, set(first) - {""}, texts)
    faults = differences("flow", everything, said)
    for number, part in enumerate(parts if said["parts"] else []):
        faults += differences(f"part {number}", part, said["parts"][number])
    faults += [*of_rounds(counting, said["rounds"]), *of_kappa(directory)]
    columns = [*parts, everything] if said["parts"] else [everything]
    faults += of_documents(directory, columns)
    print("\n".join(faults) or f"every number is right: {everything}")
    return int(bool(faults))


def rows(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counted(every: list[Row], own: list[Row], works: set[str], texts: list[Row]) -> dict[str, Any]:
    """Return the counts of some records, and of the works that had arrived with none before."""
    rows_of_works = [row for row in every if row["id"] in works and row["status"] != "duplicate"]
    status = Counter(row["status"] for row in rows_of_works)
    removed = [row["why"] for row in own if row["status"] == "removed"]
    reasons = [row["why"] for row in rows_of_works if row["status"] == "excluded"]
    included = {row["id"] for row in rows_of_works if row["status"] == "included"}
    return {
        "identified": len(own),
        "by_source": dict(Counter(row["source"] for row in own)),
        "removed_by_checks": len(removed),
        "removal_reasons": dict(Counter(removed)),
        "duplicates": len(own) - len(removed) - len(works),
        "works": len(works),
        **{name: status[name] for name in STATUSES},
        "screened": status["included"] + status["excluded"],
        "for_screening": sum(status[n] for n in _SCREENED),
        "excluded": status["excluded"],
        "exclusion_reasons": dict(Counter(reason or "no reason given" for reason in reasons)),
        "included": status["included"],
        **({"full_texts": counted_texts(included, texts)} if texts else {}),
    }


def counted_texts(included: set[str], texts: list[Row]) -> dict[str, Any]:
    """Return the second stage of works: of verdicts, the last counts, which settles the others."""
    outcomes, reasons = Counter[str](), Counter[str]()
    for work in included:
        events = [row for row in texts if row["paper"] == work]
        verdicts = [row for row in events if row["event"] in {"include", "exclude"}]
        last = [*events, *verdicts][-1] if events else {"event": "waiting"}
        outcomes[last["event"]] += 1
        if last["event"] == "exclude":
            reasons[last["reason"]] += 1
    return {
        "sought": len(included),
        "waiting": outcomes["waiting"],
        "not_retrieved": outcomes["not retrieved"],
        "unassessed": outcomes["retrieved"],
        "assessed": outcomes["include"] + outcomes["exclude"],
        "excluded": outcomes["exclude"],
        "exclusion_reasons": dict(reasons),
        "included": outcomes["include"],
    }


def differences(where: str, right: dict[str, Any], said: dict[str, Any]) -> list[str]:
    return [
        f"{where}, {name}: {said[name]}, counted {count}"
        for name, count in right.items()
        if said[name] != count
    ]


def of_rounds(records: list[Row], said: list[dict[str, Any]]) -> list[str]:
    faults, seen, works = [], set[tuple[str, str]](), set[str]()
    for entry in said:
        own = [row for row in records if row["round"] == str(entry["round"])]
        kept = [row for row in own if row["status"] != "removed"]
        new = {(row["source"], row["id"]) for row in kept} - seen
        new_works = {row["kept_as"] for row in kept} - works
        seen, works = seen | new, works | new_works
        right = {
            "arrived": len(own),
            "removed": len(own) - len(kept),
            "first_found": len(new),
            "again": len(kept) - len(new),
            "new_works": len(new_works),
            "works": len(works),
        }
        faults += differences(f"round {entry['round']}", right, entry)
    return faults


def of_kappa(directory: Path) -> list[str]:
    """Compare the kappa of the reviewers: of more than two, the mean over their pairs."""
    said = json.loads((directory / "reviewers.json").read_text())
    if said["is_blind"] or said["kappa"] is None:
        return []
    arrivals = rows(directory / "records.csv")
    work_of = {row["id"]: row["kept_as"] for row in arrivals if row["kept_as"]}
    verdicts: dict[str, dict[str, str]] = {}
    for row in rows(directory / "decisions.csv"):
        is_verdict = row["event"] in {"include", "exclude"} and not row["status"]
        if row["question"] == "independent screening" and is_verdict:
            work = work_of.get(row["paper"], row["paper"])
            verdicts.setdefault(row["by"], {})[work] = row["event"]
    votes, kappas = Counter(work for own in verdicts.values() for work in own), []
    for one, other in combinations(verdicts.values(), 2):
        if both := one.keys() & other.keys():
            alike = fmean(one[i] == other[i] for i in both)
            yes, others = (fmean(own[i] == "include" for i in both) for own in (one, other))
            chance = yes * others + (1 - yes) * (1 - others)
            kappas += [(alike - chance) / (1 - chance)] if chance < 1 else []
    several = sum(count > 1 for count in votes.values())
    is_right = several == said["decided_by_several"] and isclose(fmean(kappas), said["kappa"])
    return [] if is_right else [f"kappa: {said['kappa']}, counted {kappas} of {several}"]


def of_documents(directory: Path, columns: list[dict[str, Any]]) -> list[str]:
    """Compare the lines of the flow in the report, and every number of the methods paragraph."""
    report, faults = (directory / "report.md").read_text(encoding="utf-8"), []
    flat = [numbers_of(column) for column in columns]
    for label, key in LINES.items():
        line = re.search(rf"^\| {label} \|(.*)\|$", report, re.MULTILINE)
        said = [int(cell.replace(",", "")) for cell in line[1].split("|")] if line else []
        right = [numbers[key] for numbers in flat if key in numbers]
        faults += [] if said == right else [f"report.md, {label}: {said}, counted {right}"]
    methods = (directory / "reporting.md").read_text(encoding="utf-8").split("\n\n")[2]
    sentences = re.sub(r"\([^()]*\)(?= \d)", "", methods)  # "Embase (1974-)" is a name
    for text in re.findall(r"(?<![\w.])\d[\d,]*\b", sentences):
        if int(text.replace(",", "")) not in every_number(columns[-1]):
            faults.append(f"reporting.md, methods: {text} is no count")
    return faults


def numbers_of(column: dict[str, Any]) -> dict[str, int]:
    texts = column.get("full_texts", {})
    names = ("sought", "not_retrieved", "assessed")
    return {
        **{name: count for name, count in column.items() if isinstance(count, int)},
        **({name: texts[name] for name in names} if texts else {}),
        **({"text_excluded": texts["excluded"]} if texts else {}),
        "included_last": texts["included"] if texts else column["included"],
    }


def every_number(tree: dict[str, Any]) -> set[int]:
    below = (every_number(v) if isinstance(v, dict) else {v} for v in tree.values())
    return set[int]().union(*below)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
