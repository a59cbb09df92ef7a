"""One person at a time does one kind of work on a thread."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from paper_search.errors import ThreadBusyError, ThreadTakenOverError
from paper_search.persistence.leases import LeaseHolder, Leases, LeaseTable, MemoryLeaseTable
from paper_search.persistence.seats import SEAT_S, Seat
from paper_search.persistence.sqlite import SqliteLeaseTable


@pytest.fixture(params=["memory", "sqlite"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> LeaseTable:
    if request.param == "memory":
        return MemoryLeaseTable()
    return SqliteLeaseTable(tmp_path / "t.db")


async def test_the_second_is_told_who_sits_there(table: LeaseTable) -> None:
    first, second = Seat(table, "t", "screened"), Seat(table, "t", "screened")
    await first.take()
    with pytest.raises(ThreadBusyError, match=f"is being screened by process {os.getpid()}"):
        await second.take()
    await first.keep()
    await first.leave()
    await second.take()
    await Seat(table, "other", "screened").take()


async def test_the_lease_of_the_thread_is_free_all_the_while(table: LeaseTable) -> None:
    await Seat(table, "t", "screened").take()
    async with Leases(table).hold("t"):
        pass


@pytest.fixture
def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])  # our own program
    process.wait()
    return process.pid


async def test_the_seat_of_a_dead_process_is_free(table: LeaseTable, dead_pid: int) -> None:
    dead = LeaseHolder(f"{socket.gethostname()}:{dead_pid}:token", 4e9)
    assert table.take("t#screened", dead, 0.0) == dead
    await Seat(table, "t", "screened").take()


async def test_who_was_silent_for_too_long_writes_no_more(table: LeaseTable) -> None:
    now = [1_000.0]
    first, second = (Seat(table, "t", "screened", lambda: now[0]) for _ in range(2))
    await first.take()
    now[0] += SEAT_S - 1
    await first.keep()
    now[0] += SEAT_S + 1
    await first.keep()  # nobody came
    now[0] += SEAT_S + 1
    await second.take()
    with pytest.raises(ThreadTakenOverError, match="your last key was not saved"):
        await first.keep()
    await first.leave()
    await second.keep()
