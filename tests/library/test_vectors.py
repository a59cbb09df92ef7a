"""Vectors are kept on disk in a byte a number, and the nearest are found among them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples

from paper_search.errors import LibraryError
from paper_search.library.vectors import Manifest, Nearness, VectorFiles

DIGEST = b"12345678"


def vectors(count: int, dimension: int = 70, seed: int = 1) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def stored(
    path: Path, rows: list[int], given_vectors: NDArray[np.float32], superseded: int = 0
) -> tuple[VectorFiles, Manifest]:
    files = VectorFiles(path / "vectors")
    manifest = files.begin("key", "model")
    digests = [DIGEST] * len(rows)
    return files, files.append(manifest, rows, digests, given_vectors, superseded)


def test_the_nearest_are_those_of_the_exact_numbers(tmp_path: Path) -> None:
    made = vectors(3_000)
    near = Nearness.opened(*stored(tmp_path, list(range(1, 3_001)), made))
    question = vectors(1, seed=2)[0]
    exact = made @ question
    found = near.nearest(question, 10)
    assert len(set(found) & set((np.argsort(-exact)[:10] + 1).tolist())) >= 9
    assert list(found.values()) == sorted(found.values(), reverse=True)
    for row, cosine in found.items():
        assert cosine == pytest.approx(exact[row - 1], abs=0.01)


def test_only_those_among_the_given_rows_count(tmp_path: Path) -> None:
    near = Nearness.opened(*stored(tmp_path, [10, 20, 30], vectors(3)))
    question = vectors(3)[0]
    assert set(near.nearest(question, 5, among=[30, 20, 999])) == {20, 30}
    assert near.nearest(question, 5, among=[]) == {}
    assert near.nearest(question, 0) == {}
    assert set(near.cosines(question, {10, 11})) == {10}


def test_the_last_vector_of_a_row_counts(tmp_path: Path) -> None:
    first, second = vectors(2)
    near = Nearness.opened(*stored(tmp_path, [5, 3, 5], np.stack([first, first, second]), 1))
    assert len(near) == 2
    found = near.nearest(second, 5)
    assert list(found) == [5, 3]
    assert found[5] == pytest.approx(1.0, abs=0.01)


def test_a_record_without_a_meaning_is_near_to_nothing(tmp_path: Path) -> None:
    made = vectors(2)
    made[1] = 0
    near = Nearness.opened(*stored(tmp_path, [1, 2], made))
    assert near.nearest(made[0], 2)[2] == 0
    assert not near.vectors([2]).any()


def test_vectors_come_back_as_they_were_written(tmp_path: Path) -> None:
    made = vectors(3)
    near = Nearness.opened(*stored(tmp_path, [10, 20, 30], made))
    np.testing.assert_allclose(near.vectors([30, 999, 10, 30]), made[[0, 2]], atol=0.005)
    assert near.vectors([]).shape == (0, 70)


@examples(25)
@given(
    rows=st.lists(st.integers(1, 40), min_size=1, max_size=60),
    limit=st.integers(1, 50),
    seed=st.integers(0, 5),
)
def test_every_row_is_found_once_whatever_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[int], limit: int, seed: int
) -> None:
    made = vectors(len(rows), seed=seed)
    superseded = len(rows) - len(set(rows))
    files, manifest = stored(tmp_path_factory.mktemp("v"), rows, made, superseded)
    found = Nearness.opened(files, manifest).nearest(made[-1], limit)
    assert len(found) == min(limit, len(set(rows)))
    assert set(found) <= set(rows)
    compacted = files.compacted(manifest)
    again = Nearness.opened(files, compacted).nearest(made[-1], limit)
    assert again == pytest.approx(found)


@pytest.mark.parametrize("count", [1_000, 1_024, 2_500, 60_000])
def test_no_vector_is_passed_over_however_many_there_are(tmp_path: Path, count: int) -> None:
    made = vectors(count, dimension=16)
    near = Nearness.opened(*stored(tmp_path, list(range(count)), made))
    for row in (0, 999, count // 2, count - 1):
        assert next(iter(near.nearest(made[row], 1))) == row


def test_what_was_written_but_does_not_count_is_written_over(tmp_path: Path) -> None:
    """PER-01: killed between the data and the manifest."""
    files, before = stored(tmp_path, [1, 2], vectors(2))
    files.append(before, [3, 4], [DIGEST] * 2, vectors(2, seed=5), 0)
    files.note(before)
    manifest = files.manifest()
    assert manifest == before
    after = files.append(before, [7], [DIGEST], vectors(1, seed=6), 0)
    near = Nearness.opened(files, after)
    assert set(near.nearest(vectors(1, seed=6)[0], 9)) == {1, 2, 7}
    assert after.count == 3


def test_a_file_that_is_too_short_is_damaged(tmp_path: Path) -> None:
    files, manifest = stored(tmp_path, [1, 2], vectors(2))
    (codes,) = files.path.glob("codes-*.bin")
    codes.write_bytes(b"")
    with pytest.raises(LibraryError, match="library embed"):
        files.opened(manifest)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"count": -1}', "\x00", '{"key": 1}'],
)
def test_a_manifest_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    files, _ = stored(tmp_path, [1], vectors(1))
    (files.path / "vectors.json").write_text(text)
    assert files.manifest() is None


def test_a_vector_takes_little_more_than_a_byte_a_number(tmp_path: Path) -> None:
    files, _ = stored(tmp_path, list(range(1, 1_001)), vectors(1_000, dimension=384))
    assert files.size_bytes() < 1_000 * 384 * 1.2
