"""Vectors are kept in a byte a number, the nearest are found, and join the ranking by words."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples

from paper_search.errors import LibraryError
from paper_search.library.embedded import State, VectorStore
from paper_search.library.vectors import Matrix, Neighbourhood, encode, fuse, move_question

DIGEST = b"12345678"
EAST, NORTH, SOUTH = 1, 2, 3
NONE = np.empty((0, 3), dtype=np.float32)
X, Y, Z = np.eye(3, dtype=np.float32)
scores = st.dictionaries(st.integers(1, 30), st.floats(0, 100, allow_subnormal=False), max_size=20)
cosines = st.dictionaries(st.integers(1, 30), st.floats(-1, 1, allow_subnormal=False), max_size=20)


def vectors(count: int, dimension: int = 70, seed: int = 1) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def matrix_of(rows: list[int], made: NDArray[np.float32]) -> Matrix:
    return Matrix(np.array(rows), *encode(made))


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    made = VectorStore(tmp_path / "vectors.db")
    made.begin(State("library", "model"))
    return made


def test_the_nearest_are_those_of_the_exact_numbers():
    made = vectors(3_000)
    near = matrix_of(list(range(1, 3_001)), made)
    question = vectors(1, seed=2)[0]
    exact = made @ question
    found = near.nearest(question, 10)
    assert len(set(found) & set((np.argsort(-exact)[:10] + 1).tolist())) >= 9
    assert list(found.values()) == sorted(found.values(), reverse=True)
    for row, cosine in found.items():
        assert cosine == pytest.approx(exact[row - 1], abs=0.01)


def test_only_those_among_the_given_rows_count():
    near = matrix_of([10, 20, 30], vectors(3))
    question = vectors(3)[0]
    assert set(near.nearest(question, 5, among=[30, 20, 999])) == {20, 30}
    assert near.nearest(question, 5, among=[]) == {}
    assert near.nearest(question, 0) == {}
    assert set(near.cosines(question, {10, 11})) == {10}


def test_a_record_without_a_meaning_is_near_to_nothing():
    made = vectors(2)
    made[1] = 0
    near = matrix_of([1, 2], made)
    assert near.nearest(made[0], 2)[2] == 0
    assert not near.vectors([2]).any()


@pytest.mark.parametrize("count", [1_000, 1_024, 2_500])
def test_no_vector_is_passed_over_however_many_there_are(count):
    made = vectors(count, dimension=16)
    near = matrix_of(list(range(count)), made)
    for row in (0, 999, count // 2, count - 1):
        assert next(iter(near.nearest(made[row], 1))) == row


def test_vectors_come_back_as_they_were_written(store):
    made = vectors(3)
    store.keep([10, 20, 30], [DIGEST] * 3, made)
    near = store.matrix()
    np.testing.assert_allclose(near.vectors([30, 999, 10, 30]), made[[0, 2]], atol=0.005)
    assert near.vectors([]).shape == (0, 70)
    assert store.digests() == dict.fromkeys([10, 20, 30], DIGEST)


@examples(25)
@given(
    rows=st.lists(st.integers(1, 40), min_size=1, max_size=60),
    limit=st.integers(1, 50),
    seed=st.integers(0, 5),
)
def test_the_last_vector_of_every_row_counts(tmp_path_factory, rows, limit, seed):
    made = vectors(len(rows), seed=seed)
    store = VectorStore(tmp_path_factory.mktemp("v") / "vectors.db")
    store.begin(State("library", "model"))
    store.keep(rows, [DIGEST] * len(rows), made)
    found = store.matrix().nearest(made[-1], limit)
    assert len(found) == min(limit, len(set(rows)))
    assert next(iter(found)) == rows[-1]
    assert found[rows[-1]] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("text", [b"", b"not a database", b"SQLite format 3\0" * 50])
def test_a_file_that_cannot_be_read_is_none(store, text):
    store.path.write_bytes(text)
    assert store.state() is None


def test_vectors_of_different_lengths_are_damaged(store):
    store.keep([1], [DIGEST], vectors(1))
    store.keep([2], [DIGEST], vectors(1, dimension=71))
    with pytest.raises(LibraryError, match="library embed"):
        store.matrix()


def test_a_vector_takes_little_more_than_a_byte_a_number(store):
    store.keep(list(range(1, 1_001)), [DIGEST] * 1_000, vectors(1_000, dimension=384))
    assert store.size_bytes() < 1_000 * 384 * 1.25


COMPASS = matrix_of(
    [EAST, NORTH, SOUTH], np.array([[1, 0], [0.6, 0.8], [0.61, -0.79]], dtype=np.float32)
)
QUESTION = np.array([1, 0], dtype=np.float32)


def test_records_by_words_get_their_nearness_and_those_without_a_vector_stay():
    assert list(Neighbourhood(COMPASS, QUESTION).merge({})) == [EAST, SOUTH, NORTH]
    near = Neighbourhood(COMPASS, QUESTION)
    assert list(near.merge({NORTH: 4.0, 99: 1.0})) == [EAST, NORTH, 99, SOUTH]


def test_marks_of_records_without_a_vector_leave_the_question_where_it_is():
    near = Neighbourhood(COMPASS, QUESTION, relevant=[98], irrelevant=[99])
    assert near.merge({}) == Neighbourhood(COMPASS, QUESTION).merge({})


@given(scores, cosines)
def test_no_record_is_lost_and_none_is_made_up(words, near):
    made = fuse(words, near)
    assert made.keys() == words.keys() | near.keys()
    assert all(0 <= score <= 1 for score in made.values())
    assert list(made.values()) == sorted(made.values(), reverse=True)


@given(scores, cosines)
def test_a_record_that_is_better_on_both_sides_is_not_behind(words, near):
    made = fuse(words, near)
    least = min(near.values(), default=0.0)
    for one in made:
        for other in made:
            is_better = words.get(one, 0.0) >= words.get(other, 0.0) and (
                near.get(one, least) >= near.get(other, least)
            )
            assert not is_better or made[one] >= made[other]


def test_both_sides_count_half():
    made = fuse({1: 8.0, 2: 6.0, 3: 2.0}, {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.55})
    assert made == pytest.approx({1: 0.5, 2: 0.375 + 0.25, 3: 0.125 + 0.5, 4: 0.125})


@given(st.floats(-0.5, 0.5))
def test_where_the_cosines_of_a_model_lie_does_not_matter(shift):
    """Some models put all texts close together, some spread them around zero."""
    near = {1: 0.1, 2: 0.3, 3: 0.2}
    shifted = {row: cosine + shift for row, cosine in near.items()}
    words = {1: 3.0, 2: 1.0}
    assert fuse(words, shifted) == pytest.approx(fuse(words, near), abs=1e-5)


@pytest.mark.parametrize(
    ("words", "near", "order"),
    [
        ({1: 3.0, 2: 2.0, 3: 4.0}, {1: 0.4, 2: 0.4, 3: 0.4}, [3, 1, 2]),
        ({1: 2.0, 2: 2.0}, {1: 0.1, 2: 0.9}, [2, 1]),
        ({9: 1.0, 3: 1.0, 5: 1.0}, {}, [3, 5, 9]),  # equal scores: in the order of import
        ({}, {}, []),
    ],
)
def test_one_side_alone_orders_where_the_other_tells_nothing_apart(words, near, order):
    assert list(fuse(words, near)) == order


@pytest.mark.parametrize(
    ("relevant", "irrelevant", "moved"),
    [([Y], [Z], [1, 0.75, -0.15]), ([Y, Z], [], [1, 0.375, 0.375])],
)
def test_records_move_a_question_by_their_middle_and_textbook_weights(relevant, irrelevant, moved):
    made = move_question(X, np.stack(relevant), np.stack(irrelevant) if irrelevant else NONE)
    np.testing.assert_allclose(made / made[0], moved, rtol=1e-6)
    assert np.linalg.norm(made) == pytest.approx(1)


@pytest.mark.parametrize("share", [1.0, 0.0])
def test_a_question_of_which_nothing_is_left_stays_where_it_is(share):
    question: NDArray[np.float32] = np.array([share, 0, 0], dtype=np.float32)
    opposite = np.array([[-share / 0.75, 0, 0]])
    np.testing.assert_array_equal(move_question(question, opposite, NONE), question)
