"""An import that is killed leaves a library that is whole, and goes on where it was."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.preforked import workers

from paper_search.errors import LibraryError
from paper_search.library import Library, corpus, current_index
from paper_search.library.index import TextIndex
from paper_search.library.records import SCHEMA_VERSION, RecordStore

RECORDS = 4_000
POINTS = 20


def work(path: str, file: str, at_once: int, *death: Any) -> None:
    """Import a file in a process of its own, which may die at the call of a method."""
    current_index.BATCH, corpus._INDEXED_AT_ONCE = 100, at_once
    if death:
        _die(*death)
    with Library.open(path) as library:
        library.import_file(Path(file))


def _die(owner: str, name: str, moment: str, count: int) -> None:
    of: Any = {"records": RecordStore, "index": TextIndex}[owner]
    original, calls = getattr(of, name), 0

    def dying(self: Any, *given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == count and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if calls == count and moment == "inside":
            given = (_some_of(list(given[0])), *given[1:])
        result = original(self, *given)
        if calls == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(of, name, dying)


def _some_of(records: list[Any]) -> Any:
    yield from records[: len(records) // 2]
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_kill_9_at_twenty_points_loses_nothing_that_was_in(tmp_path):
    """PER-01, PER-02"""
    file = tmp_path / "records.jsonl"
    lines = (
        {"title": f"Title number {n}", "abstract": f"alpha beta gamma word{n} " * 12}
        for n in range(RECORDS)
    )
    file.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    path = tmp_path / "library"
    before, killed = 0, 0
    for point in range(POINTS):
        process = workers().begin_work(__name__, str(path), str(file), 700)
        # Points spread over the first part of a second: between batches, inside commits and merges.
        time.sleep(0.02 * (point + 1))
        os.kill(process, signal.SIGKILL)
        killed += workers().wait(process) < 0
        with Library.open(path) as library:
            held = len(library)
            assert held >= before
            assert library.search("alpha", limit=1).total == held
            assert library.info().is_index_current
        before = held
    assert killed >= POINTS // 4  # on a fast machine the rest is in before they are reached
    with Library.open(path) as library:
        changes = library.import_file(file).changes
        assert (changes.added, changes.unchanged) == (RECORDS - before, before)
        assert library.search("alpha", limit=1).total == RECORDS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize(
    ("owner", "name", "moment", "count"),
    [
        ("records", "_create", "after", 1),
        ("records", "_load", "after", 2),  # inside of a transaction
        ("records", "upsert", "before", 4),
        ("records", "upsert", "after", 4),  # between the records and the index
        ("index", "write", "before", 1),
        ("index", "write", "inside", 2),  # some documents added, none committed
        ("index", "_note", "before", 2),  # committed and merged, not noted
        ("index", "write", "after", 3),
        ("index", "clear", "after", 1),
    ],
)
def test_an_import_that_dies_at_a_chosen_moment_goes_on(tmp_path, owner, name, moment, count):
    """PER-01, PER-02"""
    file, path, total = tmp_path / "records.jsonl", tmp_path / "library", 1_150
    lines = ({"title": f"Title number {n}", "abstract": f"alpha w{n}"} for n in range(total))
    file.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    death = (owner, name, moment, count)
    assert workers().work(__name__, str(path), str(file), 300, *death) == -signal.SIGKILL
    with Library.open(path) as library:
        held = len(library)
        assert held < total
        assert library.search("alpha", limit=1).total == held
        changes = library.import_file(file).changes
        assert (changes.added, changes.unchanged) == (total - held, held)
        assert library.search("alpha", limit=1).total == total
        assert library.search(f"title:{total - 1}").total == 1


def test_a_library_of_a_newer_version_is_refused_and_not_changed(tmp_path):
    """PER-06, PER-15"""
    with Library.open(tmp_path) as library:
        library.add([])
        library._records._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = (tmp_path / "records.db").read_bytes()
    with pytest.raises(LibraryError, match="update paper-search"):
        Library.open(tmp_path)
    assert (tmp_path / "records.db").read_bytes() == before
