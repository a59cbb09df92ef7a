from datetime import date

import pytest

from paper_search import models
from paper_search.query import parse, with_conditions
from paper_search.query.dialects import DIALECTS
from paper_search.skills.intent.notes import Note
from paper_search.skills.strategy.booleans import database_text
from paper_search.skills.strategy.changes import changes
from paper_search.skills.strategy.limits import (
    limits_of_intent,
    next_limits,
    sane_limits,
    without_unwanted,
)
from paper_search.skills.strategy.trees import query_text
from paper_search.testing.skills import fake_strategy


def intent(**fields: object) -> models.ParsedIntent:
    kinds = fields.pop("excluded_types", [])
    return models.ParsedIntent.model_validate(
        {
            "topic": "t",
            "concepts": [],
            "intent_type": models.IntentType.METHOD,
            "constraints": {"excluded_types": kinds, "year_from": 2001},
            **fields,
        }
    )


LIMITS: dict[str, object] = {
    "year_from": 2010, "year_to": 2020, "language": "de", "max_results": 7, "max_papers": 5,
    "publication_types": ["article"], "excluded_types": ["dataset"], "conditions": ["NOT mice"],
}  # fmt: skip
OF_NUMBERS = {"max_results", "max_papers"}
"""Limits of which a database knows nothing."""


def test_a_new_limit_is_in_these_tests():
    assert LIMITS.keys() == models.SearchConstraints.model_fields.keys()


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_is_named_where_it_is_set_or_removed(name):
    plain, limited = fake_strategy("bees"), fake_strategy("bees", **{name: LIMITS[name]})
    assert changes(plain, limited)
    assert changes(limited, plain)
    assert bool(limited.filters.in_words) == (name != "max_results")


@pytest.mark.parametrize("database", DIALECTS)
@pytest.mark.parametrize("name", sorted(LIMITS.keys() - OF_NUMBERS))
def test_every_limit_is_written_for_a_database_or_its_absence_is_stated(name, database):
    written = database_text(fake_strategy("bees", **{name: LIMITS[name]}), database)
    assert written != database_text(fake_strategy("bees"), database)


def test_an_excluded_type_is_excluded_in_a_database():
    texts = [
        database_text(fake_strategy("bees", excluded_types=[kind]), "pubmed").text
        for kind in ("dataset", "chapter", "article")
    ]
    assert [text.splitlines()[1:] for text in texts] == [
        [f'#2 "{name}"[pt]', "#3 #1 NOT #2"] for name in ("dataset", "book chapter", "preprint")
    ]


@pytest.mark.parametrize(
    ("fields", "conditions"),
    [
        ({}, []),
        ({"authors": ["Vaswani"]}, ["author:Vaswani"]),
        ({"authors": ["Le Cun", "Li"]}, ['author:"Le Cun" OR author:Li']),
        ({"excluded": ["honey bees"]}, ['NOT ("honey bees" OR "honey bee")']),
        ({"excluded_types": ["case report"]}, ['NOT (title:"case report")']),
        ({"excluded_types": ["thesis"]}, ['NOT (title:"thesis" OR title:"dissertation")']),
        ({"excluded_types": ["article-journal"]}, []),
        (
            {"authors": ["Li"], "excluded": ["rain", "fog"]},
            ["author:Li", "NOT (rain OR rains)", "NOT fog"],
        ),
    ],
)
def test_each_limit_of_a_question_is_a_condition_of_its_own(fields, conditions):
    limits = limits_of_intent(intent(**fields))
    assert limits.every_condition == conditions
    assert limits.year_from == 2001


def test_reviews_are_known_by_their_titles():
    [condition] = limits_of_intent(intent(excluded_types=["review"])).every_condition
    assert condition.startswith('NOT (title:"review" OR title:"survey" OR title:"overview"')


@pytest.mark.parametrize("kind", ['a "quoted" kind', "kind) OR (x", "*", "NOT"])
def test_a_kind_in_any_words_is_a_condition_that_can_be_read(kind):
    for condition in models.SearchConstraints(excluded_types=[kind]).every_condition:
        assert query_text(parse(condition)).startswith("NOT title:")


def test_a_query_within_limits_repeats_none_that_it_has():
    conditions = ["lichens OR lichen", "NOT (wasps OR wasp)"]
    tree = with_conditions(parse("bees OR ants"), conditions)
    assert query_text(tree) == "(bees OR ants) AND (lichens OR lichen) NOT (wasps OR wasp)"
    assert with_conditions(tree, conditions) == tree
    assert with_conditions(tree, []) is tree


def test_a_note_adds_conditions_and_takes_back_what_no_longer_holds():
    before = models.SearchConstraints(year_from=2001, conditions=["NOT (wasps OR wasp)", "ants"])
    terms = Note(required=("lichens",), excluded=("ants", "rain"), added=("wasps",))
    after = next_limits(before, terms)
    assert after.conditions == ["lichens OR lichen", "NOT (ants OR ant)", "NOT (rain OR rains)"]
    assert after.year_from == 2001
    assert next_limits(after, Note()) == after


def test_an_unwanted_term_of_two_words_is_in_no_ranked_text():
    ranked = [models.RankedQuery(text="sleep loss in shift workers and shift patterns")]
    limits = models.SearchConstraints(conditions=['NOT "shift worker"'])
    [query] = without_unwanted(ranked, limits)
    assert query.text == "sleep loss in and shift patterns"


def test_all_limits_of_a_strategy_are_written_for_a_database():
    limits = models.SearchConstraints(
        year_from=2001, language="de", publication_types=["thesis"], conditions=["NOT ants"]
    )
    strategy = fake_strategy("bees").model_copy(update={"filters": limits})
    lines = database_text(strategy, "pubmed").text.split("\n")
    assert lines[1:4] == [
        "#2 #1 AND 2001:2099[dp]",
        "#3 #2 AND german[la]",
        '#4 #3 AND "dissertation"[pt]',
    ]
    assert [lines[0], *lines[4:]] == ["#1 bees[tw]", "#5 ants[tw]", "#6 #4 NOT #5"]


@pytest.mark.parametrize(
    ("query", "database", "notes"),
    [
        (
            '"gastric cancer"',
            "ovid",
            ("MeSH headings that the strategy does not ask for: stomach neoplasms",),
        ),
        ('"gastric cancer" OR mesh:"stomach neoplasms"', "ovid", ()),
        ('"gastric cancer"', "wos", ()),  # which has none
    ],
)
def test_a_strategy_without_headings_is_written_with_a_note_on_those_that_fit(
    query, database, notes
):
    asked = models.SearchQuery(
        keywords=["gastric cancer", "endoscopes of birds"], boolean_query=query
    )
    strategy = fake_strategy("bees").model_copy(update={"queries": [asked]})
    assert database_text(strategy, database).notes == notes


@pytest.mark.parametrize(
    ("name", "code"), [(" EN", "en"), ("German", "de"), ("en-US", "en"), ("", None), ("xx", None)]
)
def test_a_language_is_a_limit_by_its_code_if_there_is_one(name, code):
    limits, notes = sane_limits(models.SearchConstraints(language=name), today=date(2026, 1, 1))
    assert (limits.language, bool(notes)) == (code, name == "xx")
