"""Places and turns: few at once, an interval apart, for all loops of the process."""

import asyncio
import itertools
import threading
from collections import Counter

import pytest

from paper_search.http.limits import HostLimiter


class Crowd:
    """Counts who is inside at one time."""

    def __init__(self) -> None:
        self.inside: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.served = 0
        self.lock = threading.Lock()

    async def visit(self, limiter: HostLimiter, host: str, most: int) -> None:
        async with limiter.slot(host, most):
            with self.lock:
                self.inside[host] += 1
                self.most[host] = max(self.most[host], self.inside[host])
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            with self.lock:
                self.inside[host] -= 1
                self.served += 1


async def test_fifty_queries_to_eight_hosts_never_meet_in_a_crowd() -> None:
    """API-29"""
    limiter, crowd = HostLimiter(), Crowd()
    slots = {f"host{number}": 1 + number % 3 for number in range(8)}
    await asyncio.gather(
        *(crowd.visit(limiter, host, most) for _ in range(50) for host, most in slots.items())
    )
    assert crowd.served == 400
    assert dict(crowd.most) == slots


def test_turns_of_fifty_queries_keep_the_rate() -> None:
    """API-29"""
    now = 0.0
    limiter = HostLimiter(lambda: now)
    turns = sorted(now + limiter.reserve("a", 0.1) for _ in range(50))
    assert all(later - sooner >= 0.1 - 1e-9 for sooner, later in itertools.pairwise(turns))
    assert max(sum(start <= turn < start + 1 for turn in turns) for start in turns) <= 11


def test_places_are_shared_by_the_loops_of_all_threads() -> None:
    """API-29"""
    limiter, crowd = HostLimiter(), Crowd()

    async def many() -> None:
        await asyncio.gather(*(crowd.visit(limiter, "a", 2) for _ in range(50)))

    threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert crowd.served == 200
    assert crowd.most["a"] <= 2


async def test_whoever_gives_up_waiting_takes_no_place() -> None:
    limiter = HostLimiter()
    async with limiter.slot("a", 1):
        waiting = [asyncio.ensure_future(Crowd().visit(limiter, "a", 1)) for _ in range(3)]
        await asyncio.sleep(0)
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    crowd = Crowd()
    await asyncio.wait_for(crowd.visit(limiter, "a", 1), 5)
    assert crowd.served == 1


async def test_a_place_given_to_one_who_gives_up_at_that_moment_is_not_lost() -> None:
    limiter = HostLimiter()
    slot = limiter.slot("a", 1)
    await slot.__aenter__()
    waiting = asyncio.ensure_future(Crowd().visit(limiter, "a", 1))
    await asyncio.sleep(0)
    await slot.__aexit__(None, None, None)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    crowd = Crowd()
    await asyncio.wait_for(crowd.visit(limiter, "a", 1), 5)
    assert crowd.served == 1


def test_a_turn_that_comes_too_late_is_left_to_others() -> None:
    limiter = HostLimiter(lambda: 0.0)
    assert limiter.reserve_within("a", 3.0, 1.0) == 0.0
    assert limiter.reserve_within("a", 3.0, 2.0) is None
    assert limiter.reserve_within("a", 3.0, 0.0) is None
    assert limiter.reserve("a", 3.0) == 3.0
