from paper_search.models import RankedQuery, SearchStrategy
from paper_search.skills.strategy.rounds import vary
from paper_search.testing.skills import fake_strategy


def strategy(*queries: str, text: str = "", results: int = 100) -> SearchStrategy:
    ranked = [RankedQuery(text=text)] if text else []
    return fake_strategy(*queries, max_results=results).model_copy(update={"ranked": ranked})


def texts(given: SearchStrategy, *earlier: SearchStrategy, most: int = 200) -> list[str]:
    found = vary(given, [given, *earlier], most_results=most)
    return [query.boolean_query for query in found.queries]


def test_a_new_strategy_stays_as_it_is():
    given = strategy("bees")
    assert vary(given, [strategy("wasps")], most_results=9) is given


def test_another_text_or_weight_makes_a_strategy_new():
    given = strategy("bees", text="bees")
    weighted = given.model_copy(update={"ranked": [RankedQuery(text="bees", terms={"x": 1.0})]})
    for other in (strategy("bees", text="wasps"), weighted, strategy("bees")):
        assert vary(given, [other], most_results=9) is given


def test_a_query_is_followed_by_its_next_broader_form():
    assert texts(strategy('"acid rain"', "rain")) == ["acid AND rain", "rain"]


def test_a_change_that_nobody_asked_for_is_named():
    given = strategy('"acid rain"', text="bees")
    broader = vary(given, [given], most_results=200)
    [note] = broader.notes
    assert note.startswith("this would repeat an earlier round, so query 1 is broader: words")
    smaller = vary(strategy(text="bees"), [strategy(text="bees")], most_results=200)
    assert smaller.notes == [
        "this would repeat an earlier round, so it asks for 101 records a query"
    ]


def test_a_form_that_was_asked_before_is_not_asked_again():
    assert texts(strategy('"acid rain" AND fog'), strategy("ACID AND rain AND fog", "x")) == [
        "(acid AND rain) OR fog"
    ]


def test_at_last_the_number_of_results_changes():
    ranked = strategy(text="bees", results=5)
    other = vary(ranked, [ranked], most_results=5)
    assert (other.ranked, other.filters.max_results) == (ranked.ranked, 4)
    used = [strategy(text="bees", results=size) for size in (1, 2)]
    assert vary(used[0], used, most_results=2) is used[0]
