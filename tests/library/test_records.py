"""Records are stored once, updated without loss, and a strange file is left alone."""

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_core import PydanticSerializationError
from tests.library.papers import paper

from paper_search.errors import LibraryError
from paper_search.library.records import Changes, RecordStore, decoded, encoded
from paper_search.models import Author


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RecordStore]:
    with RecordStore(tmp_path / "records.db") as opened:
        yield opened


def test_a_paper_comes_back_as_it_went_in(store):
    given = paper(
        doi="10.1/x", authors=[Author(name="Ä, Ö")], year=2020, abstract="\u4e2d", raw_data={"k": 1}
    )
    store.upsert([given])
    (back,) = list(store)
    assert back == given.model_copy(update={"id": back.id})
    assert store.get([back.id]) == {back.id: back}


def test_a_changed_record_is_updated_and_loses_nothing(store):
    store.upsert([paper(doi="10.1000/x", abstract="Long.", year=2020)])
    changed = store.upsert([paper("A Title, Corrected", doi="10.1000/X", citation_count=3)])
    (back,) = list(store)
    assert changed == Changes(updated=1)
    assert (back.title, back.abstract, back.citation_count) == ("A Title, Corrected", "Long.", 3)


@pytest.mark.parametrize(
    "works",
    [
        ("Oxygen in mice", "Vagotomy in mice"),
        (
            "Outcomes of laparoscopic cholecystectomy in the elderly",
            "Outcomes of robotic prostatectomy in the elderly",
        ),
    ],
)
def test_two_works_under_one_doi_are_both_kept(store, works):
    abstracts = [paper(title, doi="10.1000/suppl") for title in works]
    assert store.upsert(abstracts).added == 2
    assert store.upsert(abstracts) == Changes(unchanged=2)
    assert store.upsert(abstracts[::-1]) == Changes(unchanged=2)
    assert len({record.id for record in store}) == 2


def test_two_endless_titles_under_one_doi_are_compared_quickly(store):
    titles = ["ab" * 50_000, "ba" * 49_000 + "c" * 2_000]
    start = time.process_time()
    store.upsert([paper(title, doi="10.1000/long") for title in titles])
    assert time.process_time() - start < 3


def test_more_ids_than_one_statement_takes_are_found(store):
    store.upsert([paper(f"Title {n}") for n in range(2_500)])
    ids = [record.id for record in store]
    assert len(ids) == len(store.get([*ids, "unknown"])) == 2_500


def test_the_rows_of_ids_are_found_without_the_unknown_and_come_in_order(store):
    store.upsert([paper("One"), paper("Two"), paper("Three")])
    ids = {record.title: record.id for record in store}
    rows = store.rows_of([ids["Three"], "unknown", ids["One"]])
    assert {row.title for row in store.get_rows(rows)} == {"One", "Three"}
    assert store.rows_of([]) == []
    assert [row.title for row in store.get_rows([2, 9, 1])] == ["Two", "One"]


def test_changes_can_be_followed_by_generation(store):
    store.upsert([paper("One")])
    seen = store.generation
    store.upsert([paper("Two")])
    assert [record["title"] for _, record in store.changed_since(seen)] == ["Two"]


def refused(path: Path) -> str:
    before = path.read_bytes()
    with pytest.raises(LibraryError) as caught:
        RecordStore(path)
    assert path.read_bytes() == before
    assert str(path) in str(caught.value)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    return str(caught.value)


def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path):
    """PER-09"""
    path = tmp_path / "records.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    assert "not a paper-search library" in refused(path)


@pytest.mark.parametrize("content", [b"garbage", b"SQLite format 3\x00", b"\x00" * 4096])
def test_garbage_is_refused_and_left_as_it_is(tmp_path, content):
    """PER-09"""
    path = tmp_path / "records.db"
    path.write_bytes(content)
    refused(path)


def test_a_damaged_library_is_named_and_left_as_it_is(tmp_path):
    """PER-09"""
    path = tmp_path / "records.db"
    with RecordStore(path) as store:
        store.upsert([paper(f"Title {n}") for n in range(300)])
    damaged = bytearray(path.read_bytes())
    damaged[100:4096] = b"\xff" * 3996
    path.write_bytes(damaged)
    with pytest.raises(LibraryError, match="damaged"):
        RecordStore(path)
    assert path.read_bytes() == bytes(damaged)


def test_a_home_that_cannot_be_made_is_named(tmp_path):
    """PER-08"""
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match="file"):
        RecordStore(tmp_path / "file" / "library" / "records.db")


def test_a_failed_write_leaves_nothing_behind(store):
    broken = paper("Two").model_copy(update={"raw_data": {1: object()}})
    with pytest.raises(PydanticSerializationError):
        store.upsert([paper("One"), broken])
    assert store.count() == 0
    assert store.upsert([paper("One")]).added == 1


@pytest.mark.parametrize("odd", ["\ud800", 2**70, 1.5])
def test_a_value_has_one_text_which_gives_it_again(odd):
    text = encoded({"b": odd, "a": "\u00e9"})
    assert text == f'{{"a":"\u00e9","b":{json.dumps(odd, ensure_ascii=False)}}}'
    assert decoded(text) == {"a": "\u00e9", "b": odd}
