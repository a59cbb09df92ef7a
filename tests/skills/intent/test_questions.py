"""Questions as people type them, of many fields: each is read as it is meant."""

import asyncio
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from paper_search.models import IntentType, ParsedIntent
from paper_search.skills import IntentParser
from paper_search.skills.intent.reader import parse_question

FILE = Path(__file__).parent / "questions.jsonl"
QUESTIONS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
NO_NUMBER = 100_007
TYPES = {IntentType.SURVEY: "review", IntentType.DATASET: "dataset"}


def limits_of(intent: ParsedIntent) -> dict[str, Any]:
    """Return all that limits a search; what is empty is left out."""
    limits = intent.constraints
    types = [*limits.publication_types]
    types += [TYPES[intent.intent_type]] if intent.intent_type in TYPES else []
    fields = {
        "year_from": limits.year_from,
        "year_to": limits.year_to,
        "excluded": intent.excluded,
        "excluded_types": limits.excluded_types,
        "types": types,
        "authors": intent.authors,
        "venues": intent.venues,
        "language": limits.language,
        "max_results": limits.max_results if limits.max_results != NO_NUMBER else None,
        "seeds": [name.partition(":")[2] for name in intent.identifiers],
        "is_boolean": intent.boolean_query is not None,
    }
    return {name: value for name, value in fields.items() if value}


def flat(text: str) -> str:
    return " ".join(text.replace("-", " ").casefold().split())


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda entry: str(entry["text"]))
def test_a_question_is_read_as_it_is_meant(question):
    parser = IntentParser(today=lambda: date(2026, 11, 23), default_max_results=NO_NUMBER)
    intent = asyncio.run(parser.parse(question["text"]))
    searched = flat(f"{intent.question} | {' | '.join(intent.concepts)}")
    limits = limits_of(intent)
    assert [word for word in question.get("has", []) if flat(word) not in searched] == []
    assert [word for word in question.get("lacks", []) if flat(word) in searched] == []
    assert {k: v for k, v in limits.items() if k not in question.get("may", [])} == {
        name: question[name] for name in limits_of_question(question)
    }
    assert question.get("note", "") in " ".join(intent.notes)


def limits_of_question(question: dict[str, Any]) -> set[str]:
    """Return the limits that the question states."""
    beside = {"text", "has", "lacks", "may", "note"}
    return {name for name, value in question.items() if name not in beside and value}


def test_a_kind_that_is_acted_on_is_not_noted_as_left_alone():
    intent = asyncio.run(IntentParser().parse("homework in schools? systematic reviews only"))
    assert (intent.intent_type, intent.notes) == (IntentType.SURVEY, [])


def test_a_request_in_english_is_no_concept_of_a_question_in_another_language():
    intent = asyncio.run(IntentParser().parse("Can you find me inflação no Brasil antes de 1994?"))
    assert intent.concepts == ["inflação", "Brasil"]


@pytest.mark.parametrize(("piece", "count"), [("x", 100_000), ("1", 100_000), (",", 20_000)])
@pytest.mark.timeout(60)  # a second or three as it is, minutes were it quadratic
def test_a_question_without_end_is_read(piece, count):
    """SEC-17"""
    assert parse_question("bees " + piece * count, date(2026, 1, 1)).concepts
