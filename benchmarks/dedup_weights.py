"""Fit the weights of de-duplication to labelled sets, and print them as the module holds them.

Usage: python benchmarks/dedup_weights.py [--without SET] [SET ...] > weights.py

Needs scikit-learn, which the program itself does not. docs/decisions/0014-deduplication.md says
what is fitted and why; `--without` leaves a set out, so that it can be resolved unseen.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Callable
from dataclasses import replace

import dedup

from paper_search.skills.deduplication.blocking import candidate_pairs
from paper_search.skills.deduplication.comparison import FIELDS, Comparison, compare
from paper_search.skills.deduplication.merging import by_content
from paper_search.skills.deduplication.people import NOBODY
from paper_search.skills.deduplication.profiles import Profile, profile
from paper_search.skills.deduplication.recurrence import recurring_titles

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
    both = sorted(((profile(p), p) for p in papers), key=lambda each: by_content(each[1], each[0]))
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
    work = {each: n for n, group in enumerate(dedup.gold_groups(name)) for each in group}
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
    """Return the weight of each level of each field, and the intercept, in natural log-odds."""
    from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415  # only here
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  # only here

    vectoriser = DictVectorizer()
    levels = [
        {field: level for field, level in zip(FIELDS, pair, strict=False) if field not in LEFT_OUT}
        for pair, _, _ in examples
    ]
    matrix = vectoriser.fit_transform(levels)
    model = LogisticRegression(C=REGULARISATION, max_iter=3_000)
    model.fit(matrix, [each[1] for each in examples], sample_weight=[each[2] for each in examples])
    weights: dict[str, dict[str, float]] = {}
    for name, weight in zip(vectoriser.get_feature_names_out(), model.coef_[0], strict=True):
        field, _, level = name.partition("=")
        weights.setdefault(field, {})[level] = round(float(weight), 2)
    return weights, round(float(model.intercept_[0]), 2)


def print_weights(weights: dict[str, dict[str, float]], intercept: float) -> None:
    print(f"INTERCEPT = {intercept}\n\nWEIGHTS = {{")
    for field in (each for each in FIELDS if each in weights):
        print(f'    "{field}": {{')
        for level, weight in sorted(weights[field].items(), key=lambda each: -each[1]):
            print(f'        "{level}": {weight},')
        print("    },")
    print("}")


if __name__ == "__main__":
    main()
