"""Which threads there are, how they stand, and that a deleted one leaves nothing."""

import pytest
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search.errors import PersistenceError, ThreadNotFoundError
from paper_search.workflow import CheckpointKind, ThreadCatalog, ThreadStatus
from paper_search.workflow.records import SearchRecords


@pytest.fixture
def catalog(persistence):
    return ThreadCatalog(persistence)


async def test_a_thread_with_the_name_of_the_index_is_one_thread(persistence, catalog):
    await workflow(persistence=persistence).run("q", thread_id="threads")
    await workflow(persistence=persistence).run("q", thread_id="a.b")
    assert {thread.thread_id for thread in await catalog.threads()} == {"threads", "a.b"}


async def test_a_waiting_thread_says_with_which_question(persistence, catalog):
    """HUM-14."""
    flow = workflow(persistence=persistence)
    await flow.start("graphs", thread_id="t")
    info = await catalog.info("t")
    assert info.status is ThreadStatus.WAITING
    assert info.checkpoint is CheckpointKind.STRATEGY_CONFIRMATION
    assert (info.question, info.iteration, info.next_step) == ("graphs", 0, "confirm_strategy")
    assert info.error is None
    assert info.ended_by is None
    await reply_to(flow, "t", "reject")
    await reply_to(flow, "t", "approve")
    info = await catalog.info("t")
    assert (info.checkpoint, info.iteration) == (CheckpointKind.RESULT_REVIEW, 1)


async def test_a_deleted_thread_is_unknown_and_its_name_free(persistence, catalog):
    """HUM-11."""
    flow = workflow(persistence=persistence)
    await flow.run("q", thread_id="t")
    await catalog.delete("t")
    assert await catalog.threads() == []
    for call in (catalog.info, catalog.show, catalog.delete, flow.resume, flow.pending):
        with pytest.raises(ThreadNotFoundError, match="'t'"):
            await call("t")
    checkpoint = await flow.start("another", thread_id="t")
    assert checkpoint.payload.intent.topic == "another"


async def test_a_deletion_that_was_cut_short_can_be_finished(persistence, catalog):
    await workflow(persistence=persistence).run("q", thread_id="t")
    await persistence.checkpointer.adelete_thread("t")
    (info,) = await catalog.threads()
    assert (info.status, info.question) == (ThreadStatus.FAILED, "q")
    await catalog.delete("t")
    assert await catalog.threads() == []
    with pytest.raises(PersistenceError, match="'always' is missing"):
        await SearchRecords(persistence.store, "t").records(["always"])


async def test_a_thread_of_another_schema_version_is_listed_with_the_reason(persistence, catalog):
    """PER-15."""
    flow = workflow(persistence=persistence)
    await flow.start("q", thread_id="t")
    config = {"configurable": {"thread_id": "t"}}
    await catalog._graph.aupdate_state(config, {"schema_version": 99}, as_node="build_strategy")
    for call in (flow.resume, flow.proceed, catalog.show, lambda t: flow.answer(t, "approve")):
        with pytest.raises(PersistenceError, match="schema version 99"):
            await call("t")
    (info,) = await catalog.threads()
    assert info.status is not ThreadStatus.DONE
    await catalog.delete("t")
    assert await catalog.threads() == []
