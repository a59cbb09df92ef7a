"""A question moves towards what is relevant and a little away from what is not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from paper_search.library.neighbourhood import moved

NONE = np.empty((0, 3), dtype=np.float32)
EAST, NORTH, UP = np.eye(3, dtype=np.float32)


def test_without_records_a_question_stays_where_it_is() -> None:
    np.testing.assert_array_equal(moved(EAST, NONE, NONE), EAST)


def test_the_weights_are_those_of_the_textbook() -> None:
    made = moved(EAST, np.stack([NORTH]), np.stack([UP]))
    np.testing.assert_allclose(made / made[0], [1, 0.75, -0.15], rtol=1e-6)
    assert np.linalg.norm(made) == pytest.approx(1)


def test_many_records_weigh_no_more_than_one() -> None:
    one, many = np.stack([NORTH]), np.stack([NORTH] * 9)
    np.testing.assert_allclose(moved(EAST, one, one), moved(EAST, many, many), rtol=1e-6)


def test_records_count_by_their_middle() -> None:
    made = moved(EAST, np.stack([NORTH, UP]), NONE)
    np.testing.assert_allclose(made / made[0], [1, 0.375, 0.375], rtol=1e-6)


@pytest.mark.parametrize("share", [1.0, 0.0])
def test_a_question_of_which_nothing_is_left_stays_where_it_is(share: float) -> None:
    question: NDArray[np.float32] = np.array([share, 0, 0], dtype=np.float32)
    opposite = np.array([[-share / 0.75, 0, 0]])
    np.testing.assert_array_equal(moved(question, opposite, NONE), question)
