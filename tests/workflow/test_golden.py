"""Threads that earlier versions left behind are listed, shown and taken to their end."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.answers import reply_to

from paper_search.models import PaperCollection
from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import CheckpointKind, SearchWorkflow, ThreadCatalog, ThreadStatus

GOLDEN = Path(__file__).parents[1] / "golden"
DATABASES = sorted(GOLDEN.glob("*/*.db.gz"))
QUESTION = "What is known about golden threads?"
STATUS = {
    "strategy": (ThreadStatus.WAITING, CheckpointKind.STRATEGY_CONFIRMATION),
    "result": (ThreadStatus.WAITING, CheckpointKind.RESULT_REVIEW),
    "second-round": (ThreadStatus.WAITING, CheckpointKind.STRATEGY_CONFIRMATION),
    "done": (ThreadStatus.DONE, None),
    "failed": (ThreadStatus.FAILED, None),
}


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.name.removesuffix('.db.gz')}"


def test_every_version_left_a_thread_at_every_point() -> None:
    versions = {path.parent for path in DATABASES}
    assert versions
    for version in versions:
        points = {path.name.removesuffix(".db.gz") for path in version.glob("*.db.gz")}
        assert points == set(STATUS)


@pytest.fixture(params=DATABASES, ids=named)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """URL of a copy of an old database, and the thread in it."""
    packed: Path = request.param
    path = tmp_path / "threads.db"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return f"sqlite:///{path}", packed.name.removesuffix(".db.gz")


async def test_an_old_thread_is_listed_and_shown(old: tuple[str, str]) -> None:
    """PER-14."""
    url, thread = old
    async with open_persistence(url) as persistence:
        catalog = ThreadCatalog(persistence)
        listed = await catalog.threads()
        shown = await catalog.show(thread)
    assert [row.thread_id for row in listed] == [thread]
    assert (listed[0].status, listed[0].checkpoint) == STATUS[thread]
    assert shown.question == QUESTION


async def test_an_old_thread_is_taken_to_its_end(old: tuple[str, str]) -> None:
    """PER-14 PER-15: nothing that was decided is asked again, nothing found is lost."""
    url, thread = old
    flow = SearchWorkflow(*[FakeSkills()] * 6, persistence=url)
    status, _ = STATUS[thread]
    if status is ThreadStatus.FAILED:
        reached = await flow.proceed(thread)
        assert not isinstance(reached, PaperCollection)
        assert reached.kind is CheckpointKind.RESULT_REVIEW
    while status is not ThreadStatus.DONE:
        reached = await reply_to(flow, thread, "approve")
        if isinstance(reached, PaperCollection):
            break
    async with open_persistence(url) as persistence:
        shown = await ThreadCatalog(persistence).show(thread)
    assert shown.status is ThreadStatus.DONE
    assert shown.collection is not None
    last = "round_1" if thread == "second-round" else "round_0"
    assert {paper.id for paper in shown.collection.papers} >= {"always", f"only-{last}"}
    assert {item.metadata.query for item in [shown.collection]} == {QUESTION}
