"""What a list says of threads is read beside their states, and is what the states say."""

import base64
import os
from typing import Any

import pytest
from tests.answers import reply_to
from tests.conftest import run_sql
from tests.report_workflow.doubles import report_workflow
from tests.workflow.doubles import workflow

from paper_search.errors import PersistenceError
from paper_search.persistence import open_persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.testing.skills import ScriptedHandler

QUESTION = "How do proteins fold?"
SEALED = base64.b64encode(os.urandom(32)).decode()


async def begin(persistence: Any) -> None:
    """Leave threads that wait with either question of a search, with a plan, and a finished one."""
    flow = workflow(persistence=persistence)
    await flow.start(QUESTION, thread_id="strategy")
    await flow.start(QUESTION, thread_id="result")
    await reply_to(flow, "result", "approve")
    approving = workflow(handler=ScriptedHandler(otherwise="approve"), persistence=persistence)
    await approving.run(QUESTION, thread_id="done")
    await report_workflow(persistence=persistence).start(QUESTION, thread_id="plan")


async def listed(persistence: Any) -> dict[str, Any]:
    found = await ThreadCatalogs(persistence).threads()
    return {thread.thread_id: thread.model_dump() for thread in found}


@pytest.mark.parametrize("keys", [[], [SEALED]], ids=["plain", "sealed"])
async def test_a_list_says_the_same_with_and_without_the_summaries(url, keys):
    async with open_persistence(url, keys=keys) as persistence:
        await begin(persistence)
        summarized = await listed(persistence)
        for table in ("checkpoints", "writes"):
            run_sql(url, f"UPDATE {table} SET summary = NULL")  # noqa: S608  # constants
        assert await listed(persistence) == summarized
    standing = {name: (info["status"], info["question"]) for name, info in summarized.items()}
    assert standing == {
        "strategy": ("waiting", QUESTION),
        "result": ("waiting", QUESTION),
        "done": ("done", QUESTION),
        "plan": ("waiting", QUESTION),
    }
    assert summarized["result"]["papers"] == summarized["done"]["papers"] == 2
    assert summarized["result"]["checkpoint"] == "result_review"
    assert summarized["plan"]["waits_for"] == "plan_review"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("checkpoints SET checkpoint = zeroblob(length(checkpoint))", "done"),
        ("checkpoints SET checkpoint_id = replace(checkpoint_id, '-', '.')", "done"),
        ("checkpoints SET type = 'msgpact'", "done"),
        ("checkpoints SET metadata = substr(metadata, 2)", "strategy"),
        ("checkpoints SET checksum = 1", "strategy"),
        ("writes SET value = zeroblob(length(value))", "result"),
        ("writes SET type = 'msgpact'", "result"),
        ("writes SET checksum = 1", "plan"),
    ],
)
async def test_a_list_says_whose_state_was_changed(url, change, name):
    """PER-09"""
    async with open_persistence(url) as persistence:
        await begin(persistence)
        before = await listed(persistence)
        run_sql(url, f"UPDATE {change} WHERE thread_id = '{name}'")
        after = await listed(persistence)
        assert after.pop(name)["status"] == "damaged"
        assert after == {other: info for other, info in before.items() if other != name}
        with pytest.raises(PersistenceError, match="damaged"):
            await ThreadCatalogs(persistence).by_graph[before[name]["graph"]].info(name)


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
async def test_a_damaged_summary_is_not_believed(url, table):
    """PER-09"""
    async with open_persistence(url) as persistence:
        await begin(persistence)
        before = await listed(persistence)
        run_sql(
            url,
            f"UPDATE {table} SET summary = substr(summary, 1, length(summary) - 1) || x'7f' "  # noqa: S608  # constants
            "WHERE summary IS NOT NULL",
        )
        assert await listed(persistence) == before


async def test_a_copied_thread_keeps_its_summary(url):
    async with open_persistence(url) as persistence:
        await begin(persistence)
        saver: Any = persistence.checkpointer
        await saver.acopy_thread("result", "copy")
        found = await saver.asummaries(["result", "copy"])
        assert found["copy"] == found["result"]
        assert found["copy"].channels["result"]["paper_ids"] == [None, None]  # read no state


async def test_a_thread_with_writes_of_a_step_that_is_not_done_is_looked_at_closely(url):
    async with open_persistence(url) as persistence:
        await begin(persistence)
        saver: Any = persistence.checkpointer
        assert not (await saver.asummaries(["result"]))["result"].is_in_a_step
        latest = await saver.aget_tuple({"configurable": {"thread_id": "result"}})
        await saver.aput_writes(latest.config, [("scores", {})], "task")
        assert (await saver.asummaries(["result"]))["result"].is_in_a_step
