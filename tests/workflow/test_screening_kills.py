"""A person's marks survive `kill -9` at any point, each once."""

import signal
import sys
from pathlib import Path

import pytest
from tests.preforked import workers
from tests.workflow.screening_crash import PAPERS

from paper_search.persistence import open_persistence
from paper_search.workflow.marks import MarkStore
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.screening import Screening

KILLS = 20


@pytest.fixture
def crashed(tmp_path: Path) -> tuple[str, list[str]]:
    """URL of a persistence where a screening was killed many times, and what was acknowledged."""
    url, log = f"sqlite:///{tmp_path / 't.db'}", tmp_path / "acknowledged"
    crash = "tests.workflow.screening_crash"
    ended = {workers().work(crash, url, str(log), point) for point in range(KILLS)}
    assert ended == {-signal.SIGKILL}
    return url, log.read_text().splitlines()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="forks")
async def test_no_mark_is_lost_or_doubled_by_twenty_kills_and_undo_goes_on(crashed):
    """PER-03."""
    url, lines = crashed
    saved: list[str] = []
    for line in lines:
        word, paper_id = line.split()
        if word == "say":
            assert paper_id not in saved, "shown again after its mark was acknowledged"
            saved.append(paper_id)
        elif paper_id in saved:
            saved.remove(paper_id)
    async with open_persistence(url) as persistence:
        store = MarkStore(SearchRecords(persistence.store, "t"))
        marks = await store.marks()
        ids = [mark.paper_id for mark in marks]
        assert set(saved) <= set(ids)
        assert len(ids) - len(saved) <= KILLS  # in flight when the process ended
        assert len({mark.number for mark in marks}) == len(marks) == len(set(ids))
        again = Screening(PAPERS, store, marks, 0, {})
        undone = await again.undo()
        assert undone.id == ids[-1]
        assert [mark.paper_id for mark in await store.marks()] == ids[:-1]
