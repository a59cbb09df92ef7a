"""Each query is counted once in a source."""

import asyncio
import contextlib

import pytest
from tests.counting import FakeCountingSource

from paper_search.models import SearchConstraints, SourceStatus
from paper_search.skills.hit_counter import HitCounter


class Able(FakeCountingSource):
    keeps_conditions = True


@pytest.mark.parametrize(
    ("kind", "limits", "is_at_most"),
    [
        (FakeCountingSource, {"year_from": 2010}, False),
        (FakeCountingSource, {"publication_types": ["book"]}, True),
        (FakeCountingSource, {"conditions": ["NOT bees"]}, True),
        (Able, {"conditions": ["NOT bees"]}, False),
    ],
)
async def test_a_count_says_that_a_limit_is_only_checked_in_the_answers(kind, limits, is_at_most):
    counter = HitCounter({"a": kind("a", {"x": 3})}, SearchConstraints(**limits))
    await counter.count("a", "x")
    assert [count.is_at_most for count in counter.hits("x").counts] == [is_at_most]


async def test_a_count_that_is_on_its_way_has_its_row():
    """So that what was sent is known, also if nobody waits until the source has let go."""

    class Stubborn(FakeCountingSource):
        async def count(self, query, filters):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            await asyncio.sleep(60)
            return await super().count(query, filters)

    counter = HitCounter({"a": Stubborn("a", {"x": 3})}, SearchConstraints())
    count = asyncio.ensure_future(counter.count("a", "x"))
    await asyncio.sleep(0)
    count.cancel()
    await asyncio.sleep(0)
    [row] = counter.rows
    assert (row.query, row.status) == ("x", SourceStatus.TIMEOUT)
    count.cancel()
