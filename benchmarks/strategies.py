"""How many strategies as other systems print them are read right, refused, or read wrong.

    python benchmarks/strategies.py DIRECTORY [strategies.jsonl]

DIRECTORY holds `check.py`, whose README says what a strategy and its documents are, and
`strategies.jsonl`, unless another file of this form is named.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from paper_search.query import evaluate
from paper_search.query.evaluation import SUBHEADINGS
from paper_search.query.limits import TYPES
from paper_search.query.parser import analyse

_CODES = {name: code for code, name in SUBHEADINGS.items()}


def fields_of(document: dict[str, Any]) -> dict[str, str | int | None]:
    """Return the fields of a document of the data set by the names that `evaluate` knows."""
    headings = [heading.partition("/") for heading in document.get("headings", ())]
    fields = {
        "title": document["title"],
        "abstract": document["abstract"],
        "author": " ; ".join(document.get("authors", ())),
        "venue": document.get("venue", ""),
        "type": " ; ".join(
            f"{name} ; {TYPES.get(name.lower(), '')}" for name in document.get("type", ())
        ),
        "language": document.get("language", ""),
        "entered": document.get("entered", ""),
        "subheading": " ; ".join(f"{sub} ; {_CODES.get(sub, '')}" for _, _, sub in headings),
        "subset": " ; ".join(
            [*(name for name, _, _ in headings), *["hasabstract"] * bool(document["abstract"])]
        ),
        "year": document.get("year"),
    }
    fields |= {f"keyword {n}": word for n, word in enumerate(document.get("keywords", ()))}
    fields["heading"] = ""  # every document is indexed
    fields |= {f"heading {n}": "/".join(parts) for n, parts in enumerate(headings)}
    return fields


def answer(text: str, _system: str, document: dict[str, Any]) -> tuple[bool, list[str]]:
    """Return whether a strategy finds a document, and the remarks of its reading."""
    found = analyse(text)
    return evaluate(found.node, fields_of(document)), [note for _, note in found.notes]


def checker(directory: Path) -> ModuleType:
    """Return the checker of the data set."""
    spec = importlib.util.spec_from_file_location("check", directory / "check.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{directory} holds no check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Print the figures by system."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    arguments = parser.parse_args()
    path = arguments.file or arguments.directory / "strategies.jsonl"
    rows = [json.loads(row) for row in path.read_text(encoding="utf-8").split("\n") if row]
    raise SystemExit(checker(arguments.directory).check(answer, rows) > 0)


if __name__ == "__main__":
    main()
