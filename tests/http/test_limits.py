"""Places and turns: few at once, an interval apart, for all loops of the process."""

import asyncio
import itertools
import math
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.http.limits import Announcement, HostLimiter, Quota, Refusal, parse_announcement

NOW = 1_790_000_000.0


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
            await asyncio.sleep(0.005)  # longer than it takes to be let in
            with self.lock:
                self.inside[host] -= 1
                self.served += 1


async def test_fifty_queries_to_eight_hosts_never_meet_in_a_crowd():
    """API-29"""
    limiter, crowd = HostLimiter(), Crowd()
    slots = {f"host{number}": 1 + number % 3 for number in range(8)}
    await asyncio.gather(
        *(crowd.visit(limiter, host, most) for _ in range(50) for host, most in slots.items())
    )
    assert crowd.served == 400
    assert dict(crowd.most) == slots


def test_turns_of_fifty_queries_keep_the_rate():
    """API-29"""
    now = 0.0
    limiter = HostLimiter(lambda: now)
    turns = sorted(now + (limiter.reserve_within("a", 0.1, math.inf) or 0.0) for _ in range(50))
    assert all(later - sooner >= 0.1 - 1e-9 for sooner, later in itertools.pairwise(turns))
    assert max(sum(start <= turn < start + 1 for turn in turns) for start in turns) <= 11


def test_places_are_shared_by_the_loops_of_all_threads():
    """API-29"""
    limiter, crowd = HostLimiter(), Crowd()

    async def many() -> None:
        await asyncio.gather(*(crowd.visit(limiter, "a", 2) for _ in range(50)))

    threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert crowd.served == 200
    assert crowd.most["a"] <= 2


async def test_whoever_gives_up_waiting_takes_no_place():
    limiter = HostLimiter()
    async with limiter.slot("a", 1):
        waiting = [asyncio.ensure_future(Crowd().visit(limiter, "a", 1)) for _ in range(3)]
        await asyncio.sleep(0)
        for process in waiting:
            process.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    crowd = Crowd()
    await crowd.visit(limiter, "a", 1)
    assert crowd.served == 1


def test_a_turn_that_comes_too_late_is_left_to_others():
    limiter = HostLimiter(lambda: 0.0)
    assert limiter.reserve_within("a", 3.0, 1.0) == 0.0
    assert limiter.reserve_within("a", 3.0, 2.0) is None
    assert limiter.reserve_within("a", 3.0, 0.0) is None
    assert limiter.reserve_within("a", 3.0, 4.0) == 3.0


def two_processes(path: Path) -> tuple[HostLimiter, HostLimiter]:
    """Return limiters that share nothing but the file, as two processes do."""
    return HostLimiter(path=path), HostLimiter(path=path)


def test_turns_are_given_out_over_all_processes(tmp_path):
    one, other = two_processes(tmp_path / "limits.db")
    assert one.reserve_within("a", 5.0, 60.0) == 0.0
    assert 4.0 < (other.reserve_within("a", 5.0, 60.0) or 0.0) <= 5.0
    assert one.reserve_within("a", 5.0, 8.0) is None
    assert other.reserve_within("b", 5.0, 60.0) == 0.0


async def test_places_are_given_out_over_all_processes(tmp_path):
    one, other = two_processes(tmp_path / "limits.db")
    crowd = Crowd()
    await asyncio.gather(
        *(crowd.visit(limiter, "a", 2) for _ in range(10) for limiter in (one, other))
    )
    assert (crowd.served, crowd.most["a"] <= 2) == (20, True)


@pytest.mark.parametrize(("machine", "holds_s"), [("here", 600.0), ("elsewhere", 0.4)])
async def test_the_place_of_a_process_that_died_is_free(tmp_path, monkeypatch, machine, holds_s):
    """At once on this machine; that of another one after its time."""
    path = tmp_path / "limits.db"
    dies = (
        "import asyncio, os, sys, pathlib; from paper_search.http.limits import HostLimiter\n"
        "async def die():\n"
        f"  async with HostLimiter(path=pathlib.Path(sys.argv[1])).slot('a', 1, {holds_s}):\n"
        "    os._exit(1)\n"
        "asyncio.run(die())"
    )
    subprocess.run([sys.executable, "-c", dies, str(path)], check=False)  # noqa: ASYNC221, S603  # ours
    if machine == "elsewhere":
        monkeypatch.setattr(socket, "gethostname", lambda: machine)
    async with asyncio.timeout(10):
        await Crowd().visit(HostLimiter(path=path), "a", 1)


def test_a_refusal_holds_for_all_processes_until_it_ends(tmp_path):
    one, other = two_processes(tmp_path / "limits.db")
    one.refuse("a", Refusal(time.time() + 60, "HTTP 429"))
    one.refuse("b", Refusal(time.time() - 1, "HTTP 429"))
    refusal = other.refusal("a")
    assert refusal is not None
    assert refusal.reason == "HTTP 429"
    assert other.refusal("b") is None


def test_without_a_file_no_refusal_is_remembered():
    limiter = HostLimiter()
    limiter.refuse("a", Refusal(time.time() + 60, "HTTP 429"))
    assert limiter.refusal("a") is None


def test_a_pace_that_a_host_announces_is_kept_if_it_is_slower():
    limiter = HostLimiter(lambda: 0.0)
    limiter.note("a", Announcement(interval_s=2.0))
    limiter.reserve_within("a", 0.5, 60.0)
    assert limiter.reserve_within("a", 0.5, 60.0) == 2.0
    limiter.note("b", Announcement(interval_s=0.1))
    limiter.reserve_within("b", 0.5, 60.0)
    assert limiter.reserve_within("b", 0.5, 60.0) == 0.5


@pytest.mark.parametrize(("header", "wait"), [("30", 30.0), ("soon", 0.0)])
def test_a_host_that_asks_to_back_off_is_left_alone_for_so_long(header, wait):
    limiter = HostLimiter(lambda: 0.0)
    limiter.note("a", parse_announcement({"backoff": header}))
    assert limiter.reserve_within("a", 0.0, 60.0) == wait


def test_a_spent_budget_is_a_refusal_until_it_is_renewed(tmp_path):
    one, other = two_processes(tmp_path / "limits.db")
    until = time.time() + 3600
    one.note("a", Announcement(quota=Quota(10, 1000, until)))
    assert other.refusal("a") is None
    one.note("a", Announcement(quota=Quota(0, 1000, until)))
    assert other.refusal("a") == Refusal(until, "its quota is used up")


def test_a_spent_minute_is_waited_for():
    limiter = HostLimiter(lambda: 0.0)
    limiter.note("a", Announcement(pause_s=10.0))
    assert limiter.reserve_within("a", 0.0, 60.0) == 10.0


def test_the_interval_counts_from_the_sending():
    now = 0.0
    limiter = HostLimiter(lambda: now)
    limiter.reserve_within("a", 3.0, 60.0)
    now = 0.6  # so long it took to connect
    limiter.note_sent("a", 3.0)
    assert limiter.reserve_within("a", 3.0, 60.0) == 3.0


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_file_that_cannot_be_used_stops_nobody(tmp_path, content, caplog):
    path = tmp_path / "limits.db"
    path.write_bytes(content)
    limiter = HostLimiter(lambda: 0.0, path)
    assert limiter.reserve_within("a", 3.0, 60.0) == 0.0
    limiter.refuse("a", Refusal(time.time() + 60, "HTTP 429"))
    assert (limiter.refusal("a") is None) == bool(content)
    assert ("not shared" in caplog.text) == bool(content)


def test_a_turn_from_before_the_clock_was_set_back_is_no_turn(tmp_path):
    path = tmp_path / "limits.db"
    HostLimiter(lambda: 1e6, path).reserve_within("a", 3.0, 60.0)
    an_hour_less = 1e6 - 3_600 + 120  # two minutes have gone since
    assert HostLimiter(lambda: an_hour_less, path).reserve_within("a", 3.0, 60.0) == 0.0


def read(**headers: str) -> Announcement:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return parse_announcement(named, lambda: NOW)


def test_the_rate_of_crossref_is_read():
    found = read(x_rate_limit_limit="3", x_rate_limit_interval="1s")
    assert found == Announcement(interval_s=1 / 3)


@pytest.mark.parametrize("reset", ["3600", str(NOW + 3600)])
def test_what_is_left_is_read_with_the_moment_of_its_end(reset):
    found = read(x_ratelimit_limit="1000", x_ratelimit_remaining="990", x_ratelimit_reset=reset)
    assert found.quota == Quota(990, 1000, NOW + 3600)


@pytest.mark.parametrize("reset", ["", "soon", "-5", "0", "9" * 30, "nan"])
def test_a_quota_without_a_usable_end_is_none(reset):
    assert read(x_ratelimit_remaining="0", x_ratelimit_reset=reset).quota is None


@pytest.mark.parametrize(("remaining", "pause_s"), [("0", 10.0), ("3", 0.0)])
def test_what_is_renewed_soon_is_a_pace_and_no_quota(remaining, pause_s):
    found = read(x_ratelimit_remaining=remaining, x_ratelimit_reset="10")
    assert found == Announcement(pause_s=pause_s)


def test_the_headers_of_core_are_read():
    again = datetime.fromtimestamp(NOW + 8, UTC).strftime("%Y-%m-%dT%H:%M:%S+0000")
    headers = {"x-ratelimitremaining": "0", "x-ratelimit-retry-after": again}
    assert parse_announcement(headers, lambda: NOW) == Announcement(pause_s=pytest.approx(8, abs=1))


@given(st.dictionaries(st.sampled_from([
    "x-rate-limit-limit", "x-rate-limit-interval", "x-ratelimit-limit", "x-ratelimit-remaining",
    "x-ratelimit-reset", "x-ratelimitremaining", "x-ratelimit-retry-after",
]), st.text(max_size=8)))  # fmt: skip
def test_garbage_is_passed_over(headers):
    assert parse_announcement(headers, lambda: NOW).interval_s >= 0
