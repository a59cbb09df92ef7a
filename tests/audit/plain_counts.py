"""Plain counts of raw answers: what every number of ours is compared with.

Nothing of the program is imported here.
"""

from collections.abc import Iterable
from typing import Any

NAMES = [f"service_{number}" for number in range(9)]
QUERIES = ("first", "second")


def raw_answer(round_: int, service: int, query: str) -> dict[str, Any]:
    """Return what a service gives for a query: numbers of works, and what it removes itself.

    Services share works; the second query repeats some of the first, and a round those before it.
    """
    first = 3 * service + (2 if query == "second" else 0) + round_
    return {"works": list(range(first, first + 5)), "wrong": service % 3, "untitled": round_}


def recounted(rounds: int) -> dict[str, Any]:
    """Return the counts of so many rounds by a plain loop over the raw answers."""
    arrived, removed, again, new, new_works = ([0] * rounds for _ in range(5))
    by_source = dict.fromkeys(NAMES, 0)
    records: set[tuple[int, int]] = set()
    works: set[int] = set()
    found_by: dict[int, set[str]] = {}
    of_round: list[set[int]] = [set() for _ in range(rounds)]
    kept: dict[str, set[int]] = {name: set() for name in NAMES}
    for round_ in range(rounds):
        for service in range(9):
            for query in QUERIES:
                answer = raw_answer(round_, service, query)
                lost = answer["wrong"] + answer["untitled"]
                count = len(answer["works"]) + lost
                arrived[round_] += count
                removed[round_] += lost
                by_source[NAMES[service]] += count
                for work in answer["works"]:
                    again[round_] += (service, work) in records
                    new[round_] += (service, work) not in records
                    new_works[round_] += work not in works
                    records.add((service, work))
                    works.add(work)
                    found_by.setdefault(work, set()).add(NAMES[service])
                    of_round[round_].add(work)
                    if round_ == rounds - 1:
                        kept[NAMES[service]].add(work)
    last = of_round[-1]
    return {
        "of_round": last,
        "of_earlier_rounds": len(works - last),
        "kept": {name: len(numbers) for name, numbers in kept.items()},
        "facet": {name: sum(name in found_by[work] for work in last) for name in NAMES},
        "rounds": list(zip(arrived, removed, again, new, new_works, strict=True)),
        "by_source": by_source,
        "records": len(records),
        "works": len(works),
        "found_by": sorted(sorted(sources) for sources in found_by.values()),
    }


def recounted_log(log: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Return how many records each simulated service gave, by its own log."""
    count: dict[str, int] = {}
    for entry in log:
        if entry["status"] == 200 and "esearch" not in entry["path"]:
            count[entry["service"]] = count.get(entry["service"], 0) + (entry["returned"] or 0)
    return count
