"""A library is filled, searched and repaired."""

import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from tests.library.papers import paper, titles

from paper_search.errors import InputError, LibraryError
from paper_search.library import Library
from paper_search.library.index import TextIndex

TITLES = [
    "Graph neural networks for drug toxicity",
    "Neural networks",
    "Drug policy",
    "Graph theory",
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        opened.add(paper(title, year=2000 + n) for n, title in enumerate(TITLES))
        yield opened


def test_equal_scores_come_in_the_order_of_import(tmp_path):
    with Library.open(tmp_path) as library:
        library.add(paper(f"Same words {n:03}") for n in range(30))
        expected = [f"Same words {n:03}" for n in range(10)]
        assert [hit.title for hit in library.search("same words", limit=10).papers] == expected


@pytest.mark.parametrize("query", ["", "???", "the", "&"])
def test_words_that_say_nothing_find_nothing_and_raise_nothing(library, query):
    assert library.search(query).papers == []


def test_a_changed_record_is_found_by_its_new_words_only(library):
    library.add([paper("Words of yesteryear", doi="10.1000/x")])
    library.add([paper("Words of yesterday", doi="10.1000/x")])
    assert titles(library, "title:yesterday") == ["Words of yesterday"]
    assert titles(library, "title:yesteryear") == []


def test_records_that_a_crash_left_out_of_the_index_are_caught_up(library):
    """PER-01"""
    library._records.upsert([paper("Written just before the crash")])
    with Library.open(library.path) as again:
        assert titles(again, "crash") == ["Written just before the crash"]


def test_a_search_does_not_wait_for_another_writer(library):
    with FileLock(library.path / "writer.lock"), Library.open(library.path, wait_s=0.1) as reader:
        reader._records.upsert([paper("Not indexed yet")])
        assert titles(reader, "policy") == ["Drug policy"]


def test_a_second_writer_waits_and_then_says_so(library):
    """PER-11"""
    with (
        FileLock(library.path / "writer.lock"),
        Library.open(library.path, wait_s=0.1) as other,
        pytest.raises(LibraryError, match="another process is writing"),
    ):
        other.add([paper("Too early")])
    assert library.add([paper("In time")]).added == 1


def test_progress_is_told_batch_by_batch(tmp_path):
    told: list[tuple[int, int | None]] = []
    with Library.open(tmp_path) as library:
        library.add(
            (paper(f"Title {n}") for n in range(2_500)),
            total=2_500,
            on_progress=lambda done, total: told.append((done, total)),
        )
    assert told == [(1_000, 2_500), (2_000, 2_500), (2_500, 2_500)]


def test_info_says_what_there_is(library):
    info = library.info()
    assert (info.records, info.first_year, info.last_year) == (4, 2000, 2003)
    assert info.records_bytes > 0
    assert info.index_bytes > 0
    assert info.path == library.path


def test_whether_there_is_a_library_can_be_asked_without_making_one(tmp_path):
    assert not Library.exists(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_damaged_gzip_keeps_what_came_before_the_damage(tmp_path):
    chance = random.Random(1)  # noqa: S311  # incompressible text, the same every time
    lines = [json.dumps({"title": f"Title {chance.random()}"}) for _ in range(6_000)]
    file = tmp_path / "cut.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode())[:-20_000])
    with Library.open(tmp_path / "library") as library:
        with pytest.raises(InputError, match="damaged"):
            library.import_file(file)
        kept = len(library)
        assert kept > 100
        assert library.search("title").total == kept


def test_a_file_without_any_record_is_an_error(tmp_path):
    file = tmp_path / "notes.bib"
    file.write_text("just some words\n", "utf-8")
    with Library.open(tmp_path / "library") as library, pytest.raises(InputError, match="no rec"):
        library.import_file(file)


def test_a_full_disk_is_a_named_error(library):
    """PER-07"""
    shutil.rmtree(library.path / "index")
    (library.path / "index").touch()
    with pytest.raises(LibraryError, match="index"):
        library.add([paper("Nowhere to go")])


def test_the_index_says_what_cannot_be_read(tmp_path):
    with pytest.raises(LibraryError, match="it is rebuilt"):
        TextIndex(tmp_path / "nothing").searcher()
