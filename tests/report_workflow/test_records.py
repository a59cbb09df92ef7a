"""The rows of a report: written once, by who holds the lease, and gone when it is deleted."""

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel
from tests.answers import reply_to

from paper_search.errors import LLMError, ModelCallLimitError, ThreadBusyError, ThreadTakenOverError
from paper_search.persistence import open_persistence
from paper_search.report.models import ResearchDraft
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.context import ReportRecords, StepModel
from paper_search.report_workflow.engine import ReportSession
from paper_search.testing.llm import FakeLLM
from paper_search.testing.reports import QUESTION, report_services, report_sources
from paper_search.threads.records import RecordStore, root_of
from paper_search.workflow.records import SearchRecords


async def test_a_row_that_did_not_change_is_not_written_again(persistence, monkeypatch):
    records = ReportRecords(persistence.store, "t")
    draft = ResearchDraft(title="A draft")
    sources = report_sources()
    ids = await records.store_results(sources)
    await records.store_version(draft)
    writes: list[Any] = []
    inner = persistence.store.abatch

    async def abatch(operations: Any) -> Any:
        listed = list(operations)
        writes.extend(row for row in listed if type(row).__name__ == "PutOp")
        return await inner(listed)

    monkeypatch.setattr(persistence.store, "abatch", abatch)
    assert await records.store_results(sources) == ids
    await records.store_version(draft)
    assert writes == []
    changed = sources[0].model_copy(update={"title": "Another title"})
    await records.store_results([changed, *sources[1:]])
    assert [write.key for write in writes] == [changed.result_id]


@pytest.mark.parametrize("kind", [ReportRecords, SearchRecords])
async def test_who_was_taken_over_writes_no_row_at_all(url, kind):
    """PER-13: also not in the index, whose write another task used to do without the lease."""
    async with open_persistence(url) as persistence:
        records: RecordStore = kind(persistence.store, "t")
        seen = asyncio.Event()

        async def work() -> None:
            async with persistence.leases.hold("t"):
                await steal(persistence)
                seen.set()
                erasing = persistence.index.erase(root_of("t"), [records.listed_in], "t")
                for write in (records.index(QUESTION), erasing):
                    with pytest.raises((ThreadTakenOverError, ThreadBusyError)):
                        await write

        await asyncio.create_task(work())
        assert seen.is_set()
        assert await persistence.store.aget(records.listed_in, "t") is None


async def steal(persistence: Any) -> None:
    """Make the lease another process's, as if this one had slept for too long."""
    holder = await persistence.leases.holder("t")
    await persistence.leases.drop("t", holder.owner)
    await persistence.leases.take("t", "elsewhere:1:thief")


async def test_a_checkpoint_holds_no_text_of_sources(persistence):
    """Titles and abstracts are in the store; the state names what it quotes and no more."""
    flow = ReportWorkflow(report_services(), persistence=persistence)
    await flow.start(QUESTION, thread_id="t")
    await reply_to(flow, "t", "approve")
    channels = await ReportSession.on(persistence, "t").channels()
    assert "search_results" not in channels
    assert len(channels["result_ids"]) == 6
    assert not any(isinstance(value, BaseModel) for value in channels.values())


async def step_model(persistence, llm: FakeLLM, most: int, step: str = "a") -> StepModel:
    model = StepModel(llm, ReportRecords(persistence.store, "t"), step, most)
    await model.begin()
    return model


async def test_a_call_that_fails_is_counted(persistence):
    model = await step_model(persistence, FakeLLM(LLMError("down")), 1)
    with pytest.raises(LLMError, match="down"):
        await model.complete("s", "u")
    with pytest.raises(ModelCallLimitError):
        await model.complete("s", "u")


async def test_a_step_that_is_repeated_pays_for_nothing_again(persistence):
    inner = FakeLLM({"a": 1})
    first = await step_model(persistence, inner, 3)
    await first.complete_json("s", "<data-0123456789abcdef>", {"title": "T"})
    again = await step_model(persistence, inner, 3)
    answer = await again.complete_json("s", "<data-fedcba9876543210>", {"title": "T"})
    assert (answer, again.calls, inner.call_count) == ({"a": 1}, 1, 1)
    later = await step_model(persistence, inner, 3, step="b")
    await later.complete_json("s", "<data-fedcba9876543210>", {"title": "T"})
    assert (later.calls, inner.call_count) == (1, 2)
