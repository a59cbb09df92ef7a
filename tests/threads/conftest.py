from collections.abc import AsyncIterator

import pytest

from paper_search.persistence import Persistence, open_persistence


@pytest.fixture
async def persistence(url: str) -> AsyncIterator[Persistence]:
    """One that outlives a process; what each kind of it does is tested where it is."""
    async with open_persistence(url) as opened:
        yield opened
