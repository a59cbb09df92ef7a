"""Intents, strategies and feedback."""

import pytest
from pydantic import ValidationError

from paper_search.models import (
    IntentType,
    ParsedIntent,
    QueryBuilderInput,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    SourceStatus,
    UserFeedback,
)

INTENT = {"topic": "t", "concepts": [], "intent_type": "survey", "constraints": {}}


def test_intent_types_are_those_of_the_interface():
    assert [member.value for member in IntentType] == ["survey", "method", "dataset", "baseline"]


def test_without_constraints_nothing_is_limited_but_the_number():
    assert SearchConstraints().model_dump() == {
        "year_from": None,
        "year_to": None,
        "language": None,
        "max_results": 100,
    }


@pytest.mark.parametrize("missing", [name for name in INTENT if name != "constraints"])
def test_an_intent_needs_all_of_its_fields_but_its_limits(missing):
    with pytest.raises(ValidationError, match=missing):
        ParsedIntent(**{name: value for name, value in INTENT.items() if name != missing})


def test_a_query_needs_keywords_and_a_boolean_query():
    query = SearchQuery(keywords=["k"], boolean_query="k")
    assert query.synonym_map == []
    for wrong in ({"keywords": []}, {"boolean_query": "k"}):
        with pytest.raises(ValidationError):
            SearchQuery(**wrong)


def test_a_strategy_may_have_no_queries():
    strategy = SearchStrategy(queries=[], sources=[], filters={})
    assert strategy.queries == []
    assert strategy.filters == SearchConstraints()


def test_unknown_fields_are_ignored():
    assert ParsedIntent(**INTENT, mood="good") == ParsedIntent(**INTENT)
    assert UserFeedback(liked=["a"]) == UserFeedback()


def test_the_first_request_has_neither_strategies_nor_feedback():
    request = QueryBuilderInput(intent=INTENT)
    assert request.previous_strategies == []
    assert request.user_feedback is None
    assert request.marked_papers == []


def test_feedback_may_be_empty():
    assert UserFeedback().model_dump() == {
        "marked_relevant": [],
        "marked_irrelevant": [],
        "free_text_feedback": None,
        "merge_decisions": [],
    }


def test_an_empty_answer_is_no_failure_and_half_an_answer_is_one():
    fine = {member for member in SourceStatus if not member.is_failure}
    assert fine == {SourceStatus.OK, SourceStatus.EMPTY}


def test_what_does_not_say_its_type_is_let_through():
    limits = SearchConstraints(publication_types=["book"])
    allowed = [limits.allows_type(kind) for kind in ("book", "chapter", None)]
    assert allowed == [True, False, True]
    assert SearchConstraints().allows_type("chapter")
