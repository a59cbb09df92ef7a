from __future__ import annotations

import pytest

from paper_search.models import RankedQuery, SearchConstraints, SearchQuery, SearchStrategy
from paper_search.skills.strategy.free_text import FeedbackTerms
from paper_search.skills.strategy.limits import Limits
from paper_search.skills.strategy.ranked import next_ranked
from paper_search.skills.strategy.rounds import next_queries


def strategy(*queries: str) -> SearchStrategy:
    return SearchStrategy(
        queries=[SearchQuery(keywords=[], boolean_query=query) for query in queries],
        sources=[],
        filters=SearchConstraints(),
    )


def after(
    *queries: str, said: FeedbackTerms | None = None, terms: dict[str, float] | None = None
) -> list[str]:
    found = next_queries(strategy(*queries), said or FeedbackTerms(), terms)
    return [query.boolean_query for query in found]


def test_learned_words_that_are_wanted_and_new_stand_before_the_broadest_query() -> None:
    terms = {"xylophagus": 0.5, "bees": 0.4, "compiler": -0.5}
    assert after("title:bees", "bees OR wasps", terms=terms) == [
        "title:bees",
        "xylophagus AND (bees OR wasps)",
        "bees OR wasps",
    ]


def test_of_learned_words_the_strongest_are_asked() -> None:
    terms = {"aa1": 0.1, "bb1": 0.5, "cc1": 0.4, "dd1": 0.3, "ee1": 0.2}
    assert after("bees", terms=terms)[0] == "(bb1 OR cc1 OR dd1 OR ee1) AND bees"


def test_earlier_queries_in_between_make_room() -> None:
    said = FeedbackTerms(added=("xylophagus",))
    assert after("a1", "b1", "c1", "d1", said=said, terms={"zyzzyva": 1.0}) == [
        "a1",
        "xylophagus AND d1",
        "zyzzyva AND d1",
        "d1",
    ]


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("bees AND wasps", ["bees NOT wasps"]),
        ("bees OR wasps", ["bees NOT wasps"]),
        ("bees AND wasps NOT ants", ["bees NOT ants NOT wasps"]),
        ("wasps", []),
        ("wasps NOT ants", []),
        ("wasps AND year:2001", []),
        ('"wasps" OR (wasps AND wasps)', []),
    ],
)
def test_a_query_no_longer_asks_for_what_is_excluded(query: str, left: list[str]) -> None:
    found = after(query, said=FeedbackTerms(excluded=("wasps",)))
    assert [text.replace("(wasps OR wasp)", "wasps") for text in found] == left


def test_a_query_that_cannot_be_read_stays_as_it_is() -> None:
    said = FeedbackTerms(excluded=("wasps",), added=("ants",))
    assert after("(bees", said=said, terms={"x1": 1.0}) == ["(bees"]


def test_a_term_that_the_ranked_text_has_is_not_added_to_it_again() -> None:
    [query] = next_ranked(
        [RankedQuery(text="wild Bees")], added=["bees", "wasps"], limits=Limits(), terms=None
    )
    assert query.text == "wild Bees wasps"
