"""Who drives a thread: one at a time, and never one who is dead."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from typing import Any

import pytest
from tests.virtual_time import in_virtual_time

from paper_search.errors import PersistenceError, ThreadBusyError, ThreadTakenOverError
from paper_search.persistence.leases import (
    LEASE_S,
    RENEWAL_S,
    WORK_LOCK_S,
    LeaseHolder,
    Leases,
    WorkLock,
    check_ownership,
)
from paper_search.persistence.tables import SqliteDatabase, uptime

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
def leases(request, tmp_path, clock):
    return Leases(SqliteDatabase(tmp_path / "t.db" if request.param == "sqlite" else None), clock)


def owner(pid=None, host=HERE):
    return f"{host}:{pid if pid is not None else os.getpid()}:token"


STRANGER = owner(1, "elsewhere")


@pytest.fixture
def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])  # our own program
    process.wait()
    return process.pid


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
    everyone = asyncio.Barrier(8)

    async def hold():
        try:
            async with leases.hold("t"):
                await everyone.wait()  # none comes when the lease is free again
                return "held"
        except ThreadBusyError:
            await everyone.wait()
            return "busy"

    outcomes = await asyncio.gather(*(hold() for _ in range(8)))
    assert sorted(outcomes) == ["busy"] * 7 + ["held"]


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


async def test_a_lease_that_ran_out_is_taken_over_and_not_a_moment_before(leases, clock):
    """PER-13."""
    assert (await leases.take("t", STRANGER)).owner == STRANGER
    with pytest.raises(ThreadBusyError, match="process 1 on elsewhere"):
        async with leases.hold("t"):
            pass
    clock.now += LEASE_S - 0.001
    assert await leases.is_held("t")
    clock.now += 0.001
    assert not await leases.is_held("t")
    async with leases.hold("t"):
        assert (await leases.holder("t")).expires_at == clock.now + LEASE_S


async def test_the_lease_of_a_dead_process_of_this_machine_is_taken_over_at_once(leases, dead_pid):
    """PER-13."""
    await leases.take("t", owner(dead_pid))
    assert not await leases.is_held("t")
    async with leases.hold("t"):
        pass


async def test_of_another_machine_only_time_tells(leases, dead_pid):
    await leases.take("t", owner(dead_pid, "elsewhere"))
    assert await leases.is_held("t")


async def test_a_clock_that_jumps_back_takes_no_lease_away(leases, clock):
    """PER-24."""
    async with leases.hold("t"):
        clock.now -= 86_400
        assert await leases.is_held("t")


async def test_only_the_holder_can_renew(leases, clock):
    assert not await leases.renew("t", owner())
    await leases.take("t", owner())
    assert not await leases.renew("t", STRANGER)
    clock.now += 9
    assert await leases.renew("t", owner())
    assert await leases.holder("t") == LeaseHolder(owner(), clock.now + LEASE_S)


class Locked(SqliteDatabase):
    """Keeps a change waiting, once."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock, self.wait_s = clock, 0

    async def change(self, statement: str, *values: Any) -> int:
        self.clock.now, self.wait_s = self.clock.now + self.wait_s, 0
        return await super().change(statement, *values)


async def test_a_lease_lasts_from_when_it_could_be_written(clock):
    database = Locked(clock)
    leases = Leases(database, clock)
    database.wait_s = 25
    await leases.take("t", owner())
    assert (await leases.holder("t")).expires_at == clock.now + LEASE_S
    database.wait_s = 25
    assert await leases.renew("t", owner())
    assert (await leases.holder("t")).expires_at == clock.now + LEASE_S


async def test_who_is_cancelled_while_the_lease_is_taken_leaves_none(clock, tmp_path):
    database, is_free = SqliteDatabase(tmp_path / "t.db"), threading.Event()
    leases = Leases(database, clock)
    at_work = asyncio.create_task(database(lambda _: is_free.wait()))
    taking = asyncio.create_task(leases.take("t", owner()))
    await asyncio.sleep(0.01)  # the statement waits for its turn
    taking.cancel()
    await asyncio.sleep(0)
    is_free.set()
    await asyncio.gather(at_work, taking, return_exceptions=True)
    assert taking.cancelled()
    assert await leases.holder("t") is None


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
async def test_who_is_cancelled_while_the_lease_is_given_up_leaves_none(leases, turns):
    is_in, may_end = asyncio.Event(), asyncio.Event()

    async def drive():
        async with leases.hold("t"):
            is_in.set()
            await may_end.wait()

    task = asyncio.create_task(drive())
    await is_in.wait()
    may_end.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (await leases.take("t", STRANGER)).owner == STRANGER


@in_virtual_time
async def test_a_renewal_that_fails_is_tried_again_and_hides_no_result(clock, caplog):
    class Flaky(Leases):
        attempts = 0

        async def renew(self, thread_id, owner):
            self.attempts += 1
            if self.attempts == 1:
                raise PersistenceError("the disk is away")
            return await super().renew(thread_id, owner)

    leases = Flaky(clock=clock)
    async with leases.hold("t"):
        await asyncio.sleep(RENEWAL_S * 2.5)
    assert leases.attempts == 2
    assert "the lease on thread t could not be renewed" in caplog.messages
    assert "the disk is away" in caplog.text
    assert not await leases.is_held("t")


BUSY = (
    "thread 't' is running in process 1 on elsewhere; "
    "wait until it asks a question or ends, then try again"
)
LOST = (
    "thread 't' was taken over by another process, because this one did not respond "
    "for more than 30 s. This process stops; check the thread"
)


async def take_over(leases, clock):
    """Let another process take the lease, as it does once this one was silent for too long."""
    clock.now += LEASE_S
    other = await leases.take("t", STRANGER)
    assert other.owner == STRANGER
    return other


async def test_the_owner_of_a_lease_is_this_process_and_never_the_same_twice(leases):
    owners = []
    for _ in range(2):
        async with leases.hold("t"):
            owners.append((await leases.holder("t")).owner)
    assert owners[0] != owners[1]
    assert all(owner.rsplit(":", 1)[0] == f"{HERE}:{os.getpid()}" for owner in owners)


@in_virtual_time
async def test_who_lost_the_lease_is_stopped_and_told_so(leases, clock, caplog):
    """PER-13."""

    async def work():
        async with leases.hold("t"):
            await take_over(leases, clock)
            await asyncio.Event().wait()

    with pytest.raises(ThreadTakenOverError) as told:
        await work()
    assert str(told.value) == LOST
    assert LOST in caplog.messages
    assert (await leases.holder("t")).owner == STRANGER
    assert asyncio.current_task().cancelling() == 0


@in_virtual_time
async def test_who_is_cancelled_by_somebody_else_too_stays_cancelled(leases, clock):
    """PER-06, PER-13."""
    is_in, is_cleaning_up = asyncio.Event(), asyncio.Event()

    async def work():
        async with leases.hold("t"):
            try:
                is_in.set()
                await asyncio.Event().wait()
            finally:
                is_cleaning_up.set()
                await asyncio.Event().wait()  # until the lease is lost

    task = asyncio.create_task(work())
    await is_in.wait()
    task.cancel()
    await is_cleaning_up.wait()
    await take_over(leases, clock)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_holder_may_go_on_until_the_lease_is_lost(leases, clock):
    """PER-13."""
    await leases.check_held()
    async with leases.hold("t"):
        async with leases.hold("other"):
            await leases.check_held()
        assert not await leases.is_held("other")
        await leases.check_held()
        await take_over(leases, clock)
        with pytest.raises(ThreadTakenOverError, match="'t'"):
            await leases.check_held()
    await leases.check_held()


async def test_only_the_holder_may_write_on_a_thread_that_is_driven(leases, clock):
    """PER-13."""
    other = LeaseHolder(STRANGER, clock.now + LEASE_S)
    check_ownership("t", None, clock)
    check_ownership("t", other, lambda: other.expires_at)  # it has run out
    with pytest.raises(ThreadBusyError) as busy:
        check_ownership("t", other, clock)
    assert str(busy.value) == BUSY
    async with leases.hold("t"):
        check_ownership("t", await leases.holder("t"), clock)
        for current in (None, other):
            with pytest.raises(ThreadTakenOverError) as lost:
                check_ownership("t", current, clock)
            assert str(lost.value) == LOST
    with pytest.raises(ThreadBusyError):
        check_ownership("t", other, clock)


@pytest.mark.parametrize("error", [None, PermissionError])
async def test_a_process_is_asked_for_without_a_signal_also_of_others(leases, monkeypatch, error):
    asked = []

    def kill(pid, signal):
        asked.append((pid, signal))
        if error:
            raise error

    monkeypatch.setattr(os, "kill", kill)
    await leases.take("t", owner(4711))
    assert await leases.is_held("t")
    assert set(asked) == {(4711, 0)}


async def test_on_windows_only_time_tells(clock, monkeypatch, dead_pid):
    monkeypatch.setattr(os, "name", "nt")
    assert LeaseHolder(f"{HERE}:{dead_pid}:x", clock.now + 1).is_alive(clock.now)


def test_a_host_may_have_colons_in_its_name(clock):
    text = f"fe80::1:{os.getpid()}:token"
    with pytest.raises(ThreadBusyError, match=f"process {os.getpid()} on fe80::1;"):
        check_ownership("t", LeaseHolder(text, clock.now + 1), clock)


async def test_the_times_of_leases_are_those_of_the_machine_whatever_its_clock_says():
    before = uptime()
    assert before + LEASE_S <= (await Leases().take("t", "x:1:y")).expires_at
    assert (await Leases().take("t", "x:1:y")).expires_at <= uptime() + LEASE_S


def test_a_lease_from_before_the_last_start_of_the_machine_is_dead():
    earlier = LeaseHolder(f"elsewhere:{os.getpid()}:another-start.token", 1e12)
    assert not earlier.is_alive(0.0, is_local=True)
    assert earlier.is_alive(0.0)  # of another machine, on a database that they share


# --- work locks: one person at a time does one kind of work ---------------------------------------


async def test_the_second_is_told_who_screens_and_the_lease_of_the_thread_is_free(leases):
    first, second = WorkLock(leases, "t", ""), WorkLock(leases, "t", "")
    await first.acquire()
    with pytest.raises(ThreadBusyError, match=f"is being screened by process {os.getpid()}"):
        await second.acquire()
    async with leases.hold("t"):
        await first.renew()
    await first.release()
    await second.acquire()
    await WorkLock(leases, "other", "").acquire()
    await WorkLock(leases, "t", "ada").acquire()


async def test_the_lock_of_a_dead_process_is_free(leases, dead_pid):
    await leases.take("t#screened", owner(dead_pid), WORK_LOCK_S)
    await WorkLock(leases, "t", "").acquire()


async def test_who_was_silent_for_too_long_writes_no_more(leases, clock):
    first, second = WorkLock(leases, "t", ""), WorkLock(leases, "t", "")
    await first.acquire()
    clock.now += WORK_LOCK_S - 1
    await first.renew()
    clock.now += WORK_LOCK_S + 1
    await first.renew()  # nobody came
    clock.now += WORK_LOCK_S + 1
    await second.acquire()
    with pytest.raises(ThreadTakenOverError, match="your last key was not saved"):
        await first.renew()
    await first.release()
    await second.renew()
