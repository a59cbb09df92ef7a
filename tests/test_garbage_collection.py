"""While a thread is driven or records are merged, the garbage collector starts seldom."""

import gc
from collections.abc import Iterator

import pytest

from paper_search.garbage_collection import ALLOCATIONS
from paper_search.models import RawPaper
from paper_search.persistence import open_persistence
from paper_search.skills import Deduplicator


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700)
    yield
    gc.set_threshold(*before)


@pytest.fixture
async def leases(tmp_path):
    async with open_persistence(f"sqlite:///{tmp_path}/threads.db") as persistence:
        yield persistence.leases


async def test_it_starts_seldom_until_the_last_of_several_stops(leases):
    async with leases.hold("a"):
        async with leases.hold("b"):
            pass
        assert gc.get_threshold()[0] == ALLOCATIONS
    assert gc.get_threshold()[0] == 700


async def test_a_thread_that_is_only_read_changes_nothing(leases):
    assert not await leases.is_held("a")
    assert gc.get_threshold()[0] == 700


@pytest.mark.parametrize("chosen", [0, 400_000])
async def test_a_program_that_set_a_higher_threshold_or_none_keeps_it(leases, chosen):
    gc.set_threshold(chosen)
    async with leases.hold("a"):
        assert gc.get_threshold()[0] == chosen
    assert gc.get_threshold()[0] == chosen


def test_merging_has_it_start_seldom():
    thresholds = []

    class Watched(list):
        def __iter__(self) -> Iterator[RawPaper]:
            thresholds.append(gc.get_threshold()[0])
            return super().__iter__()

    Deduplicator().cluster(Watched([RawPaper(id="a", source="s", title="One")]))
    assert set(thresholds) == {ALLOCATIONS}
    assert gc.get_threshold()[0] == 700
