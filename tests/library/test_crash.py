"""An import that is killed leaves a library that is whole, and goes on where it was."""

import json
import subprocess
import sys
import time

import pytest

from paper_search.errors import LibraryError
from paper_search.library import Library
from paper_search.library.records import SCHEMA_VERSION

RECORDS = 6_000
POINTS = 20
CHILD = """
import sys
from pathlib import Path
from paper_search.library import Library, corpus, current_index
current_index.BATCH, corpus._INDEXED_AT_ONCE = 100, 700
print("ready", flush=True)
with Library.open(sys.argv[1]) as library:
    library.import_file(Path(sys.argv[2]))
print("done", flush=True)
"""


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
        with subprocess.Popen(  # noqa: S603  # our own interpreter and script
            [sys.executable, "-c", CHILD, str(path), str(file)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            # Points spread over the first second: between batches, inside of commits and merges.
            deadline = time.monotonic() + 0.05 * (point + 1)
            while child.poll() is None and time.monotonic() < deadline:
                pass
            child.kill()
            killed += child.wait() < 0
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


DYING = """
import os, sys
from pathlib import Path
from paper_search.library import Library, corpus, current_index
from paper_search.library.index import TextIndex
from paper_search.library.records import RecordStore
current_index.BATCH, corpus._INDEXED_AT_ONCE = 100, 300
owner, name, moment, count = sys.argv[3:]
of = {"records": RecordStore, "index": TextIndex}[owner]
original, calls = getattr(of, name), 0

def dying(self, *given):
    global calls
    calls += 1
    if calls == int(count) and moment == "before":
        os.kill(os.getpid(), 9)
    if calls == int(count) and moment == "inside":
        records = list(given[0])
        def some():
            for number, record in enumerate(records):
                if number == len(records) // 2:
                    os.kill(os.getpid(), 9)
                yield record
        return original(self, some(), *given[1:])
    result = original(self, *given)
    if calls == int(count):
        os.kill(os.getpid(), 9)
    return result

setattr(of, name, dying)
with Library.open(sys.argv[1]) as library:
    library.import_file(Path(sys.argv[2]))
"""


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
    command = [sys.executable, "-c", DYING, path, file, owner, name, moment, str(count)]
    assert subprocess.run(command, check=False).returncode == -9  # noqa: S603  # our own script
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
