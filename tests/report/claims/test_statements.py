"""Statements of many kinds on nine studies: no false one passes, at most one true one is wrong."""

import json
import re
from pathlib import Path

from tests.report.claims.test_verdicts import sentences

from paper_search.models import Author, Paper
from paper_search.report.evidence import Evidence, result_of

DATA = json.loads((Path(__file__).parents[2] / "data" / "statements.json").read_text("utf-8"))
SOURCES = [
    result_of(
        Paper(
            id=name,
            title=source["title"],
            authors=[Author(name=author) for author in source["authors"]],
            abstract=source["text"],
            year=source["year"],
            venue=source["venue"],
            source="fake",
            relevance_score=0.9,
            is_retracted=True if name in DATA["retracted"] else None,
        ),
        "q1",
    )
    for name, source in DATA["sources"].items()
]
KEYS = dict(zip(DATA["sources"], Evidence(SOURCES).by_key, strict=True))
CITED = re.compile(r"\[([A-I](?:; [A-I])*)\]")


def statuses(statement: str) -> set[str]:
    def cite(match: re.Match[str]) -> str:
        return f"[{'; '.join('@' + KEYS[name] for name in match[1].split('; '))}]"

    text = CITED.sub(cite, statement)
    return {sentence.status for sentence in sentences(text, sources=SOURCES)}


def test_at_most_one_true_statement_in_sixty_is_called_wrong() -> None:
    wrong = [text for text in DATA["true"] if "unsupported" in statuses(text)]
    assert len(DATA["true"]) >= 90
    assert len(wrong) <= len(DATA["true"]) // 60, wrong


def test_no_false_statement_passes_as_checked() -> None:
    assert len(DATA["false"]) >= 80
    assert [text for text in DATA["false"] if "supported" in statuses(text)] == []


def test_a_third_of_the_false_statements_is_called_wrong_by_code_alone() -> None:
    wrong = sum("unsupported" in statuses(text) for text in DATA["false"])
    assert wrong >= len(DATA["false"]) // 3
