"""A strategy as a form, and what comes back from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.models import Criterion, SearchQuery, SearchStrategy
from paper_search.query import parse, render
from paper_search.web.strategy_view import join_groups, narrowed, strategy_from_form, term_groups

TERMS = st.sampled_from(["gnn*", '"drug target"', "title:protein", "NOT review", "year:2010-2020"])
GROUPS = st.lists(st.lists(TERMS, min_size=1, max_size=3, unique=True), min_size=1, max_size=3)


def strategy(query: str = "(a OR b) AND c", **fields: object) -> SearchStrategy:
    return SearchStrategy.model_validate(
        {"queries": [{"keywords": [], "boolean_query": query}], "sources": ["library"], **fields}
    )


def queries(form: list[tuple[str, str]], query: str = "(a OR b) AND c") -> list[str]:
    return [item["boolean_query"] for item in strategy_from_form(strategy(query), form)["queries"]]


@given(st.lists(GROUPS, min_size=1, max_size=2))
def test_groups_that_are_joined_mean_what_the_query_meant(rows):
    query = join_groups(rows)
    again = join_groups(term_groups(query))
    assert term_groups(query) == [] or render(parse(again)) == render(parse(query))


@pytest.mark.parametrize(
    ("query", "groups"),
    [
        ("(a OR b) AND c", [[["a", "b"], ["c"]]]),
        ("a OR b", [[["a", "b"]]]),
        ("(a OR b) AND c OR d", [[["a", "b"], ["c"]], [["d"]]]),
        ("a AND (b AND (c OR d) OR e)", []),
        ("(((", []),
    ],
)
def test_a_query_is_shown_in_groups_where_it_is_no_deeper_than_that(query, groups):
    assert term_groups(query) == groups


@pytest.mark.parametrize(
    ("form", "asked"),
    [
        ([], ["(a OR b) AND c"]),
        (
            [("group-0-0-0", "a\nb"), ("group-0-0-1", "c"), ("group-0-0-new", "")],
            ["(a OR b) AND c"],
        ),
        ([("group-0-0-0", "a\ndrug target")], ['(a OR "drug target") AND c']),
        ([("group-0-0-1", "")], ["(a OR b)"]),
        ([("group-0-0-new", "d\ne")], ["(a OR b) AND c AND (d OR e)"]),
        ([("query-0", "x AND y"), ("group-0-0-1", "z")], ["x AND y"]),
        ([("query-0", "")], []),
        ([("query-new", " d "), ("query-new", "")], ["(a OR b) AND c", "d"]),
    ],
)
def test_what_was_changed_in_a_query_is_changed_and_no_more(form, asked):
    assert queries(form) == asked


def test_a_form_that_was_not_changed_leaves_the_strategy_as_it_was():
    filters = {"year_from": 2010, "max_results": 50}
    before = strategy(filters=filters, ranked=[{"text": "a question", "terms": {"gnn": 0.5}}])
    form = [
        ("source", "library"),
        ("sources-shown", "1"),
        ("types-shown", "1"),
        ("year_from", "2010"),
        ("year_to", ""),
        ("language", ""),
        ("max_results", "50"),
        ("ranked-0", "a question"),
    ]
    assert strategy_from_form(before, form) == strategy_from_form(before, [])
    assert SearchStrategy.model_validate(strategy_from_form(before, form)) == before


def test_limits_sources_and_criteria_come_from_the_form():
    form = [
        ("sources-shown", "1"),
        ("source", "openalex"),
        ("year_to", "soon"),
        ("criterion-0", ""),
        ("criterion-1-weight", "3"),
        ("publication_type", "thesis"),
        ("types-shown", "1"),
    ]
    criteria = [Criterion(text="one"), Criterion(text="two")]
    edited = strategy_from_form(strategy(), form, criteria)
    assert edited["sources"] == ["openalex"]
    assert edited["filters"]["year_to"] == "soon"
    assert edited["filters"]["publication_types"] == ["thesis"]
    assert edited["criteria"] == [{"text": "two", "kind": "inclusion", "weight": 3}]


@pytest.mark.parametrize("query", ["a OR b", "a AND (b AND (c OR d) OR e)"])
def test_a_narrower_query_asks_for_one_term_more(query):
    wanted = f'({query}) AND "drug target"'
    assert render(parse(narrowed(query, "drug target"))) == render(parse(wanted))


def test_the_keywords_of_an_edited_query_stay():
    query = SearchQuery(keywords=["a"], boolean_query="a OR b")
    before = SearchStrategy(queries=[query], sources=["library"])
    edited = strategy_from_form(before, [("group-0-0-0", "a\nc")])
    assert edited["queries"] == [
        {"keywords": ["a"], "synonym_map": [], "boolean_query": "(a OR c)"}
    ]
