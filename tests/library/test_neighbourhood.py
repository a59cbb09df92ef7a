"""A question lies among the records, and moves with the first results or a person's marks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paper_search.library.nearness import Nearness
from paper_search.library.neighbourhood import Neighbourhood
from paper_search.library.vectors import VectorFiles

EAST, NORTH, SOUTH = 1, 2, 3
VECTORS = np.array([[1, 0], [0.6, 0.8], [0.61, -0.79]], dtype=np.float32)
QUESTION = np.array([1, 0], dtype=np.float32)


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


def test_the_question_follows_the_first_results(nearness: Nearness) -> None:
    near = Neighbourhood(nearness, QUESTION)
    near.mixed({})
    near.follow([NORTH])
    assert list(near.mixed({})) == [EAST, NORTH, SOUTH]


@pytest.mark.parametrize("marks", [{"relevant": [SOUTH]}, {"irrelevant": [NORTH]}])
def test_what_a_person_marked_says_more_than_what_came_first(
    nearness: Nearness, marks: dict[str, list[int]]
) -> None:
    near = Neighbourhood(nearness, QUESTION, **marks)
    near.follow([NORTH])
    assert list(near.mixed({})).index(SOUTH) < list(near.mixed({})).index(NORTH)


def test_marks_of_records_without_a_vector_leave_the_question_where_it_is(
    nearness: Nearness,
) -> None:
    near = Neighbourhood(nearness, QUESTION, relevant=[98], irrelevant=[99])
    assert near.mixed({}) == Neighbourhood(nearness, QUESTION).mixed({})
