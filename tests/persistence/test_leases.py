"""Who drives a thread: one at a time, and never one who is dead."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys

import pytest

from paper_search.errors import PersistenceError, ThreadBusyError
from paper_search.persistence import leases as module
from paper_search.persistence.leases import LEASE_S, LeaseHolder, Leases, MemoryLeaseTable
from paper_search.persistence.sqlite import SqliteLeaseTable

HERE = socket.gethostname()


class Clock:
    """Seconds that only a test lets pass."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def table(request, tmp_path):
    if request.param == "memory":
        return MemoryLeaseTable()
    return SqliteLeaseTable(tmp_path / "t.db")


@pytest.fixture
def leases(table, clock):
    return Leases(table, clock)


def holder(clock, pid=None, host=HERE, seconds=LEASE_S):
    owner = f"{host}:{pid if pid is not None else os.getpid()}:token"
    return LeaseHolder(owner, clock.now + seconds)


@pytest.fixture
def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])  # our own program
    process.wait()
    return process.pid


async def test_a_lease_is_held_for_the_length_of_the_block(leases):
    assert not await leases.is_held("t")
    async with leases.hold("t"):
        assert await leases.is_held("t")
        assert not await leases.is_held("other")
    assert not await leases.is_held("t")


async def test_the_second_is_told_who_has_it(leases):
    """PER-13."""
    async with leases.hold("t"):
        with pytest.raises(ThreadBusyError, match=f"'t' .* process {os.getpid()} on"):
            async with leases.hold("t"):
                pytest.fail("two hold one lease")
        assert await leases.is_held("t")
        async with leases.hold("other"):
            pass


async def test_of_many_at_once_one_wins(leases):
    """PER-13."""
    held = 0

    async def hold():
        nonlocal held
        async with leases.hold("t"):
            held += 1
            await asyncio.sleep(0.2)

    outcomes = await asyncio.gather(*(hold() for _ in range(8)), return_exceptions=True)
    assert held == 1
    assert sum(isinstance(each, ThreadBusyError) for each in outcomes) == 7


async def test_an_error_in_the_block_gives_the_lease_up(leases):
    async def fail():
        async with leases.hold("t"):
            raise OSError("inside")

    with pytest.raises(OSError, match="inside"):
        await fail()
    assert not await leases.is_held("t")


async def test_a_cancelled_block_gives_the_lease_up(leases):
    """PER-06."""
    is_in = asyncio.Event()

    async def wait():
        async with leases.hold("t"):
            is_in.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await is_in.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not await leases.is_held("t")


async def test_a_lease_that_ran_out_is_taken_over(table, leases, clock):
    stranger = holder(clock, pid=1, host="elsewhere")
    assert table.take("t", stranger, clock.now) == stranger
    with pytest.raises(ThreadBusyError, match="process 1 on elsewhere"):
        async with leases.hold("t"):
            pass
    clock.now += LEASE_S
    assert not await leases.is_held("t")
    async with leases.hold("t"):
        assert await leases.is_held("t")


async def test_the_lease_of_a_dead_process_of_this_machine_is_taken_over_at_once(
    table, leases, clock, dead_pid
):
    """PER-13."""
    table.take("t", holder(clock, pid=dead_pid), clock.now)
    assert not await leases.is_held("t")
    async with leases.hold("t"):
        pass


async def test_of_another_machine_only_time_tells(table, leases, clock, dead_pid):
    table.take("t", holder(clock, pid=dead_pid, host="elsewhere"), clock.now)
    assert await leases.is_held("t")


async def test_who_lost_the_lease_does_not_give_up_that_of_another(table, leases, clock):
    async with leases.hold("t"):
        clock.now += LEASE_S
        other = holder(clock, pid=1, host="elsewhere")
        assert table.take("t", other, clock.now) == other
    assert table.holder("t") == other


async def test_a_clock_that_jumps_back_takes_no_lease_away(leases, clock):
    """PER-24."""
    async with leases.hold("t"):
        clock.now -= 86_400
        assert await leases.is_held("t")


def test_only_the_holder_can_renew(table, clock):
    mine, other = holder(clock), holder(clock, pid=1, host="elsewhere")
    assert not table.renew("t", mine)
    table.take("t", mine, clock.now)
    assert not table.renew("t", other)
    longer = LeaseHolder(mine.owner, mine.expires_at + 60)
    assert table.renew("t", longer)
    assert table.holder("t") == longer


async def test_a_lease_is_renewed_while_it_is_held(table, leases, clock, monkeypatch):
    monkeypatch.setattr(module, "RENEWAL_S", 0.01)
    async with leases.hold("t"):
        before = table.holder("t").expires_at
        clock.now += LEASE_S - 1
        await asyncio.sleep(0.3)
        assert table.holder("t").expires_at == before + LEASE_S - 1
        clock.now += LEASE_S - 1
        await asyncio.sleep(0.3)
        assert await leases.is_held("t")


async def test_a_renewal_that_fails_is_tried_again_and_hides_no_result(clock, monkeypatch, caplog):
    class Flaky(MemoryLeaseTable):
        attempts = 0

        def renew(self, thread_id, lease):
            self.attempts += 1
            if self.attempts == 1:
                raise PersistenceError("the disk is away")
            return super().renew(thread_id, lease)

    monkeypatch.setattr(module, "RENEWAL_S", 0.01)
    table = Flaky()
    leases = Leases(table, clock)
    async with leases.hold("t"):
        await asyncio.sleep(0.3)
    assert table.attempts > 1
    assert "the disk is away" in caplog.text
    assert not await leases.is_held("t")


def test_tables_on_one_file_see_each_other(tmp_path, clock):
    one, other = (SqliteLeaseTable(tmp_path / "t.db") for _ in range(2))
    mine = holder(clock)
    one.take("t", mine, clock.now)
    assert other.holder("t") == mine
    assert other.take("t", holder(clock, pid=1, host="x"), clock.now) == mine
    other.drop("t", "somebody else")
    assert one.holder("t") == mine
    other.drop("t", mine.owner)
    assert one.holder("t") is None
