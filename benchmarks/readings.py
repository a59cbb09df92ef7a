"""How many questions are read without a model as they were meant.

    python benchmarks/readings.py DIRECTORY [--wrong]

DIRECTORY holds `questions.jsonl` and the reference checker `check.py`, whose README says what a
reading is. Questions of languages other than English are counted apart as well: their limits are
not read.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
from datetime import date
from pathlib import Path
from typing import Any

from paper_search.errors import QuestionError
from paper_search.models import IntentType
from paper_search.skills import IntentParser

UNSAID = 100_007
"""The default number of results, so that a question that names none can be told."""
TYPES = {IntentType.SURVEY: "review", IntentType.DATASET: "dataset"}


def read(text: str) -> dict[str, Any]:
    """Return the reading of a question in the fields of the checker."""
    parser = IntentParser(today=lambda: date(2026, 11, 23), default_max_results=UNSAID)
    try:
        intent = asyncio.run(parser.parse(text))
    except QuestionError as error:
        return {"refused": True, "remarks": [str(error)]}
    limits = intent.constraints
    others = [name for names in intent.alternatives.values() for name in names]
    kind = TYPES.get(intent.intent_type)
    return {
        "topic": " | ".join(
            [intent.topic, intent.question, *intent.concepts, *others, intent.boolean_query or ""]
        ),
        "year_from": limits.year_from,
        "year_to": limits.year_to,
        "excluded": intent.excluded,
        "types": [*limits.publication_types, *([kind] if kind else [])],
        "types_excluded": limits.excluded_types,
        "authors": intent.authors,
        "venues": intent.venues,
        "language": limits.language,
        "max_results": None if limits.max_results == UNSAID else limits.max_results,
        "seeds": intent.identifiers,
        "is_boolean": intent.boolean_query is not None,
        "refused": False,
        "remarks": intent.notes,
    }


def main() -> None:
    """Print how many questions of each kind are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--wrong", action="store_true", help="print what was misread")
    arguments = parser.parse_args()
    spec = importlib.util.spec_from_file_location("check", arguments.directory / "check.py")
    if spec is None or spec.loader is None:
        parser.error("the directory holds no check.py")
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    checker.check(read, arguments.directory / "questions.jsonl", show=arguments.wrong)


if __name__ == "__main__":
    main()
