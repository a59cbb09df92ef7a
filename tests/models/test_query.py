"""Intents, strategies and feedback."""

import pytest
from pydantic import ValidationError

from paper_search.models import (
    IntentType,
    ParsedIntent,
    QueryBuilderInput,
    RankedQuery,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    Seed,
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


def test_a_strategy_is_cut_to_what_may_be_asked_for():
    ranked = [
        RankedQuery(text="a", depth=900),
        RankedQuery(text="b"),
        RankedQuery(text="c", depth=5),
    ]
    asked = SearchStrategy(
        queries=[], sources=["s"], filters={"max_results": 700}, ranked=ranked, notes=["n"]
    )
    note = "at most 600 results of a source are asked for (MAX_RESULTS_CEILING)"
    cut = asked.within(600)
    assert cut == asked.model_copy(
        update={
            "filters": SearchConstraints(max_results=600),
            "ranked": [ranked[0].model_copy(update={"depth": 600}), *ranked[1:]],
            "notes": ["n", note],
        }
    )
    assert cut.within(600) == cut
    deep = asked.model_copy(update={"filters": SearchConstraints(max_results=800)})
    assert (deep.within(800).notes, deep.within(900)) == (["n"], deep)


def test_a_source_is_asked_what_it_can_answer():
    ranked = [
        RankedQuery(text="1 2001.00001"),
        RankedQuery(text="1", terms={"a": 1}),
        RankedQuery(text="b"),
    ]
    works = SearchStrategy(
        queries=[], sources=["s"], ranked=ranked, works=["pmid:1", "arxiv:2001.00001"]
    )
    assert works.plain() == ranked[1:]
    assert works.for_source(ranks_text=True) == works
    assert works.for_source(ranks_text=False) == works.model_copy(update={"ranked": []})
    bare = SearchStrategy(queries=[], sources=["s"], seeds=[Seed(doi="10.1/a")], native={"t": "q"})
    sources = ("snowball", "s", "t")
    assert [bare.asks(source) for source in sources] == [True, False, True]
    assert [works.asks(source) for source in sources] == [True, True, True]
    assert not bare.model_copy(update={"seeds": []}).asks("snowball")
