"""From a URL to a persistence, or to an error that says what is wrong with it."""

import asyncio
import hashlib
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import run_sql
from tests.preforked import workers
from tests.workflow.doubles import workflow

from paper_search.errors import PersistenceError, ThreadNotFoundError, UnknownNameError
from paper_search.persistence import backups, open_persistence
from paper_search.persistence.opening import sqlite_path
from paper_search.workflow import ThreadCatalog


@pytest.mark.parametrize(
    ("rest", "path"),
    [
        ("///threads.db", "threads.db"),
        ("///a/b.db", "a/b.db"),
        ("////a/b.db", "/a/b.db"),
        ("///", "threads.db"),
        ("", "threads.db"),
        ("threads.db", "threads.db"),
    ],
)
def test_three_slashes_are_relative_and_four_absolute(rest, path):
    assert sqlite_path(rest) == Path(path)


@pytest.mark.parametrize("url", ["mysql://x", "", "threads.db", "file:///x"])
async def test_an_unknown_scheme_is_refused_with_the_known_ones(url):
    with pytest.raises(UnknownNameError, match=r"known: memory, .*sqlite"):
        async with open_persistence(url):
            pass


async def test_memory_says_that_it_is_not_durable_and_a_file_that_it_is(tmp_path):
    """PER-22."""
    async with open_persistence() as persistence:
        assert not persistence.is_durable
    async with open_persistence(f"sqlite:///{tmp_path}/t.db") as persistence:
        assert persistence.is_durable


async def test_a_missing_directory_is_made(tmp_path):
    """PER-08."""
    path = tmp_path / "new" / "er" / "t.db"
    async with open_persistence(f"sqlite:///{path}"):
        assert path.is_file()


async def _refused(path: Path, word: str) -> None:
    with pytest.raises(PersistenceError, match=word) as caught:
        async with open_persistence(f"sqlite:///{path}"):
            pass
    assert path.name in str(caught.value)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _foreign(path: Path, *tables: str, mode: str = "DELETE") -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode={mode}")
        for table in tables:
            connection.execute(f"CREATE TABLE {table} (x)")
        connection.commit()


BROKEN = {
    "text": b"these are my notes" * 100,
    "a bitmap": b"\x89PNG\r\n\x1a\n" + bytes(1000),
    "two bytes": b"SQ",
    "the beginning of a database": b"SQLite format 3\x00",
    "a database's first line and garbage": b"SQLite format 3\x00" + os.urandom(8192),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
async def test_a_file_that_is_no_database_is_named_and_left_as_it_is(tmp_path, path, content):
    """PER-09."""
    path.write_bytes(content)
    await _refused(path, "was not changed")
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize("tables", [["cookies"], ["store", "customers"], ["checkpoints", "maps"]])
async def test_another_programs_database_is_named_and_left_as_it_is(path, tables, mode):
    """PER-09: also one that has a table of a name that ours has."""
    _foreign(path, *tables, mode=mode)
    before = _digest(path)
    await _refused(path, f"another program's database .tables: .*{tables[-1]}")
    assert _digest(path) == before


async def test_another_programs_database_in_use_is_left_as_it_is(tmp_path):
    """PER-09: with changes that are only in its write-ahead log."""
    path, log = tmp_path / "threads.db", tmp_path / "threads.db-wal"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE cookies (x)")
        connection.commit()
        before = _digest(log)
        await _refused(path, "another program's database")
        assert _digest(log) == before


@pytest.mark.parametrize(("start", "byte"), [(0, b""), (47, b"\x77")])
async def test_a_damaged_database_is_named_and_left_as_it_is(path, url, start, byte):
    """PER-09: ours, cut off in the middle, or of a format that SQLite does not know."""
    await workflow(persistence=url).run("q", thread_id="t")
    content = path.read_bytes()
    path.write_bytes(
        content[:start] + byte + content[start + 1 :] if byte else content[: len(content) // 3]
    )
    before = _digest(path)
    await _refused(path, "it is damaged, and was not changed: move it away")
    assert _digest(path) == before


async def test_a_damaged_page_is_an_error_that_names_the_file(path, url):
    """PER-09: a blob overwritten in the middle of our file."""
    await workflow(persistence=url).start("q", thread_id="t")
    content = bytearray(path.read_bytes())
    content[16_384:] = os.urandom(len(content) - 16_384)
    path.write_bytes(content)
    with pytest.raises(PersistenceError, match=r"threads\.db"):
        await workflow(persistence=url).answer("t", "approve")


async def test_flipped_bytes_are_named_as_damage_or_change_nothing_that_is_read(tmp_path):
    """PER-09: wherever in the file they are."""
    whole, path = tmp_path / "whole.db", tmp_path / "threads.db"
    await workflow(persistence=f"sqlite:///{whole}").start("q", thread_id="t")
    backups.compact(whole)
    content, chance = whole.read_bytes(), random.Random(7)  # noqa: S311  # no secret
    told = []
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(16):
            damaged[chance.randrange(len(content))] ^= chance.randrange(1, 256)
        path.write_bytes(damaged)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        try:
            async with open_persistence(f"sqlite:///{path}") as persistence:
                catalog = ThreadCatalog(persistence)
                listed = await catalog.threads()
                told += [info.error for info in listed if info.error]
                await catalog.show("t")
        except PersistenceError as error:
            told.append(str(error))
        except ThreadNotFoundError:
            continue  # the row that names it is hit
    assert told
    # Where the row that names the question is hit, the thread goes on before it, and asks again.
    known = ("damaged", "cannot be", "resuming continues there")
    assert [text for text in told if not any(words in text for words in known)] == []


async def test_a_file_of_a_newer_program_is_refused_and_left_as_it_is(tmp_path, path, url):
    await workflow(persistence=url).start("q", thread_id="t")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        connection.execute("PRAGMA user_version = 2")
    before = _digest(path)
    await _refused(path, "newer paper-search")
    with pytest.raises(PersistenceError, match="newer"):
        backups.restore(path, tmp_path / "other.db")
    assert _digest(path) == before


async def test_files_are_their_owners_alone(tmp_path, path, url):
    async with open_persistence(url) as persistence:
        await workflow(persistence=persistence).start("q", thread_id="t")
        backups.back_up(path, tmp_path / "backup.db")
        backups.restore(tmp_path / "backup.db", tmp_path / "restored.db")
        modes = {entry.name: entry.stat().st_mode & 0o777 for entry in tmp_path.iterdir()}
    assert {"threads.db", "threads.db-wal", "backup.db", "restored.db"} <= set(modes)
    assert set(modes.values()) == {0o600}


async def test_an_empty_file_is_a_new_database(path, url):
    """PER-09: there is nothing in it to lose, and SQLite makes one before its first write."""
    path.touch()
    result = await workflow(persistence=url).run("q")
    assert len(result.papers) == 2


async def test_a_file_that_another_process_closes_meanwhile_is_opened(path, url, monkeypatch):
    async with open_persistence(url):
        pass
    index, stat = path.with_name(f"{path.name}-shm"), Path.stat
    index.write_bytes(bytes(32_768))

    def closed_behind(self: Path, **options: bool) -> os.stat_result:
        result = stat(self, **options)
        if self == index:
            index.unlink()
        return result

    monkeypatch.setattr(Path, "stat", closed_behind)
    async with open_persistence(url) as persistence:
        assert await persistence.index.latest(1) == []


async def test_our_file_with_a_strangers_table_in_it_is_ours(path, url):
    await workflow(persistence=url).start("q", thread_id="t")
    _foreign(path, "notes", mode="WAL")
    assert await workflow(persistence=url).pending("t") is not None


@pytest.fixture
def unprivileged():
    """Give up the rights of root, for whom nothing is forbidden."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        if os.geteuid() != 0:
            yield directory
            directory.chmod(0o700)
            return
        directory.chmod(0o755)
        os.chown(directory, 65534, 65534)
        os.seteuid(65534)
        try:
            yield directory
        finally:
            os.seteuid(0)


@pytest.mark.parametrize("name", ["threads.db", "new/threads.db"])
async def test_a_directory_that_cannot_be_written_is_named(unprivileged, name):
    """PER-08."""
    unprivileged.chmod(0o555)
    await _refused(unprivileged / name, "Permission denied")


async def test_a_read_only_file_is_named_before_any_skill_is_called(unprivileged):
    """PER-08."""
    path = unprivileged / "threads.db"
    path.touch()
    path.chmod(0o444)
    await _refused(path, "Permission denied .*a copy of the home can be read")


async def test_a_path_below_a_file_and_a_directory_are_named(tmp_path):
    """PER-08."""
    (tmp_path / "file").touch()
    await _refused(tmp_path / "file" / "threads.db", "Not a directory|File exists")
    await _refused(tmp_path, "Is a directory")


def work(url: str, thread_id: str) -> None:
    """Make the file with a thread in it, in one process of many (`preforked`)."""
    asyncio.run(workflow(persistence=url).run("q", thread_id=thread_id))


@pytest.mark.slow
def test_many_processes_make_the_file_at_once(path, url, tmp_path):
    """PER-12."""
    workers().work_at_once(__name__, *([url, f"t{i}"] for i in range(6)))
    assert run_sql(url, "PRAGMA integrity_check") == [("ok",)]
    assert run_sql(url, "SELECT COUNT(DISTINCT thread_id) FROM checkpoints") == [(6,)]
    assert list(tmp_path.iterdir()) == [path]


async def test_opening_a_file_twice_in_a_process_keeps_the_locks_of_the_first(path, url):
    """PER-12: a handle on the file that is not SQLite's would drop them when it is closed."""
    intruder = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=0);"
        "c.execute('PRAGMA locking_mode=EXCLUSIVE');"
        "c.execute('BEGIN EXCLUSIVE'); c.execute('CREATE TABLE x (y)'); c.commit();"
        "print(c.execute('PRAGMA journal_mode=DELETE').fetchone()[0])"
    )
    async with open_persistence(url) as outer:
        await outer.store.aput(("a",), "b", {"c": 1})
        async with open_persistence(url):
            pass
        said = subprocess.run(  # noqa: S603, ASYNC221  # our own program, and nothing runs beside
            [sys.executable, "-c", intruder, str(path)],
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert "locked" in said.stderr
        assert (await outer.store.aget(("a",), "b")).value == {"c": 1}
