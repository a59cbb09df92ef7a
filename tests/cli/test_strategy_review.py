"""Checkpoint 1 field by field, with what a person types."""

from __future__ import annotations

from typing import Any

import pytest
from typing_extensions import override

from paper_search.cli.strategy_review import StrategyReview
from paper_search.cli.terminal import Terminal
from paper_search.models import Criterion, CriterionKind, IntentType, ParsedIntent
from paper_search.testing.skills import fake_strategy
from paper_search.workflow import Checkpoint, CheckpointKind, StrategyPayload

CRITERIA = [Criterion(text="a", weight=2), Criterion(text="b", kind=CriterionKind.EXCLUSION)]


class Typed(Terminal):
    """A person who answers by the beginning of a prompt, and else with Enter."""

    def __init__(self, answers: dict[str, list[str]]) -> None:
        self._answers = answers

    @override
    def ask(self, prompt: str) -> str:
        left = next((item for start, item in self._answers.items() if prompt.startswith(start)), [])
        return left.pop(0) if left else ""


def decided(answers: dict[str, list[str]], criteria: list[Criterion]) -> Any:
    intent = ParsedIntent(topic="t", concepts=["c"], intent_type=IntentType.METHOD)
    checkpoint = Checkpoint(
        kind=CheckpointKind.STRATEGY_CONFIRMATION,
        payload=StrategyPayload(intent=intent.judged_by(criteria), strategy=fake_strategy("x")),
    )
    given = {"[a]pprove": ["e", "a"], **answers}
    return StrategyReview(Typed(given)).decide(checkpoint).revised_data


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"inclusion 1": ["new"]}, [("new", 2), ("b", 1)]),
        ({"inclusion 1": ["-"], "another inclusion": ["c"]}, [("b", 1), ("c", 1)]),
    ],
)
def test_criteria_are_edited_one_by_one(
    answers: dict[str, list[str]], expected: list[tuple[str, int]]
) -> None:
    given = decided(answers, CRITERIA)["criteria"]
    assert [(query["text"], query["weight"]) for query in given] == expected


def test_criteria_that_nobody_changed_are_no_edit() -> None:
    assert decided({}, CRITERIA) is None


def test_without_a_model_there_are_no_criteria_to_ask_about() -> None:
    assert decided({"another inclusion": ["c"]}, []) is None
