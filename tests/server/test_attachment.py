"""Attachment: the server's list says what the file says."""

import logging
import sqlite3
import uuid
from contextlib import closing
from typing import Any

import pytest
from langgraph_sdk import Auth
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.server.app_factory import filter_of_threads
from paper_search.server.attachment import ServerThreads, ThreadAttachment
from paper_search.workflow import ThreadCatalog


@pytest.fixture
def server():
    """What a server keeps in memory."""
    return {"threads": [], "runs": []}


@pytest.fixture
def attachment(persistence, server):
    return ThreadAttachment(persistence, ["ada", "bob"], ServerThreads(server))


def listed(server) -> dict[str, dict]:
    return {str(request["thread_id"]): request for request in server["threads"]}


async def test_the_list_follows_the_file(attachment, server, begin, persistence):
    thread_id = await begin()
    await attachment.refresh()
    await reply_to(workflow(persistence=persistence), thread_id, "approve")
    await attachment.refresh(is_whole=False)
    ((question,),) = listed(server)[thread_id]["interrupts"].values()
    assert question["value"]["kind"] == "result_review"
    await ThreadCatalog(persistence).delete(thread_id)
    await attachment.refresh()
    assert server["threads"] == []


async def test_the_metadata_of_a_listed_thread_has_no_text__per_16(attachment, server, begin):
    """LangGraph writes it into the checkpoints of the next run, in clear."""
    thread_id = await begin()
    await attachment.refresh()
    metadata = {"graph_id": "paper_search", "owner": "ada", "readers": []}
    assistant = "2d699a95-092d-56e6-9024-6f9e8cee6485"
    assert listed(server)[thread_id]["metadata"] == {"assistant_id": assistant, **metadata}
    assert listed(server)[thread_id]["values"]["question"]


async def test_a_refused_run_does_not_hide_a_waiting_thread__hum_02(attachment, server, begin):
    thread_id = await begin()
    await attachment.refresh()
    listed(server)[thread_id]["status"] = "error"
    await attachment.refresh(is_whole=False)
    assert listed(server)[thread_id]["status"] == "interrupted"


async def test_a_thread_that_cannot_be_read_hides_no_other(
    attachment, server, begin, persistence, tmp_path
):
    whole, half, damaged = await begin(), await begin(), await begin()
    await persistence.checkpointer.adelete_thread(half)
    with closing(sqlite3.connect(tmp_path / "threads.db")) as file, file:
        file.execute("UPDATE checkpoints SET checkpoint = x'ff' WHERE thread_id = ?", [damaged])
    await attachment.refresh()
    assert {name: item["status"] for name, item in listed(server).items()} == {
        whole: "interrupted",
        half: "error",
        damaged: "error",
    }
    assert "damaged" in listed(server)[damaged]["error"]["message"]


async def test_a_deletion_that_was_cut_short_is_finished(begin, persistence):
    whole, half = await begin(), await begin()
    await persistence.checkpointer.adelete_thread(half)
    every = ThreadCatalogs(persistence)
    assert await every.finish_deletions() == [half]
    assert await every.names() == [whole]
    assert await persistence.store.asearch(("paper_search", half)) == []


async def test_what_the_server_runs_itself_is_left_to_it(attachment, server, begin):
    thread_id = await begin()
    server["runs"].append({"thread_id": uuid.UUID(thread_id), "status": "running"})
    await attachment.refresh()
    assert server["threads"] == []


async def test_what_somebody_added_to_a_record_is_kept(attachment, server, begin):
    thread_id = await begin()
    known = {"thread_id": uuid.UUID(thread_id), "status": "idle", "metadata": {"tag": "x"}}
    server["threads"].append(known)
    await attachment.refresh()
    assert listed(server)[thread_id]["metadata"]["tag"] == "x"
    assert len(server["threads"]) == 1


async def test_a_name_that_the_server_cannot_take_is_told_once(
    attachment, server, persistence, caplog
):
    await workflow(persistence=persistence).start("q", thread_id="my-thread")
    with caplog.at_level(logging.WARNING):
        await attachment.refresh()
        await attachment.refresh()
    assert server["threads"] == []
    assert [record.message for record in caplog.records] == [
        "thread 'my-thread' is not listed: the server takes only UUIDs"
    ]


class Visitor(dict):
    identity = "ada"


async def test_a_look_at_a_run_of_ones_own_that_goes_on_waits_for_nothing(door, server, begin):
    """LangGraph's server loses what a run says while it looks whether the run goes on."""
    visitor: Any = Visitor(is_copying=False)
    look = Auth.types.AuthContext(permissions=[], user=visitor, resource="threads", action="read")
    value = {"thread_id": uuid.UUID(await begin())}
    thread, run = value | {"metadata": {"owner": "ada"}}, value | {"status": "running"}
    server |= {"threads": [thread], "runs": [run]}

    def looking():
        return filter_of_threads(door.access, ServerThreads(server), look, value)

    with pytest.raises(StopIteration) as end:
        looking().send(None)
    assert end.value.value == {"owner": "ada"}
    thread["metadata"] = {"owner": "bob"}
    assert await looking() is True  # as the file says, which knows with whom a thread is shared
