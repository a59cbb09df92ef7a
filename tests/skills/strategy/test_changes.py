from collections.abc import Sequence
from typing import Any

import pytest

from paper_search.models import RankedQuery, SearchConstraints, SearchStrategy
from paper_search.skills.strategy.changes import changes, complete_edit
from paper_search.testing.skills import fake_strategy


def strategy(
    *queries: str,
    text: str = "",
    terms: dict[str, float] | None = None,
    sources: Sequence[str] = ("library",),
    **limits: Any,
) -> SearchStrategy:
    ranked = [RankedQuery(text=text, terms=terms or {})] if text else []
    return fake_strategy(*queries, sources=sources, **limits).model_copy(update={"ranked": ranked})


def test_learned_words_come_with_a_plus_or_a_minus_the_heaviest_first():
    before = strategy(text="process synchronization")
    after = strategy(
        text="process synchronization",
        terms={"sequencers": 0.1, "eventcounts": 0.5, "compiler": -0.1},
    )
    assert changes(before, after) == "+ eventcounts, + sequencers, + less compiler"
    assert changes(after, before) == "- eventcounts, - sequencers, - less compiler"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("bees", "bees", ""),
        ("bees", 'bees AND "mutual exclusion"', "+ mutual exclusion"),
        ("bees AND wasps", "bees", "- wasps"),
        ("bees", "bees NOT wasps", "+ NOT wasps"),
        ("bees NOT wasps", "bees", "- NOT wasps"),
        ("bees NOT wasps", "bees AND wasps", "+ wasps"),
        ('"honey bees"', "honey AND bees", ""),
        ("honey AND bees", '"honey bees"', ""),
        ("networks", "network", ""),
        ("bees NEAR/2 wasps", "bees", "- wasps"),
        ("(unreadable", "bees", "+ bees"),
        ("bees AND year:2001", "bees", ""),
    ],
)
def test_boolean_queries_are_compared_term_by_term(before, after, line):
    assert changes(strategy(before), strategy(after)) == line


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        ({"year_from": 2019}, "years 2019-"),
        ({"year_to": 2019}, "years -2019"),
        ({"year_from": 2019, "year_to": 2019}, "year 2019"),
        ({"year_from": 2010, "year_to": 2020}, "any year"),
        (
            {"max_results": 300, "publication_types": ["article"]},
            "types preprint; at most 300 records a query",
        ),
        ({"excluded_types": ["dataset", "review"]}, "not dataset, review"),
    ],
)
def test_limits_are_named_where_they_differ(limits, line):
    plain, limited = strategy("bees"), strategy("bees", **limits)
    pair = (limited, plain) if line == "any year" else (plain, limited)
    assert changes(*pair) == line


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (strategy(text="bees"), strategy(text="wild bees", conditions=["NOT wasps"]),
         "+ wild, + NOT wasps"),
        (strategy(), strategy().model_copy(update={"native": {"pubmed": "b[ti]"}}),
         "own string of pubmed"),
        (strategy(), strategy(sources=["dblp"]), "+ source dblp, - source library"),
    ],
)  # fmt: skip
def test_text_conditions_sources_and_their_strings_count_too(before, after, line):
    assert changes(before, after) == line


def test_of_many_terms_five_are_named_and_the_rest_counted():
    after = strategy(" OR ".join(f"bee{letter}" for letter in "abcdefg"))
    assert changes(strategy(), after) == "+ beea, + beeb, + beec, + beed, + beee and 2 more"


def test_an_edit_in_parts_keeps_all_that_it_does_not_name():
    before = strategy("bees").model_copy(
        update={"native": {"pubmed": "bees[mh]"}, "works": ["pmid:7"], "endings": {"a*": ["ab"]}}
    )
    plain = before.model_dump(mode="json")
    assert complete_edit({"sources": ["pubmed"]}, before) == plain | {"sources": ["pubmed"]}
    before.filters.excluded_types = ["review"]
    whole = SearchConstraints(max_results=5).model_dump(mode="json")
    assert complete_edit({"filters": whole}, before)["filters"] == whole
    part = complete_edit({"filters": {"max_results": 5}}, before)["filters"]
    assert part == whole | {"excluded_types": ["review"]}
