"""What a person is told of a service that failed."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from paper_search.sources.client import time_text


@pytest.fixture(params=[("UTC0", 0), ("CET-1", 1), ("PST8", -8)], ids=lambda zone: zone[0])
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[timezone]:
    """The zone of this machine, which is each of some."""
    name, hours = request.param
    with monkeypatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield timezone(timedelta(hours=hours))
    time.tzset()


def test_a_time_is_shown_in_utc_wherever_the_person_is(here):
    moment = datetime(2026, 12, 30, 23, 55, tzinfo=here)
    assert time_text(moment.timestamp()) == moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    assert time_text(1_798_675_200.0) == "2026-12-31 00:00 UTC"
