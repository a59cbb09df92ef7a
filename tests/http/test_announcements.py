"""What servers announce about their limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.http.announcements import Announcement, read_announcement
from paper_search.http.host_file import Quota

NOW = 1_790_000_000.0


def read(**headers: str) -> Announcement:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_announcement(named, lambda: NOW)


def test_the_rate_and_the_places_of_crossref_are_read() -> None:
    found = read(x_rate_limit_limit="3", x_rate_limit_interval="1s", x_concurrency_limit="3")
    assert found == Announcement(interval_s=1 / 3, concurrency=3)


@pytest.mark.parametrize("reset", ["3600", str(NOW + 3600)])
def test_what_is_left_is_read_with_the_moment_of_its_end(reset: str) -> None:
    found = read(x_ratelimit_limit="1000", x_ratelimit_remaining="990", x_ratelimit_reset=reset)
    assert found.quota == Quota(990, 1000, NOW + 3600)


@pytest.mark.parametrize("reset", ["", "soon", "-5", "0", "9" * 30, "nan"])
def test_a_quota_without_a_usable_end_is_none(reset: str) -> None:
    assert read(x_ratelimit_remaining="0", x_ratelimit_reset=reset).quota is None


@pytest.mark.parametrize(("remaining", "pause_s"), [("0", 10.0), ("3", 0.0)])
def test_what_is_renewed_soon_is_a_pace_and_no_quota(remaining: str, pause_s: float) -> None:
    found = read(x_ratelimit_remaining=remaining, x_ratelimit_reset="10")
    assert found == Announcement(pause_s=pause_s)


@given(st.dictionaries(st.sampled_from([
    "x-rate-limit-limit", "x-rate-limit-interval", "x-concurrency-limit", "x-ratelimit-limit",
    "x-ratelimit-remaining", "x-ratelimit-reset",
]), st.text(max_size=8)))  # fmt: skip
def test_garbage_is_passed_over(headers: dict[str, str]) -> None:
    found = read_announcement(headers, lambda: NOW)
    assert found.interval_s >= 0
    assert found.concurrency is None or found.concurrency >= 1
