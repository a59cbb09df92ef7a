from __future__ import annotations

from paper_search.models import (
    IntentType,
    ParsedIntent,
    RankedQuery,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
)
from paper_search.skills.strategy.rounds import varied

INTENT = ParsedIntent(
    topic="t",
    concepts=["acid rain", "lichens"],
    intent_type=IntentType.METHOD,
    constraints=SearchConstraints(),
)


def strategy(*queries: str, text: str = "", results: int = 100) -> SearchStrategy:
    return SearchStrategy(
        queries=[SearchQuery(keywords=[], boolean_query=query) for query in queries],
        ranked=[RankedQuery(text=text)] if text else [],
        sources=[],
        filters=SearchConstraints(max_results=results),
    )


def texts(given: SearchStrategy, *earlier: SearchStrategy, most: int = 200) -> list[str]:
    found = varied(given, [given, *earlier], INTENT, most_results=most)
    return [query.boolean_query for query in found.queries]


def test_a_new_strategy_stays_as_it_is() -> None:
    given = strategy("bees")
    assert varied(given, [strategy("wasps")], INTENT, most_results=9) is given


def test_another_text_or_weight_makes_a_strategy_new() -> None:
    given = strategy("bees", text="bees")
    weighted = given.model_copy(update={"ranked": [RankedQuery(text="bees", terms={"x": 1.0})]})
    for other in (strategy("bees", text="wasps"), weighted, strategy("bees")):
        assert varied(given, [other], INTENT, most_results=9) is given


def test_a_single_query_is_followed_by_its_relaxed_form() -> None:
    assert texts(strategy('"acid rain"')) == ['"acid rain"', "acid AND rain"]


def test_of_several_queries_the_broadest_stays_last() -> None:
    assert texts(strategy('"acid rain"', "rain")) == ['"acid rain"', "acid AND rain", "rain"]
    assert texts(strategy("a1", "b1", "c1", "rain"))[-1] == "rain"
    assert len(texts(strategy("a1", "b1", "c1", "rain"))) == 4


def test_a_form_that_was_asked_before_is_not_asked_again() -> None:
    found = texts(strategy('"acid rain"'), strategy("ACID AND rain", "x"))
    assert found == ['"acid rain"', "acid OR rain"]


def test_when_the_query_has_no_more_forms_the_concepts_are_asked_otherwise() -> None:
    [own, other] = texts(strategy("bees"))
    assert own == "bees"
    assert "lichens" in other


def test_at_last_the_number_of_results_changes() -> None:
    ranked = strategy(text="bees", results=5)
    other = varied(ranked, [ranked], INTENT, most_results=5)
    assert (other.ranked, other.filters.max_results) == (ranked.ranked, 4)
    used = [strategy(text="bees", results=size) for size in (1, 2)]
    assert varied(used[0], used, INTENT, most_results=2) is used[0]
