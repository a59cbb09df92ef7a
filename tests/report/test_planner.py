"""Queries: typed, enough of them, and broader ones for weak ones."""

import pytest

from paper_search.models import QueryBuilderInput
from paper_search.report.models import PlannerInput, SearcherInput, SearchQuery
from paper_search.report.planner import Planner, broader_query, gap_queries
from paper_search.report.searcher import ReportSearcher
from paper_search.skills import IntentParser, QueryBuilder
from paper_search.testing.reports import FakeSearch, report_sources


def query(text: str, **changes: object) -> SearchQuery:
    return SearchQuery(query_text=text, search_type="academic").model_copy(update=changes)


@pytest.mark.parametrize(
    ("text", "kind", "broader"),
    [
        ('"shade trees" "city streets"', "academic", '"shade trees"'),
        ("shade trees", "academic", "trees"),
        ("trees", "academic", None),
        ("shade trees cool city streets today", "web", "shade trees cool city"),
        ("shade trees", "web", None),
    ],
)
def test_a_weak_query_asks_for_less_as_long_as_there_is_less(text, kind, broader):
    weak = broader_query(query(text, search_type=kind))
    assert (weak and weak.query_text) == broader


async def test_a_query_that_brings_too_little_is_reformulated_once():
    searcher = ReportSearcher({"academic": FakeSearch(report_sources()[:1])})
    given = SearcherInput(search_queries=[query('"shade trees" and "city streets"')])
    output = await searcher.collect(given)
    broader = output.queries[-1]
    assert broader.status == "pending"
    assert broader.reformulates == output.queries[0].query_id
    again = await searcher.collect(SearcherInput(search_queries=[broader]))
    assert len(again.queries) == 1


async def test_a_kind_of_search_that_is_not_there_fails_its_queries_and_says_so():
    searcher = ReportSearcher({"academic": FakeSearch()})
    given = SearcherInput(search_queries=[query("x", search_type="news"), query("trees")])
    output = await searcher.collect(given)
    assert (output.queries_failed, output.queries_completed) == (1, 1)
    assert "no news search" in output.errors[0]


def test_a_gap_is_searched_without_the_words_in_which_it_is_asked():
    asked = "What do the sources report on zinc lozenges and colds?"
    (query,) = gap_queries([(0, asked)], "academic", {})
    assert query.query_text == "zinc lozenges and colds"
    assert query.question == 0


def test_a_gap_is_searched_by_the_query_that_a_model_suggests_for_it():
    found = gap_queries([(0, "Is it safe?"), (1, "Is it cheap?")], "web", {1: "zinc price"})
    assert [query.query_text for query in found][1] == "zinc price"


async def test_a_plan_without_a_model_makes_no_phrase_of_words_that_stand_side_by_side():
    for question in ("Is zolapine safe in pregnancy?", "Do green roofs lower the heat of cities?"):
        plan = (await Planner().plan(PlannerInput(original_query=question))).research_plan
        assert not [q.query_text for q in plan.search_queries if '"' in q.query_text]


@pytest.mark.parametrize(
    "question",
    ["Does mindfulness help against anxiety in adolescents?", "Few-shot detection of objects"],
)
async def test_no_two_queries_of_a_plan_without_a_model_ask_services_for_the_same(question):
    plan = (await Planner().plan(PlannerInput(original_query=question))).research_plan
    booleans = []
    for planned in plan.search_queries:
        if planned.search_type == "academic":
            intent = await IntentParser(None).parse(planned.query_text)
            strategy = await QueryBuilder(None).build(QueryBuilderInput(intent=intent))
            booleans.append([query.boolean_query for query in strategy.queries])
    assert len({str(queries) for queries in booleans}) == len(booleans) >= 2


async def test_a_plan_without_a_model_searches_the_fields_that_a_person_names():
    given = PlannerInput(original_query="Do green roofs cool cities?", domain_hints=["ecology"])
    plan = (await Planner().plan(given)).research_plan
    assert any(query.query_text.endswith(" ecology") for query in plan.search_queries[:4])
