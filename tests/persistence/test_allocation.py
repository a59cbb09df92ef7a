"""While a thread is driven, the garbage collector starts seldom, and as before afterwards."""

import gc
from collections.abc import Iterator

import pytest

from paper_search.persistence import open_persistence
from paper_search.persistence.leases import ALLOCATIONS


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


@pytest.mark.parametrize("chosen", [0, 200_000])
async def test_a_program_that_set_a_higher_threshold_or_none_keeps_it(leases, chosen):
    gc.set_threshold(chosen)
    async with leases.hold("a"):
        assert gc.get_threshold()[0] == chosen
    assert gc.get_threshold()[0] == chosen
