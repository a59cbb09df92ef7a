"""A byte that flips in the file, seen from the command line; in Python: tests/persistence."""

import asyncio
import resource
import shutil
from pathlib import Path

import pytest
from tests.conftest import run_sql
from tests.persistence.test_damage import COLUMNS, THREADS, begin, flip_a_bit


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "threads.db"
    asyncio.run(begin(f"sqlite:///{path}"))
    return path


def test_a_thread_is_read_on_a_full_disk_and_written_when_there_is_room(cli, home, whole):
    """PER-07: not even the index that SQLite makes beside its file has room."""
    shutil.copy(whole, home / "threads.db")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))
    try:
        assert {row["thread_id"] for row in cli("threads", "--json").document} == set(THREADS)
        assert "Found every time" in cli("export", "done").stdout
        refused = cli("delete", "done", "--yes")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "free space" in refused.stderr
    assert cli("delete", "done", "--yes").code == 0


def test_doctor_names_what_is_damaged(cli, home, whole):
    """PER-09"""
    shutil.copy(whole, home / "threads.db")
    change = "UPDATE paper_search_decisions SET thread_id = 'dome' WHERE thread_id = 'done'"
    run_sql(f"sqlite:///{home}/threads.db", change)
    doctor = cli("doctor")
    assert doctor.code != 0
    assert "damaged: dome" in doctor.stdout


@pytest.mark.parametrize("seed", range(0, COLUMNS, 6))
def test_commands_list_show_and_delete_whatever_byte_was_flipped(cli, home, whole, seed):
    """PER-09"""
    shutil.copy(whole, home / "threads.db")
    what, owner = flip_a_bit(home / "threads.db", seed)
    listed = {row["thread_id"] for row in cli("threads", "--json").document}
    assert listed >= set(THREADS), what
    for name in THREADS:
        shown = cli("show", name)
        assert shown.code == 0 or (name == owner and "Traceback" not in shown.stderr), what
    assert cli("delete", owner, "--yes").code == 0, what
    assert owner not in {row["thread_id"] for row in cli("threads", "--json").document}, what
