"""Two rankings become one, and neither loses a record of the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.library.fusion import fused

scores = st.dictionaries(
    st.integers(1, 30), st.floats(0.0, 100.0, allow_subnormal=False), max_size=20
)
cosines = st.dictionaries(
    st.integers(1, 30), st.floats(-1.0, 1.0, allow_subnormal=False), max_size=20
)
shares = st.floats(0.0, 1.0)


@given(scores, cosines, shares)
def test_no_record_is_lost_and_none_is_made_up(
    words: dict[int, float], near: dict[int, float], share: float
) -> None:
    assert fused(words, near, nearness=share).keys() == words.keys() | near.keys()


@given(st.permutations(range(1, 11)), shares)
def test_the_fusion_of_equal_rankings_is_that_ranking(order: list[int], share: float) -> None:
    ranking = {row: 1.0 - place / 20 for place, row in enumerate(order)}
    assert list(fused(ranking, ranking, nearness=share)) == order


@given(scores, cosines, shares)
def test_a_record_that_is_better_on_both_sides_is_not_behind(
    words: dict[int, float], near: dict[int, float], share: float
) -> None:
    made = fused(words, near, nearness=share)
    for one in made:
        for other in made:
            is_better = words.get(one, 0.0) >= words.get(other, 0.0) and max(
                0.0, near.get(one, 0.0)
            ) >= max(0.0, near.get(other, 0.0))
            assert not is_better or made[one] >= made[other]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_one_side_alone_orders_where_the_other_counts_nothing(share: float) -> None:
    made = fused({1: 3.0, 2: 2.0}, {1: 0.1, 2: 0.9}, nearness=share)
    assert list(made) == ([2, 1] if share else [1, 2])


def test_equal_scores_come_in_the_order_of_import() -> None:
    assert list(fused({9: 1.0, 3: 1.0, 5: 1.0}, {})) == [3, 5, 9]
    assert fused({}, {}) == {}
