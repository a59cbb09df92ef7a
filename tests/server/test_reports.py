"""The server and the graph of reports: admitted, leased and listed as searches are."""

import uuid

import pytest
from tests.answers import reply_to

from paper_search.errors import (
    QuestionError,
    ThreadExistsError,
)
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.engine import ReportSession
from paper_search.testing.reports import QUESTION, report_services

REPORT = "research_report"
INPUT = {"original_query": QUESTION}
NEW = {"assistant_id": REPORT, "input": INPUT}


def answer(resume, assistant: str = REPORT) -> dict:
    return {"assistant_id": assistant, "command": {"resume": resume}}


@pytest.fixture
def begin_report(persistence):
    async def begin_report(*answers: str) -> str:
        """Begin a report, give it answers, and return its id."""
        thread_id = str(uuid.uuid4())
        flow = ReportWorkflow(report_services(), persistence=persistence)
        await flow.start(QUESTION, thread_id=thread_id)
        for item in answers:
            await reply_to(flow, thread_id, item)
        return thread_id

    return begin_report


# --- admission ------------------------------------------------------------------------------------


async def test_a_report_is_limited_to_sources_that_the_server_has(door):
    def limited(*names: str) -> dict:
        given = {"original_query": "what is known of glass", "config": {"sources": [*names]}}
        return {"assistant_id": REPORT, "input": given}

    status, text = await door.refused(str(uuid.uuid4()), limited("tavily", "serper"))
    assert status == 422
    assert "serper: not enabled here (enabled: library, arxiv, tavily" in text
    assert await door.run(str(uuid.uuid4()), limited("tavily"), "ada")


async def test_a_report_from_the_papers_of_somebody_elses_search_is_refused__sec_02(door, begin):
    """Wherever the run names the search."""
    theirs = await begin("approve", "approve")
    named = {"from_thread": theirs}
    for payload in (
        {**NEW, "context": named},
        {**NEW, "config": {"configurable": named}},
        {**NEW, "input": {**INPUT, "config": named}},
        {**NEW, "input": {**INPUT, "workflow_params": named}},
    ):
        assert (await door.refused(str(uuid.uuid4()), payload, owner="bob"))[0] == 404
        assert await door.run(str(uuid.uuid4()), payload, "ada")
    missing = {**NEW, "context": {"from_thread": str(uuid.uuid4())}}
    assert (await door.refused(str(uuid.uuid4()), missing))[0] == 404


async def test_a_thread_is_driven_by_the_graph_that_began_it(door, begin, begin_report):
    report, search = await begin_report(), await begin()
    status, text = await door.refused(report, answer("approve", "paper_search"))
    assert status == 409
    assert text.endswith(f"the assistant {REPORT!r}, which began it")
    assert (await door.refused(search, answer("approve")))[0] == 409
    named = str(uuid.uuid5(uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), REPORT))
    assert await door.run(report, answer("approve", named), "ada")


# --- runs that hold the lease ---------------------------------------------------------------------

CONFIG = {"configurable": {"thread_id": "t"}}


async def test_the_thread_of_a_search_is_no_place_for_a_report(report_graph, begin):
    thread_id = await begin()
    with pytest.raises(ThreadExistsError, match="goes on with the assistant 'paper_search'"):
        await report_graph.ainvoke(INPUT, {"configurable": {"thread_id": thread_id}})


async def test_an_input_sets_nothing_but_what_a_report_is_asked_with(report_graph):
    given = INPUT | {"is_complete": True, "human_approved": True, "ended_by": "approved"}
    with pytest.raises(QuestionError, match="no fields ended_by, human_approved, is_complete"):
        await report_graph.ainvoke(given, CONFIG)
    assert not (await report_graph.aget_state(CONFIG)).values


# --- the server's list ----------------------------------------------------------------------------


def test_the_graph_of_reports_of_the_app_factory_takes_leases(monkeypatch, tmp_path):
    from paper_search.server import app_factory
    from paper_search.server.leased import LeasedGraph

    monkeypatch.setenv("PAPER_SEARCH_HOME", str(tmp_path))
    app_factory.shared_persistence.cache_clear()
    app_factory.shared_access.cache_clear()
    app_factory.report_graph.cache_clear()
    try:
        graph = app_factory.report_graph()
    finally:
        app_factory.shared_persistence.cache_clear()
        app_factory.report_graph.cache_clear()
    assert isinstance(graph, LeasedGraph)
    assert graph.session_type is ReportSession
