"""One person at a time does one kind of work on a thread."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from paper_search.errors import ThreadBusyError, ThreadTakenOverError
from paper_search.persistence.leases import WORK_LOCK_S, LeaseHolder, Leases, LeaseTable, WorkLock
from paper_search.persistence.tables import SqliteDatabase


@pytest.fixture(params=["memory", "sqlite"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> LeaseTable:
    if request.param == "memory":
        return LeaseTable()
    return LeaseTable(SqliteDatabase(tmp_path / "t.db"))


async def test_the_second_is_told_who_holds_it(table):
    first, second = WorkLock(table, "t", ""), WorkLock(table, "t", "")
    await first.acquire()
    with pytest.raises(ThreadBusyError, match=f"is being screened by process {os.getpid()}"):
        await second.acquire()
    await first.renew()
    await first.release()
    await second.acquire()
    await WorkLock(table, "other", "").acquire()
    await WorkLock(table, "t", "ada").acquire()


async def test_the_lease_of_the_thread_is_free_all_the_while(table):
    await WorkLock(table, "t", "").acquire()
    async with Leases(table).hold("t"):
        pass


@pytest.fixture
def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])  # our own program
    process.wait()
    return process.pid


async def test_the_lock_of_a_dead_process_is_free(table, dead_pid):
    dead = LeaseHolder(f"{socket.gethostname()}:{dead_pid}:token", 4e9)
    assert table.take("t#screened", dead, 0.0) == dead
    await WorkLock(table, "t", "").acquire()


async def test_who_was_silent_for_too_long_writes_no_more(table):
    now = [1_000.0]
    first, second = (WorkLock(table, "t", "", lambda: now[0]) for _ in range(2))
    await first.acquire()
    now[0] += WORK_LOCK_S - 1
    await first.renew()
    now[0] += WORK_LOCK_S + 1
    await first.renew()  # nobody came
    now[0] += WORK_LOCK_S + 1
    await second.acquire()
    with pytest.raises(ThreadTakenOverError, match="your last key was not saved"):
        await first.renew()
    await first.release()
    await second.renew()
