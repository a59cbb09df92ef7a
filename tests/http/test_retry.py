"""What Retry-After means, and when to ask again."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.http.errors import (
    HttpBodyError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
    RetryPolicy,
    is_retryable,
    parse_retry_after,
)

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("999999", 999999.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("Saturday, 21-Nov-26 12:01:00 GMT", 60.0),
        ("Sat, 21 Nov 2026 12:00:30", 30.0),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("Sat, 99 Nov 2026 12:00:30 GMT", None),
        ("", None),
        (None, None),
        ("9" * 5000, None),
    ],
)
def test_retry_after_means(value, seconds):
    """API-02"""
    assert parse_retry_after(value, now=lambda: NOW) == seconds


@given(st.text(max_size=50))
def test_no_retry_after_is_an_exception(value):
    """API-02"""
    seconds = parse_retry_after(value, now=lambda: NOW)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        *((HttpStatusError("x", status=status), True) for status in (429, 500, 502, 503, 504)),
        *((HttpStatusError("x", status=s), False) for s in (301, 400, 401, 403, 404, 410, 501)),
        (HttpTimeoutError("x"), True),
        (HttpUnreachableError("x"), True),
        (HttpBodyError("x"), False),
        (HttpBodyError("x", is_cut_off=True), True),
    ],
)
def test_only_what_may_pass_is_asked_again(error, *, expected):
    """API-05"""
    assert is_retryable(error) is expected


def test_our_own_back_off_doubles_up_to_a_limit_and_is_jittered():
    policy = RetryPolicy(max_retries=9, first_wait_s=1, longest_wait_s=4, jitter=lambda: 1.0)
    error = HttpTimeoutError("x")
    assert [policy.wait_before(attempt, error) for attempt in (1, 2, 3, 4)] == [1, 2, 4, 4]
    shortest = RetryPolicy(first_wait_s=1, jitter=lambda: 0.0)
    assert shortest.wait_before(1, error) == 0.5


def test_what_the_server_asks_for_goes_before_our_back_off():
    error = HttpStatusError("x", status=429, retry_after=7.0)
    assert RetryPolicy().wait_before(1, error) == 7.0


def test_retries_come_to_an_end():
    assert RetryPolicy(max_retries=2).wait_before(3, HttpTimeoutError("x")) is None
    assert RetryPolicy(max_retries=0).wait_before(1, HttpTimeoutError("x")) is None
