"""A question lies among the records, and moves with a person's marks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.library.neighbourhood import Neighbourhood, fused
from paper_search.library.vectors import Nearness, VectorFiles

EAST, NORTH, SOUTH = 1, 2, 3
VECTORS = np.array([[1, 0], [0.6, 0.8], [0.61, -0.79]], dtype=np.float32)
QUESTION = np.array([1, 0], dtype=np.float32)
scores = st.dictionaries(
    st.integers(1, 30), st.floats(0.0, 100.0, allow_subnormal=False), max_size=20
)
cosines = st.dictionaries(
    st.integers(1, 30), st.floats(-1.0, 1.0, allow_subnormal=False), max_size=20
)


@pytest.fixture
def nearness(tmp_path: Path) -> Nearness:
    files = VectorFiles(tmp_path)
    rows = [EAST, NORTH, SOUTH]
    return Nearness.opened(
        files, files.append(files.begin("key", "model"), rows, [b"12345678"] * 3, VECTORS, 0)
    )


def test_the_nearest_come_first(nearness: Nearness) -> None:
    assert list(Neighbourhood(nearness, QUESTION).mixed({})) == [EAST, SOUTH, NORTH]


def test_records_by_words_get_their_nearness_and_those_without_a_vector_stay(
    nearness: Nearness,
) -> None:
    near = Neighbourhood(nearness, QUESTION)
    assert list(near.mixed({NORTH: 4.0, 99: 1.0})) == [EAST, NORTH, 99, SOUTH]


@pytest.mark.parametrize("marks", [{"relevant": [SOUTH]}, {"irrelevant": [NORTH]}])
def test_the_question_moves_with_what_a_person_marked(
    nearness: Nearness, marks: dict[str, list[int]]
) -> None:
    near = Neighbourhood(nearness, QUESTION, **marks)
    assert list(near.mixed({})).index(SOUTH) < list(near.mixed({})).index(NORTH)


def test_marks_of_records_without_a_vector_leave_the_question_where_it_is(
    nearness: Nearness,
) -> None:
    near = Neighbourhood(nearness, QUESTION, relevant=[98], irrelevant=[99])
    assert near.mixed({}) == Neighbourhood(nearness, QUESTION).mixed({})


@given(scores, cosines)
def test_no_record_is_lost_and_none_is_made_up(
    words: dict[int, float], near: dict[int, float]
) -> None:
    made = fused(words, near)
    assert made.keys() == words.keys() | near.keys()
    assert all(0 <= score <= 1 for score in made.values())
    assert list(made.values()) == sorted(made.values(), reverse=True)


@given(st.permutations(range(1, 11)))
def test_the_fusion_of_equal_rankings_is_that_ranking(order: list[int]) -> None:
    ranking = {row: 1.0 - place / 20 for place, row in enumerate(order)}
    assert list(fused(ranking, ranking)) == order


@given(scores, cosines)
def test_a_record_that_is_better_on_both_sides_is_not_behind(
    words: dict[int, float], near: dict[int, float]
) -> None:
    made = fused(words, near)
    least = min(near.values(), default=0.0)
    for one in made:
        for other in made:
            is_better = words.get(one, 0.0) >= words.get(other, 0.0) and (
                near.get(one, least) >= near.get(other, least)
            )
            assert not is_better or made[one] >= made[other]


def test_both_sides_count_half() -> None:
    made = fused({1: 8.0, 2: 6.0, 3: 2.0}, {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.55})
    assert made == pytest.approx({1: 0.5, 2: 0.375 + 0.25, 3: 0.125 + 0.5, 4: 0.125})


@given(st.floats(-0.5, 0.5))
def test_where_the_cosines_of_a_model_lie_does_not_matter(shift: float) -> None:
    """Some models put all texts close together, some spread them around zero."""
    near = {1: 0.1, 2: 0.3, 3: 0.2}
    shifted = {row: cosine + shift for row, cosine in near.items()}
    words = {1: 3.0, 2: 1.0}
    assert fused(words, shifted) == pytest.approx(fused(words, near), abs=1e-5)


def test_one_side_alone_orders_where_the_other_tells_nothing_apart() -> None:
    assert list(fused({1: 3.0, 2: 2.0, 3: 4.0}, {1: 0.4, 2: 0.4, 3: 0.4})) == [3, 1, 2]
    assert list(fused({1: 2.0, 2: 2.0}, {1: 0.1, 2: 0.9})) == [2, 1]


def test_equal_scores_come_in_the_order_of_import() -> None:
    assert list(fused({9: 1.0, 3: 1.0, 5: 1.0}, {})) == [3, 5, 9]
    assert fused({}, {}) == {}
