"""Fit the weights of de-duplication to labelled sets, and print them as the module holds them.

Usage: python benchmarks/dedup_weights.py [--without SET] [SET ...] > weights.py

Needs scipy, which the program itself does not. docs/decisions/0014-deduplication.md says
what is fitted and why; `--without` leaves a set out, so that it can be resolved unseen.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dedup

from paper_search.skills.deduplication.blocking import candidate_pairs
from paper_search.skills.deduplication.comparison import FIELDS, Comparison, compare
from paper_search.skills.deduplication.merging import by_content
from paper_search.skills.deduplication.profiles import Profile, profile
from paper_search.skills.deduplication.resolution import recurring_titles
from paper_search.skills.deduplication.text import NOBODY

SETS = (
    "asysd_testset",
    "bibdedupe_respiratory",
    "bibdedupe_haematology",
    "exp_mis_baseline",
    "cora",
    "dblp_acm",
    "dblp_scholar_pairs_structured_valid",
    "arxiv_100k",
)
LEFT_OUT = {"issue", "ids"}
"""Fields without a weight: the one misled on unseen sets, the other decides by rule."""
PAIRS_OF_CORA = 0.25
REGULARISATION = 0.1
WHOLE, BLANKED = 2_000, 1_000
"""Weight of a set's pairs as they are, and with fields blanked out."""
RANKED = {
    "title": "identical, near, close, similar, weak, different",
    "difference": "none, spelling, added, replaced, opposed",
    "title_length": "short, middle, long, tiny, word, generic",
    "numerals": "same, one, different",
    "role": "same, different",
    "authors": "all, most, some, few, none",
    "year": "same, off in one volume, next, near, far",
    "venue": "same, partly, different",
    "volume": "same, different",
    "pages": "same, first, last, different",
    "place": "same page, same issue, same volume, other volume, other page, other issue",
    "doi": "same, elsewhere, different",
    "abstract": "same, near, similar, related, different",
}
"""Levels of a field, the one that agrees best first."""
Example = tuple[Comparison, int, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--without", metavar="SET")
    options = parser.parse_args()
    chosen = [name for name in options.sets if name != options.without]
    examples = [example for name in chosen for example in examples_of(name)]
    print_weights(*fitted(examples))


def examples_of(name: str) -> list[Example]:
    """Return the labelled pairs of a set, as they are and blanked; all sets weigh the same."""
    chance = random.Random(7)  # noqa: S311  # no secret
    papers = dedup.papers_of(list(dedup.read(name)))
    both = sorted(((profile(p), p) for p in papers), key=lambda item: by_content(item[1], item[0]))
    records = [record for record, _ in both]
    recurring = recurring_titles(records)
    label = labels(name)
    pairs: list[tuple[Profile, Profile, int]] = []
    for one, other in candidate_pairs(records):
        first, second = both[one][1], both[other][1]
        said = label(first.id, second.id)
        is_silent = name == "dblp_acm" and first.source == second.source
        if said is None or is_silent or (name == "cora" and chance.random() > PAIRS_OF_CORA):
            continue
        pairs.append((records[one], records[other], said))
    found: list[Example] = []
    for one_record, other_record, said in pairs:
        whole = compare(one_record, other_record, recurring)
        poor = compare(blanked(one_record, chance), blanked(other_record, chance), recurring)
        found.append((whole, said, WHOLE / len(pairs)))
        found.append((poor, said, BLANKED / len(pairs)))
    return found


def labels(name: str) -> Callable[[str, str], int | None]:
    path = dedup.DATA / f"dedup_{name}" / "labelled_pairs.csv"
    if path.exists():
        with path.open() as lines:
            said = {frozenset(row[:2]): int(row[2]) for row in csv.reader(lines)}
        return lambda one, other: said.get(frozenset((one, other)))
    work = {member: n for n, group in enumerate(dedup.gold_groups(name)) for member in group}
    return lambda one, other: int(work.get(one, one) == work.get(other, other))


def blanked(record: Profile, chance: random.Random) -> Profile:
    """Return a record that says less, so that no set is known by the fields that it has."""
    if chance.random() < 0.5:
        record = replace(record, doi="")
    if chance.random() < 0.5:
        record = replace(record, abstract="")
    if chance.random() < 0.12:
        record = replace(record, venue=(), kind="")
    if chance.random() < 0.12:
        record = replace(record, year=None)
    if chance.random() < 0.3:
        record = replace(record, first_page="", last_page="")
    if chance.random() < 0.3:
        record = replace(record, volume="", issue="")
    elif chance.random() < 0.3:
        record = replace(record, issue="")
    return replace(record, people=NOBODY) if chance.random() < 0.05 else record


def fitted(examples: list[Example]) -> tuple[dict[str, dict[str, float]], float]:
    """Return the weight of each level of each field, and the intercept, in natural log-odds.

    A level that agrees better never weighs less than one that agrees worse (`RANKED`).
    """
    import numpy as np  # noqa: PLC0415  # only here
    from scipy.optimize import minimize  # noqa: PLC0415  # only here

    counts: Counter[tuple[tuple[str, ...], int]] = Counter()
    for levels, said, weight in examples:
        counts[levels[: len(FIELDS)], said] += weight
    columns = [
        (field, level)
        for place, field in enumerate(FIELDS)
        if field not in LEFT_OUT
        for level in sorted({row[place] for row, _ in counts})
    ]
    number = {column: n for n, column in enumerate(columns)}
    matrix = np.zeros((len(counts), len(columns) + 1))
    matrix[:, -1] = 1.0
    for n, (row, _) in enumerate(counts):
        for field, level in zip(FIELDS, row, strict=True):
            if field not in LEFT_OUT:
                matrix[n, number[field, level]] = 1.0
    said = np.array([1.0 if label else -1.0 for _, label in counts])
    weights = np.array(list(counts.values()))
    # The parameter of a level with a worse one below it is what it weighs more than that one.
    steps = np.eye(len(columns) + 1)
    bounds: list[tuple[float | None, None]] = [(None, None)] * (len(columns) + 1)
    for field, ranked in RANKED.items():
        known = [number[field, level] for level in ranked.split(", ") if (field, level) in number]
        for place, column in enumerate(known[:-1]):
            steps[column, known[place + 1 :]] = 1.0
            bounds[column] = (0.0, None)

    def loss(parameters: Any) -> tuple[float, Any]:
        found = steps @ parameters
        margins = said * (matrix @ found)
        penalised = np.append(found[:-1], 0.0)
        value = REGULARISATION * (weights @ np.logaddexp(0, -margins)) + penalised @ penalised / 2
        slope = -REGULARISATION * weights * said / (1 + np.exp(margins))
        return float(value), steps.T @ (matrix.T @ slope + penalised)

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-10}
    start = np.zeros(len(columns) + 1)
    best = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    values = steps @ best.x
    table: dict[str, dict[str, float]] = {}
    for (field, level), value in zip(columns, values, strict=False):
        table.setdefault(field, {})[level] = round(float(value), 2)
    return table, round(float(values[-1]), 2)


def print_weights(weights: dict[str, dict[str, float]], intercept: float) -> None:
    print(f"INTERCEPT = {intercept}\n\nWEIGHTS = {{")
    for field in (item for item in FIELDS if item in weights):
        print(f'    "{field}": {{')
        for level, weight in sorted(weights[field].items(), key=lambda item: -item[1]):
            print(f'        "{level}": {weight},')
        print("    },")
    print("}")


if __name__ == "__main__":
    main()
