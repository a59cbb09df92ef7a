"""A strategy as a form, and what comes back from it."""

import asyncio
import csv
import io
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.conftest import visiting

from paper_search.audit import audit_of
from paper_search.config import AppConfig
from paper_search.models import (
    Criterion,
    ParsedIntent,
    QueryBuilderInput,
    SearchConstraints,
    SearchStrategy,
)
from paper_search.persistence import open_persistence
from paper_search.query import parse, render
from paper_search.server.guard import VISITOR
from paper_search.testing.skills import FakeSkills
from paper_search.web.strategy_view import join_groups, narrow, strategy_from_form, term_groups
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.records import SearchRecords

TERMS = st.sampled_from(
    ["gnn*", '"drug target"', "title:protein", "NOT review", "year:2010-2020", "a NEAR/3 b"]
)
GROUPS = st.lists(st.lists(TERMS, min_size=1, max_size=3, unique=True), min_size=1, max_size=3)


def strategy(query: str = "(a OR b) AND c", **fields: object) -> SearchStrategy:
    return SearchStrategy.model_validate(
        {"queries": [{"keywords": [], "boolean_query": query}], "sources": ["library"], **fields}
    )


def queries(form: list[tuple[str, str]], query: str = "(a OR b) AND c") -> list[str]:
    return [item["boolean_query"] for item in strategy_from_form(strategy(query), form)["queries"]]


@given(st.lists(GROUPS, min_size=1, max_size=2))
def test_groups_that_are_joined_mean_what_the_query_meant(rows):
    groups = [[f"({' OR '.join(terms)})" for terms in row] for row in rows]
    query = " OR ".join(f"({' AND '.join(row)})" for row in groups)
    assert render(parse(join_groups(rows))) == render(parse(query))
    again = join_groups(term_groups(query))
    assert term_groups(query) == [] or render(parse(again)) == render(parse(query))


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
        ([("group-0-0-1", "d OR e")], ["(a OR b) AND (d OR e)"]),
        ([("query-0", "x AND y"), ("group-0-0-1", "z")], ["x AND y"]),
        ([("shown-0", "d AND e"), ("query-0", "d AND e")], ["d AND e"]),
        (
            [("shown-0", "d AND e"), ("query-0", "d AND e"), ("group-0-0-1", "e\nf")],
            ["d AND (e OR f)"],
        ),
        ([("query-0", "")], []),
        ([("query-new", " d "), ("query-new", "")], ["(a OR b) AND c", "d"]),
    ],
)
def test_what_was_changed_in_a_query_is_changed_and_no_more(form, asked):
    assert queries(form) == asked


def test_words_that_have_to_be_near_stay_so_where_another_box_is_changed():
    [query] = queries([("group-0-0-1", "c\nd")], "(a NEAR/3 b) AND c")
    assert render(parse(query)) == "(a NEAR/3 b) AND (c OR d)"


def test_limits_sources_and_criteria_come_from_the_form():
    form = [
        ("sources-shown", "1"),
        ("source", "openalex"),
        ("year_to", "soon"),
        ("criteria-shown", "1"),
        ("criterion-0", ""),
        ("criterion-1", "two"),
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
    assert render(parse(narrow(query, "drug target"))) == render(parse(wanted))


class Fields(HTMLParser):
    """What the boxes of a page hold, by name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.values: dict[str, list[str]] = {}
        self._open: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        name, value = named.get("name"), named.get("value") or ""
        self._open = name if tag == "textarea" else None
        if name and tag == "input" and (named.get("type") != "checkbox" or "checked" in named):
            self.values.setdefault(name, []).append(value)

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._open = None

    def handle_data(self, data: str) -> None:
        if self._open:
            self.values.setdefault(self._open, []).append(data)


@pytest.mark.parametrize("action", ["preview", "step:0", "narrow:0"])
def test_what_a_form_says_is_still_there_after_a_look_at_what_would_be_sent(visitors, action):
    page = visitors()
    page.begin("graph neural networks for molecules")
    limits = {
        "conditions": 'NOT "honey bees"',
        "excluded_types": "review",
        "publication_type": ["article-journal"],
        "language": "de",
        "year_from": "2015",
        "year_to": "soon",
        "max_papers": "0",
        "max_results": "70",
        "note": "more on wasps",
    }
    names = {name.replace("publication_type", "publication_types") for name in limits}
    assert names == {*SearchConstraints.model_fields, "note"}
    shown = {"sources-shown": "1", "types-shown": "1", "source": ["library"]}
    page.send(page.path, action=action, asked=page.asked(), **shown, **limits)
    values = Fields(page.text).values
    assert {name: values.get(name) for name in limits} == {
        name: value if isinstance(value, list) else [value] for name, value in limits.items()
    }


def test_preprints_are_called_so_in_the_form(visitors):
    page = visitors()
    page.begin("graph neural networks for molecules, no preprints please")
    assert Fields(page.text).values["excluded_types"] == ["preprint"]
    unwanted = strategy().model_copy(deep=True)
    unwanted.filters.excluded_types = ["article"]
    for text, kinds in (("preprint", ["article"]), ("preprint\nreview", ["preprint", "review"])):
        edited = strategy_from_form(unwanted, [("excluded_types", text)], [])
        assert edited["filters"]["excluded_types"] == kinds


def test_of_alternatives_one_row_of_boxes_is_enough(visitors):
    page = visitors()
    page.begin("graph neural networks for molecules")
    page.send(page.path, action="preview", asked=page.asked(), **{"query-0": "a AND b"})
    assert "a term of every box;" in page.text
    alternatives = {"query-0": "((a OR b) AND c) OR ((d OR e) AND f)"}
    page.send(page.path, action="preview", asked=page.asked(), **alternatives)
    assert "a term of every box in one of the rows;" in page.text


def test_what_is_wrong_is_told_in_the_words_of_the_form(visitors):
    page = visitors()
    page.begin("graph neural networks for molecules")
    asked = page.asked()
    page.send(page.path, action="approve", asked=asked, **{"query-0": "(bees"})
    assert "query 1: column 6: expected" in page.text
    page.send(page.path, action="approve", asked=asked, max_results="many")
    assert "Maximum records per query: Input should be a valid integer" in page.text
    page.send(page.path, action="approve", asked=asked, language="klingon")
    assert "Language: unknown &#39;klingon&#39;" in page.text
    page.send(page.path, action="approve", asked=asked, year_from="2020", year_to="2010")
    assert "Sources and limits: year_from 2020 is after year_to 2010" in page.text
    assert "revised_data" not in page.text


def test_a_step_is_offered_with_its_hits_while_the_query_that_it_is_from_stands(visitors):
    page = visitors()
    page.begin("graph neural networks for molecules", max_results="7")
    assert Fields(page.text).values["max_papers"] == ["7"]
    place, asked = page.path, page.asked()
    assert 'value="step:0"' in page.text
    assert page.send(place, action="step:0", asked=asked) == 200
    assert "<small>used</small>" in page.text
    assert "step:" not in page.text
    assert "not counted" not in page.text
    assert page.send(place, action="preview", asked=asked, **{"query-0": "bees"}) == 200
    assert "step:" not in page.text
    assert "hits are known only for the proposed strategy" in page.text
    values = Fields(page.text).values
    assert (values["shown-0"], values["group-0-0-0"]) == (["bees"], ["bees"])
    assert page.send(place, action="step:0", asked=asked, **{"query-0": "bees"}) == 422
    assert "not used" in page.text.lower()
    assert Fields(page.text).values["query-0"] == ["bees"]


async def test_hits_that_were_counted_stand_by_the_limits_that_they_were_counted_within(
    visitors, tmp_path
):
    page = visitors()
    thread = page.begin("graph neural networks since 2010")
    place, asked, pill = page.path, page.asked(), '<p class="hits"><span class="pill">'
    count = page.text.split(pill)[1].split()[0]
    for changed, is_counted in (("year_from", False), ("max_results", True)):
        assert page.send(place, action="preview", asked=asked, **{changed: "2021"}) == 200
        assert (f"{pill}{count} " in page.text) == is_counted
        assert ("not counted" in page.text) != is_counted
    page.send(place, action="approve", asked=asked, year_from="2021")
    page.arrive(thread)
    page.open(place)
    assert "years 2021-" in page.text
    assert pill not in page.text
    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as persistence:
        audit = await audit_of(persistence, thread.rpartition("/")[2], has_pictures=False)
    rows = csv.DictReader(io.StringIO(audit.files["search_log.csv"].decode()))
    limits = {(row["purpose"], row["filters"].split(";")[0]) for row in rows}
    assert limits == {("count", "years 2010-"), ("search", "years 2021-")}


def test_a_strategy_that_is_proposed_anew_says_what_changed_since_the_one_that_was_rejected(
    visitors,
):
    page = visitors()
    thread = page.begin("bees and wasps since 2016")
    page.send(page.path, action="reject", asked=page.asked(), note="before 2010")
    page.arrive(thread)
    before = page.text.split('id="before"')[1]
    assert "It was not searched; you said: “before 2010”" in before
    assert "Changed since: " in before
    assert "years -2009" in before
    assert "<dt>Limits</dt><dd>years 2016-</dd>" in page.text
    page.open(f"{thread}/log")
    assert "Round 1: not searched" in page.text


def test_a_broader_query_names_the_query_that_it_is_from(visitors):
    page = visitors()
    thread = page.begin("graph neural networks for molecules")
    assert "Query 1: words" not in page.text
    page.send(page.path, action="reject", asked=page.asked(), note="also honey bees")
    page.arrive(thread)
    broader = page.text.split('id="steps"')[1].split("</section>")[0]
    assert "Query 1: words instead of phrases" in broader
    assert "Query 2: words instead of phrases" in broader


class Judging(FakeSkills):
    """Skills whose intent has criteria."""

    async def parse(self, user_input: str) -> ParsedIntent:
        intent = await super().parse(user_input)
        return intent.with_criteria([Criterion(text=text) for text in ("of bees", "in gardens")])

    async def build(self, builder_input: QueryBuilderInput) -> SearchStrategy:
        proposal = await super().build(builder_input)
        return proposal.model_copy(update={"notes": ["left out: query 2 of the model"]})


async def begin_judging(home: Path) -> str:
    url = AppConfig(home=home).persistence_url
    async with open_persistence(url) as persistence:
        flow = SearchWorkflow(*[Judging()] * 6, persistence=persistence)
        await flow.start("bees", thread_id="judged")
        await SearchRecords(persistence.store, "judged").index("bees", VISITOR)
    return "/threads/judged/strategy"


@pytest.mark.parametrize(
    ("texts", "problem"),
    [(["b" * 1_000, "in gardens"], "at most 300 characters"), (["", ""], "at least 2 items")],
)
def test_criteria_that_cannot_be_taken_stay_in_the_form(tmp_path, texts, problem):
    path = asyncio.run(begin_judging(tmp_path))
    with visiting(tmp_path) as visitor:
        page = visitor()
        assert page.open(path) == 200
        assert "Left out: query 2 of the model" in page.text
        form = {f"criterion-{number}": text for number, text in enumerate(texts)}
        form |= {"asked": page.asked(), "criteria-shown": "1"}
        left = [text for text in texts if text]
        for action, status in (("preview", 200), ("approve", 422)):
            assert page.send(path, action=action, **form) == status
            values = Fields(page.text).values
            assert [text for n in range(2) for text in values.get(f"criterion-{n}", [])] == left
            assert values["criteria-shown"] == ["1"]
        assert problem in page.text
