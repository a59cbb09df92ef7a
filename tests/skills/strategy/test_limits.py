from __future__ import annotations

import pytest

from paper_search.models import IntentType, ParsedIntent, SearchConstraints
from paper_search.query import parse
from paper_search.skills.strategy.limits import (
    Limits,
    barred_names,
    lifted,
    limits_of_intent,
    required_names,
)
from paper_search.skills.strategy.trees import written


def intent(**given: object) -> ParsedIntent:
    kinds = given.pop("excluded_types", [])
    return ParsedIntent.model_validate(
        {
            "topic": "t",
            "concepts": [],
            "intent_type": IntentType.METHOD,
            "constraints": SearchConstraints.model_validate({"excluded_types": kinds}),
            **given,
        }
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, ""),
        ({"authors": ["Vaswani"]}, "author:Vaswani"),
        ({"authors": ["Le Cun", "Li"]}, '(author:"Le Cun" OR author:Li)'),
        ({"excluded": ["honey bees"]}, 'NOT ("honey bees" OR "honey bee")'),
        ({"excluded_types": ["case report"]}, 'NOT title:"case report"'),
        ({"excluded_types": ["thesis"]}, "NOT (title:thesis OR title:dissertation)"),
        ({"excluded_types": ["article-journal"]}, ""),
        ({"authors": ["Li"], "excluded": ["rain"]}, "author:Li NOT (rain OR rains)"),
    ],
)
def test_limits_are_a_query_of_their_own(given: dict[str, object], text: str) -> None:
    limits = limits_of_intent(intent(**given))
    assert limits.text() == text
    assert bool(limits) is bool(text)


def test_reviews_are_known_by_their_titles() -> None:
    text = limits_of_intent(intent(excluded_types=["review"])).text()
    assert text.startswith("NOT (title:review OR title:survey OR title:overview OR title:meta")


def test_a_query_within_limits_repeats_none_that_it_has() -> None:
    limits = Limits(tuple(required_names(["lichens"])), tuple(barred_names(["wasps"])))
    tree = limits.applied(parse("bees OR ants"))
    assert written(tree) == "(bees OR ants) AND (lichens OR lichen) NOT (wasps OR wasp)"
    assert limits.applied(tree) == tree
    assert Limits().applied(tree) is tree


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("bees NOT (wasps OR wasp OR ants)", "bees NOT ants"),
        ("bees NOT wasp", "bees"),
        ("NOT wasps", ""),
        ("bees NOT ants", "bees NOT ants"),
        ("wasps AND bees", "wasps AND bees"),
        ("(unreadable", "(unreadable"),
    ],
)
def test_an_exclusion_can_be_lifted(query: str, left: str) -> None:
    assert lifted(query, ["Wasps"]) == left
    assert lifted(query, []) == query
