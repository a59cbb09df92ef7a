"""What a person is told of a service that failed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from paper_search.sources.explanation import shown_time


@pytest.fixture(params=[("UTC0", 0), ("CET-1", 1), ("PST8", -8)], ids=lambda zone: zone[0])
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[timezone]:
    """The zone of this machine, which is each of some."""
    name, hours = request.param
    with monkeypatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield timezone(timedelta(hours=hours))
    time.tzset()


def test_a_time_is_shown_with_its_day_unless_it_is_today_where_the_person_is(
    here: timezone,
) -> None:
    def seconds(day: int, hour: int, minute: int) -> float:
        return datetime(2026, 12, day, hour, minute, tzinfo=here).timestamp()

    late = seconds(30, 23, 50)
    assert shown_time(seconds(30, 23, 55), now=late) == "23:55"
    assert shown_time(seconds(31, 0, 5), now=late) == "00:05 on 31 December"
    assert shown_time(seconds(31, 0, 5), now=seconds(31, 0, 1)) == "00:05"
