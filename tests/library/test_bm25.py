"""Records that have the query's words side by side come before those that have them apart."""

from hypothesis import given
from hypothesis import strategies as st

from paper_search.library.bm25 import RecordWords, bonuses, pairs_of

WORDS = st.lists(st.sampled_from(["graph", "neural", "network", "drug"]), max_size=12)


def one(_word: str) -> float:
    return 1.0


def test_neighbours_are_taken_in_the_order_of_the_query_and_never_a_word_with_itself():
    assert pairs_of(["graph", "graph", "drug", "graph"]) == {
        ("graph", "drug"): 1,
        ("drug", "graph"): 1,
    }


def test_neighbours_in_the_title_tell_more_than_in_the_abstract_and_in_order_more_than_not():
    pairs = pairs_of(["neural", "network"])
    rest = ["drug"] * 8
    texts = [
        RecordWords(["neural", "network"], rest),
        RecordWords(["drug", "drug"], [*rest[2:], "neural", "network"]),
        RecordWords(["drug", "drug"], [*rest[2:], "network", "neural"]),
        RecordWords(["drug", "drug"], ["neural", *rest[2:], "network"]),
    ]
    title, abstract, turned, apart = bonuses(pairs, texts, one, 3)
    assert title > abstract > turned > apart == 0.0


@given(WORDS, WORDS, WORDS)
def test_a_bonus_is_never_negative_nor_more_than_its_pairs_can_earn(query, title, rest):
    pairs = pairs_of(query)
    bonus, same = bonuses(pairs, [RecordWords(title, rest)] * 2, one, 3)
    assert [bonus] == bonuses(pairs, [RecordWords(title, rest)], one, 3) == [same]
    assert 0.0 <= bonus <= 0.4 * 2.2 * sum(pairs.values())
