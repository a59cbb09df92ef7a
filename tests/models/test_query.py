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

INTENT = {"topic": "t", "concepts": [], "intent_type": "survey"}


def test_intent_types_are_those_of_the_interface():
    assert [member.value for member in IntentType] == ["survey", "method", "dataset", "baseline"]


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (SearchConstraints(), {"max_results": 100, "year_from": None, "year_to": None}),
        (SearchQuery(keywords=["k"], boolean_query="k"), {"synonym_map": []}),
        (SearchStrategy(queries=[], sources=[]), {"queries": [], "filters": SearchConstraints()}),
        (ParsedIntent(**INTENT, mood="good"), {"constraints": SearchConstraints()}),
        (QueryBuilderInput(intent=INTENT), {"previous_strategies": [], "user_feedback": None}),
        (UserFeedback(liked=["a"]), {"marked_relevant": [], "free_text_feedback": None}),
    ],
)
def test_what_is_not_said_has_a_default_and_unknown_fields_are_ignored(model, fields):
    assert {name: getattr(model, name) for name in fields} == fields


def test_what_is_empty_is_left_out_of_json_but_for_the_fields_of_the_interface():
    assert SearchConstraints().model_dump().keys() == {
        *("year_from", "year_to", "language", "max_results")
    }
    assert UserFeedback().model_dump().keys() == {
        *("marked_relevant", "marked_irrelevant", "free_text_feedback", "merge_decisions")
    }


@pytest.mark.parametrize(
    ("model", "fields", "needed"),
    [
        (ParsedIntent, INTENT, ["topic", "concepts", "intent_type"]),
        (SearchQuery, {"keywords": [], "boolean_query": "k"}, ["keywords", "boolean_query"]),
    ],
)
def test_what_an_intent_and_a_query_need(model, fields, needed):
    for missing in needed:
        with pytest.raises(ValidationError, match=missing):
            model(**{name: value for name, value in fields.items() if name != missing})


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
    note = "at most 600 results per source are requested (MAX_RESULTS_CEILING)"
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
