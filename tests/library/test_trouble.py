"""The library under trouble: a full disk, several processes, damage, places that are read-only."""

import json
import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.library.papers import paper

from paper_search.errors import InputError, LibraryError
from paper_search.library import Library
from paper_search.library.index import FORMAT
from paper_search.models import RawPaper

IMPORT = """
import resource, sys
from pathlib import Path
from paper_search.errors import LibraryError
from paper_search.library import Library, corpus, current_index
import tantivy, filelock
current_index.BATCH, corpus._INDEXED_AT_ONCE = 100, 700
if limit := int(sys.argv[3]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    with Library.open(sys.argv[1]) as library:
        print(library.import_file(Path(sys.argv[2])).changes.added)
except LibraryError as error:
    sys.exit(f"LibraryError: {error}")
"""
SEARCH = """
import sys, time
from pathlib import Path
from paper_search.library import Library
import tantivy, filelock
most, rounds = 0, 0
with Library.open(sys.argv[1]) as library:
    library.search("warm up")
    print("ready", flush=True)
    while not Path(sys.argv[2]).exists():
        found = library.search("alpha beta", limit=5)
        assert found.total >= most, (found.total, most)
        assert all(hit.title.startswith("Title") for hit in found.papers)
        most, rounds = found.total, rounds + 1
        time.sleep(0.02)
print(rounds)
"""
READ_ONLY = """
import os, sys, tempfile
from paper_search.errors import LibraryError
from paper_search.library import Library
from paper_search.models import RawPaper
with tempfile.TemporaryDirectory() as warm, Library.open(warm) as library:
    library.add([RawPaper(id="", title="Warm", source="x")])
    library.search_boolean('"warm up"')
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
with Library.open("library") as library:
    print(library.search("alpha w7").total, library.search_boolean('"alpha beta"').total)
    print(library.info().records, library.info().is_index_current)
    try:
        library.add([RawPaper(id="", title="No", source="x")])
    except LibraryError as error:
        print(error)
"""


def lines(first: int, count: int) -> str:
    return "\n".join(
        json.dumps({"title": f"Title {n}", "abstract": f"alpha beta w{n} " * 20, "year": 2000})
        for n in range(first, first + count)
    )


def fill(path: Path, count: int = 300) -> Path:
    with Library.open(path) as library:
        library.add(paper(f"Title {n}", abstract=f"alpha beta w{n} " * 20) for n in range(count))
    return path


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of 300 records, made once to be copied."""
    return fill(tmp_path_factory.mktemp("filled") / "library")


@pytest.fixture
def library(filled: Path, tmp_path: Path) -> Path:
    """A library of 300 records that may be harmed."""
    return Path(shutil.copytree(filled, tmp_path / "library"))


def run(code: str, *arguments: object, cwd: Path | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(  # noqa: S603  # our own interpreter and script
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd
    )


def assert_whole(path: Path) -> int:
    connection = sqlite3.connect(path / "records.db")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    with Library.open(path) as library:
        held = len(library)
        assert library.search("alpha", limit=1).total == held
        assert library.info().is_index_current
    return held


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB where one can be mounted, else an ordinary directory."""
    place = tmp_path / "disk"
    place.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    command = [mount or "", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    is_mounted = bool(mount) and not subprocess.run(command, check=False).returncode  # noqa: S603  # fixed words
    yield place
    if is_mounted and unmount:
        subprocess.run([unmount, str(place)], check=True)  # noqa: S603  # as above


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files there")
@pytest.mark.parametrize("limit", [60_000, 400_000, 1_000_000])
def test_an_import_goes_on_once_there_is_space_for_its_files(tmp_path, limit):
    """PER-07: the disk is full for the index, the log of writes, or the records."""
    file, path = tmp_path / "records.jsonl", tmp_path / "library"
    file.write_text(lines(0, 3_000), "utf-8")
    with run(IMPORT, path, file, limit) as child:
        _, said = child.communicate(timeout=240)
    assert child.returncode == 1
    assert "LibraryError: " in said
    assert "Traceback" not in said
    assert str(path) in said
    held = assert_whole(path)
    assert held < 3_000 or limit > 400_000
    with Library.open(path) as library:
        changes = library.import_file(file).changes
        assert (changes.added, changes.unchanged) == (3_000 - held, held)
    assert assert_whole(path) == 3_000


@pytest.mark.slow
def test_a_full_file_system_is_said_and_the_rest_goes_in_later(tmp_path, small_disk):
    """PER-07"""
    file, path = tmp_path / "records.jsonl", small_disk / "library"
    file.write_text(lines(0, 6_000), "utf-8")
    with run(IMPORT, path, file, 0 if small_disk.is_mount() else 500_000) as child:
        _, said = child.communicate(timeout=240)
    assert child.returncode == 1
    assert "LibraryError: " in said
    assert "full" in said.lower() or "space" in said.lower() or "I/O" in said
    # Space is made by moving the library to a larger disk.
    roomy = tmp_path / "roomy"
    shutil.copytree(path, roomy)
    held = assert_whole(roomy)
    assert held < 6_000
    with Library.open(roomy) as library:
        assert library.import_file(file).changes.added == 6_000 - held
    assert assert_whole(roomy) == 6_000


@pytest.mark.slow
def test_two_imports_at_once_are_both_complete_and_searched_meanwhile(tmp_path):
    """PER-12, LOAD-02: 500 records are in both files."""
    path, done = tmp_path / "library", tmp_path / "done"
    for number, first in enumerate((0, 1_500)):
        (tmp_path / f"{number}.jsonl").write_text(lines(first, 2_000), "utf-8")
    readers = [run(SEARCH, path, done) for _ in range(2)]
    assert all(child.stdout and child.stdout.readline() == "ready\n" for child in readers)
    writers = [run(IMPORT, path, tmp_path / f"{number}.jsonl", 0) for number in range(2)]
    added = 0
    for child in writers:
        out, err = child.communicate(timeout=240)
        assert child.returncode == 0, err
        added += int(out)
    done.touch()
    for child in readers:
        out, err = child.communicate(timeout=240)
        assert child.returncode == 0, err
        assert int(out) > 2  # one that waits for the writers gets there twice at most
    assert added == assert_whole(path) == 3_500


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_a_library_that_cannot_be_written_can_be_searched():
    """PER-08"""
    # Not in `tmp_path`, which is its owner's alone: a child of root becomes nobody.
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        place.chmod(0o755)
        fill(place / "library")
        everything = [place / "library", *(place / "library").rglob("*")]
        try:
            for path in everything:
                path.chmod(0o555 if path.is_dir() else 0o444)
            with run(READ_ONLY, cwd=place) as child:
                out, err = child.communicate(timeout=240)
        finally:
            for item in everything:
                item.chmod(0o755 if item.is_dir() else 0o644)
    assert child.returncode == 0, err
    assert out.splitlines()[:2] == ["300 300", "300 True"]
    assert "read-only" in out


@pytest.mark.parametrize("suffix", ["term", "idx", "pos", "fast", "store", "fieldnorm"])
@pytest.mark.parametrize("harm", ["delete", "cut", "overwrite"])
def test_a_damaged_file_of_the_index_costs_nothing(library, suffix, harm, caplog):
    """PER-09"""
    for file in (library / "index").glob(f"*.{suffix}"):
        content = file.read_bytes()
        file.unlink()
        if harm != "delete":
            middle = len(content) // 2
            noise = random.Random(1).randbytes(middle) if harm == "overwrite" else b""  # noqa: S311  # not secret
            file.write_bytes(content[:middle] + noise)
    with caplog.at_level(logging.WARNING), Library.open(library) as opened:
        assert opened.search("alpha w7").total == 300
        assert opened.search_boolean('"beta w9"').total == 1
        assert opened.search_boolean('"beta w9*"').total > 1
    assert "being rebuilt" in caplog.text


def test_damage_inside_of_a_file_that_ends_well_is_found_out(library):
    """PER-09: the engine panics over it."""
    for file in (library / "index").glob("*.term"):
        content = bytearray(file.read_bytes())
        content[: len(content) - 200] = b"\xff" * (len(content) - 200)
        file.write_bytes(content)
    with Library.open(library) as opened:
        assert opened.search("alpha w7").total == 300


@pytest.mark.parametrize(
    ("part", "damage"), [(b'"title', b"}title"), (b"alpha", b"\xfflpha"), (b"alpha", b"ilpha")]
)
@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_damaged_record_is_named_and_the_others_are_found(library, part, damage, *, is_indexed):
    """PER-09: no JSON any more, no text, or another one."""
    with closing(sqlite3.connect(library / "records.db")) as connection, connection:
        (text,) = connection.execute("SELECT paper FROM records WHERE row = 8").fetchone()
        changed = text.encode().replace(part, damage, 1)
        connection.execute("UPDATE records SET paper = CAST(? AS TEXT) WHERE row = 8", (changed,))
    if not is_indexed:
        shutil.rmtree(library / "index")
    with Library.open(library) as opened:  # nothing was searched yet
        told = opened.info().damage
        assert "1 damaged record is left out (hash:" in told
    with Library.open(library) as opened:
        answer = opened.search("alpha w7", limit=500)
        assert (len(answer.papers), answer.note) == (299, told)
        opened.add([RawPaper.model_validate({"id": "", **json.loads(text)})])
        answer = opened.search("alpha w7", limit=500)
        assert (len(answer.papers), answer.note, answer.papers[0].title) == (300, None, "Title 7")


def test_an_index_of_the_format_before_is_made_again(library):
    """PER-14: what the last release wrote has other words in it."""
    note = library / "index" / "paper_search.json"
    note.write_text(json.dumps({**json.loads(note.read_text("utf-8")), "format": FORMAT - 1}))
    for file in (library / "index").glob("*.fieldnorm"):
        file.unlink()
    with Library.open(library) as opened:
        assert not opened.info().is_index_current
        assert opened.search("alpha").total == 300
        assert opened.info().is_index_current
        assert json.loads(note.read_text("utf-8"))["format"] == FORMAT


@pytest.mark.parametrize("name", ["with space", "übung – 图书馆", "it's 100% #1?&x"])
def test_any_name_of_a_directory_will_do(tmp_path, name):
    path = fill(tmp_path / name / "library", count=20)
    assert assert_whole(path) == 20


def test_a_library_that_is_deleted_meanwhile_is_an_error_by_name(tmp_path):
    path = fill(tmp_path / "library", count=20)
    with Library.open(path) as library:
        shutil.rmtree(path)
        with pytest.raises(LibraryError, match="library"):
            library.search("alpha")
        with pytest.raises(LibraryError, match="library"):
            library.add([paper("Late")])
    assert not path.exists()


def test_a_clock_that_goes_back_changes_nothing(tmp_path):
    """PER-24"""
    path = fill(tmp_path / "library", count=20)
    for when in (4_000_000_000, 1):
        for item in [path, *path.rglob("*")]:
            os.utime(item, (when, when))
        with Library.open(path) as library:
            library.add([paper(f"Title at {when}", abstract="alpha")])
            assert library.search("alpha").total == len(library)
            assert library.search(f"Title at {when}", limit=1).papers[0].title.endswith(str(when))


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("alpha " * 5_000, True),
        (" ".join(f"word{n}" for n in range(800)), False),
        ("the of and to in " * 500, False),
        ("*", False),
        ("* * *", False),
        ("a*", True),
        ('"' + "alpha beta " * 1_000 + '"', False),
        (" OR ".join(f"w{n}" for n in range(150)), True),
        ("(" * 60 + "alpha" + ")" * 60, True),
        ("(" * 5_000 + "alpha" + ")" * 5_000, False),
        ("NOT " * 500 + "alpha", True),
        ('"' + "a* " * 30 + '"', False),
    ],
)
def test_a_bad_query_is_answered_or_refused(filled, query, *, finds):
    """One that takes for ever never gets to its answer."""
    said: list[str] = []
    with Library.open(filled) as library:
        for ask in (library.search, library.search_boolean):
            try:
                assert bool(ask(query, limit=5).total) >= finds
            except InputError as error:
                said.append(str(error))
    assert all(10 < len(message) < 1_000 for message in said)
