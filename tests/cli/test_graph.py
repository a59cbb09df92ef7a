"""`paper-search graph`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Cli = Callable[..., Any]


def test_the_picture_has_every_answer_of_a_person_on_its_edges(cli: Cli) -> None:
    drawn = cli("graph").stdout
    assert drawn == cli("graph", "--format", "mermaid").stdout
    assert "confirm_strategy -- reject --> build_strategy" in drawn
    assert "review_results -- approve --> finish" in drawn


def test_json_has_the_same_edges(cli: Cli) -> None:
    document = cli("graph", "--format", "json").document
    assert document == cli("graph", "--json").document
    edge = {"from": "confirm_strategy", "outcome": "edit", "to": "search"}
    assert edge in document["transitions"]


def test_an_unknown_format_is_a_usage_error(cli: Cli) -> None:
    assert cli("graph", "--format", "png").code == 2
    assert cli("graph", "--format", "mermaid", "--json").code == 2
