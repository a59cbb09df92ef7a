"""Whether strategies that are written for a database read back as the same tree.

    python benchmarks/strategy_round_trips.py [--trees N] [--strategies DIRECTORY]

Trees are random, from a seed: concepts of headings, words, phrases and distances, limits and an
exclusion. With DIRECTORY, the printed strategies of `benchmarks/strategies.py` are written, too.
Both trees are evaluated over random documents; "more" counts trees of which what was written finds
a document that the tree excludes, beside the limits that it names as left out.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from paper_search.errors import InputError, QuerySyntaxError
from paper_search.query import (
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    evaluate,
    normalise,
    parse,
)
from paper_search.query.dialects import DIALECTS
from paper_search.query.normal_form import identity
from paper_search.query.writer import write_strategy

WORDS = [
    *("asthma", "child", "school", "exercise", "copd", "sleep", "yoga", "nurse", "graph"),
    *("heart", "failure", "vitamin", "covid-19", "colour", "wound"),
]
HEADINGS = ("Heart Failure", "Asthma", "Diabetes Mellitus, Type 2", "Wounds and Injuries")
KEYWORDS = ("", "heart failure", "type 2 diabetes mellitus", "diabetes mellitus, type 2", "asthma")
FIELDS = (None, "title", "abstract", "tiab", "tiab", "tiab")
COLUMNS = ("same", "noted", "refused", "other", "more")


class Trees:
    """Random trees and documents."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  # no secret

    def _leaf(self, field: str | None) -> Term | Phrase:
        chance = self._random.random()
        word = self._random.choice(WORDS)
        if chance < 0.4:
            return Phrase(tuple(self._random.sample(WORDS, 2)), field)
        if chance < 0.55:
            return Term(word[:5], field, is_prefix=True)
        if chance < 0.62 and len(word) > 4:
            return Term(f"{word[:2]}{self._random.choice('?$')}{word[3:]}", field)
        return Term(word, field)

    def _concept(self) -> Node:
        field = self._random.choice(FIELDS)
        parts: list[Node] = []
        if self._random.random() < 0.5:
            words = tuple(self._random.choice(HEADINGS).split())
            kind = self._random.choice(["mesh", "mesh", "mesh-only", "majr"])
            parts.append(Phrase(words, kind))
        for _ in range(self._random.randint(1, 4)):
            if self._random.random() < 0.2:
                distance, is_ordered = self._random.randint(1, 5), self._random.random() < 0.15
                parts.append(Near(self._leaf(field), self._leaf(field), distance, is_ordered))
            else:
                parts.append(self._leaf(field))
        return Or(tuple(parts))

    def tree(self) -> Node:
        """Return concepts, limits and an exclusion."""
        parts = [self._concept() for _ in range(self._random.randint(1, 3))]
        limits = [
            YearRange(2010, self._random.choice([None, 2020])),
            Term(self._random.choice(["english", "french"]), "language"),
            Term(self._random.choice(["2018-01-01/2019-06-30", "2019-01-01/"]), "entered"),
            Not(Or((Term("letter", "type"), Term("editorial", "type")))),
            Not(self._concept()),
        ]
        return normalise(And((*parts, *(one for one in limits if self._random.random() < 0.3))))

    def document(self) -> dict[str, str | int | None]:
        """Return a document of the same words."""
        choose = self._random.choice
        title, abstract = (
            " ".join(self._random.choices([*WORDS, "of", "the"], k=count)) for count in (6, 12)
        )
        return {
            "title": title, "abstract": abstract, "keywords": choose(KEYWORDS),
            "year": choose([2007, 2012, 2022]), "language": choose(["english", "french"]),
            "type": choose(["review", "letter"]),
            "entered": choose(["2018-05-05", "2019-01-02", "2021-01-01"]),
        }  # fmt: skip


def _parts(tree: Node) -> frozenset[object]:
    """Return the parts that all have to match, in any order and whatever their case."""
    return frozenset(map(identity, tree.children if isinstance(tree, And) else (tree,)))


def outcomes(tree: Node, documents: list[dict[str, str | int | None]]) -> Iterator[tuple[str, str]]:
    """Yield a database, and what came of writing a tree for it."""
    wanted = [evaluate(tree, document) for document in documents]
    for database in DIALECTS:
        try:
            written = write_strategy(tree, database)
        except InputError:
            yield database, "refused"
            continue
        back = parse(written.text)
        yield (
            database,
            "same" if _parts(back) == _parts(tree) else "noted" if written.notes else "other",
        )
        asked = And((back, *written.left_out))
        found = [evaluate(asked, document) for document in documents]
        if any(one and not other for one, other in zip(found, wanted, strict=True)):
            yield database, "more"


def main() -> None:
    """Print the figures by database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--strategies", type=Path)
    arguments = parser.parse_args()
    made = Trees(1)
    trees = [made.tree() for _ in range(arguments.trees)]
    if arguments.strategies:
        rows = (arguments.strategies / "strategies.jsonl").read_text(encoding="utf-8").split("\n")
        trees = []
        for row in filter(None, rows):
            try:
                trees.append(parse(json.loads(row)["text"]))
            except QuerySyntaxError:
                continue
    documents = [made.document() for _ in range(60)]
    counts = {database: Counter[str]() for database in DIALECTS}
    for tree in trees:
        for database, outcome in outcomes(tree, documents):
            counts[database][outcome] += 1
    print(f"{len(trees)} trees".ljust(12) + "".join(name.rjust(9) for name in COLUMNS))
    for database, found in counts.items():
        print(database.ljust(12) + "".join(str(found[name]).rjust(9) for name in COLUMNS))


if __name__ == "__main__":
    main()
