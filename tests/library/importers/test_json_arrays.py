"""JSON arrays are read item by item, however the text comes, and in little memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.library.importers import json_arrays
from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.files import read_file
from paper_search.library.importers.json_arrays import Window, items

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def opened(pieces: list[str]) -> Window:
    window = Window(pieces)
    assert window.skip(json_arrays._GAP) == "["
    window.position += 1
    return window


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_arrays, "_PIECE", 1)


@examples(60)
@given(st.lists(VALUES, max_size=5), st.integers(1, 9), st.sampled_from([None, 1]))
def test_items_are_the_same_in_pieces_of_any_size(
    values: list[object], size: int, indent: int | None
) -> None:
    text = json.dumps(values, indent=indent)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    usual, json_arrays._PIECE = json_arrays._PIECE, 1
    try:
        assert [value for _, value in items(opened(pieces))] == values
    finally:
        json_arrays._PIECE = usual


@pytest.mark.usefixtures("small_pieces")
def test_a_broken_item_costs_itself_and_lines_stay_right() -> None:
    text = '[\n{"title": "One"},\n{"title": broken},\n\n{"title": "Three"}\n]'
    for size in (1, 7, len(text)):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        (one, first), (two, broken), (three, last) = items(opened(pieces))
        assert (one, two, three) == (2, 3, 5)
        assert (first, last) == ({"title": "One"}, {"title": "Three"})
        assert isinstance(broken, Rejected)


def test_an_item_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_arrays, "LONGEST_ITEM", 200_000)
    endless = ("x" * 1_000 for _ in range(10_000))
    found = list(items(opened(['[{"title": "', *endless, '"}, {"title": "Two"}]'])))
    assert isinstance(found[0][1], Rejected)
    assert "longer than" in found[0][1].reason
    assert [value for _, value in found[1:]] == [{"title": "Two"}]


@pytest.mark.parametrize(("text", "line"), [("[", 1), ('[{"a": 1},\n', 2), ('[{"a"', 1)])
def test_a_list_that_is_cut_off_says_where(text: str, line: int) -> None:
    *_, (found, value) = items(opened([text]))
    assert found == line
    assert isinstance(value, Rejected)


@pytest.mark.parametrize("kind", ["csl-json", "json"])
@pytest.mark.parametrize("letter", ["e", "é", "深", "𝔊"])
def test_letters_are_whole_in_a_file_on_one_line(tmp_path: Path, kind: str, letter: str) -> None:
    file = write(tmp_path / "records.json", kind, 600, letter)
    entries = list(read_file(file, format_name=kind))
    assert [entry.record.title for entry in good(entries)] == [
        f"Title {n} {letter * 150}" for n in range(600)
    ]
    assert len(entries) == 600


@pytest.mark.parametrize("kind", ["csl-json", "json"])
def test_utf_16_is_read_in_pieces_too(tmp_path: Path, kind: str) -> None:
    file = write(tmp_path / "records.json", kind, 600, "é")
    file.write_bytes(file.read_text("utf-8").encode("utf-16"))
    assert len(good(list(read_file(file, format_name=kind)))) == 600


@pytest.mark.parametrize("kind", ["csl-json", "json"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, kind: str) -> None:
    """All on one line, as other programs write it."""
    small, large = (
        peak(write(tmp_path / f"{count}.json", kind, count, "x"), kind) for count in (1_000, 10_000)
    )
    assert (tmp_path / "10000.json").stat().st_size > 2_000_000
    assert large < small + 200_000


def peak(file: Path, kind: str) -> int:
    tracemalloc.start()
    try:
        for _ in read_file(file, format_name=kind):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def good(entries: list[Entry]) -> list[Imported]:
    return [entry for entry in entries if isinstance(entry, Imported)]


def write(path: Path, kind: str, count: int, letter: str) -> Path:
    def records() -> Iterator[dict[str, object]]:
        for number in range(count):
            yield {"title": f"Title {number} {letter * 150}", "source": "library", "authors": []}

    before, after = ("[", "]") if kind == "csl-json" else ('{"metadata": {}, "papers": [', "]}")
    listed = ", ".join(json.dumps(record, ensure_ascii=False) for record in records())
    path.write_text(before + listed + after, "utf-8")
    return path
