"""The report on a LangGraph server as it comes, without our guard: the graph keeps its promises."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from tests.answers import reply_to
from tests.end_to_end.served import ServedProcess, bare_environment, serving_bare

from paper_search.persistence import open_persistence
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.engine import ReportSession
from paper_search.testing.reports import report_services

pytestmark = pytest.mark.slow

GRAPH = "research_report"
QUESTION = "How do graph neural networks predict the properties of molecules?"
ASKING = {"sources": ["library"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bare")


def running(folder: Path) -> contextlib.AbstractContextManager[ServedProcess]:
    """Serve with the graph, saver and store of this repository, and nothing else."""
    environment = bare_environment(folder, LANGGRAPH_CLI_NO_ANALYTICS="1")
    return serving_bare(environment, folder, without=("auth", "http"))


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[ServedProcess]:
    with running(folder) as process:
        yield process


@pytest.fixture
async def client(server: ServedProcess) -> AsyncIterator[Any]:
    async with get_client(url=server.url) as opened:
        yield opened


async def begun(client: Any, **context: Any) -> tuple[str, dict[str, Any]]:
    """Begin a report; return its thread and the question that it waits with."""
    thread = (await client.threads.create())["thread_id"]
    given = {"original_query": QUESTION}
    await client.runs.wait(thread, GRAPH, input=given, context={**ASKING, **context})
    return thread, await open_question(client, thread)


async def open_question(client: Any, thread: str) -> dict[str, Any]:
    interrupts = (await client.threads.get_state(thread))["interrupts"]
    assert len(interrupts) == 1
    return dict(interrupts[0])


async def answered(client: Any, thread: str, resume: Any) -> dict[str, Any]:
    return dict(
        await client.runs.wait(thread, GRAPH, command={"resume": resume}, raise_error=False)
    )


async def test_a_report_is_planned_approved_revised_and_given_out(client):
    """HUM-01."""
    thread, plan = await begun(client)
    assert plan["value"]["kind"] == "plan_review"
    assert len(plan["value"]["shows"]["research_plan"]["decomposed_questions"]) >= 3
    await answered(client, thread, "approve")
    draft = await open_question(client, thread)
    assert (draft["value"]["kind"], draft["value"]["number"]) == ("pre_output_review", 2)
    more = {"action": "modify", "feedback": "more on proteins", "token": draft["value"]["token"]}
    await answered(client, thread, more)
    again = await open_question(client, thread)
    assert again["value"]["shows"]["draft"]["version"] == 2
    output = await answered(client, thread, {again["id"]: {"action": "approve"}})
    product = output["collected_data"]["final_output"]
    assert (output["status"], output["is_complete"], output["ended_by"]) == (
        "completed", True, "approved",
    )  # fmt: skip
    assert product["provenance"]["is_approved_by_person"] is True
    assert product["content"]["references"]
    assert output["search_results"]


async def test_the_schemas_of_input_and_settings_are_there_for_forms(client):
    (assistant,) = await client.assistants.search(graph_id=GRAPH)
    schemas = await client.assistants.get_schemas(assistant["assistant_id"])
    assert "original_query" in schemas["input_schema"]["properties"]
    assert schemas["input_schema"]["required"] == ["original_query"]
    assert {"depth", "style_guide", "target_length", "hitl_before_output"} <= set(
        schemas["context_schema"]["properties"]
    )
    assert "draft" in schemas["output_schema"]["properties"]


async def test_a_report_of_a_killed_server_is_finished_from_python_and_on_the_next_server(
    server, folder, client
):
    """PER-01 PER-04 HUM-13."""
    first, _ = await begun(client)
    second, _ = await begun(client)
    server.kill()
    url = f"sqlite:///{folder / 'home' / 'threads.db'}"
    flow = ReportWorkflow(report_services(), persistence=url)
    drafted = await flow.answer(first, "approve")
    assert drafted.kind == "pre_output_review"  # type: ignore[union-attr]  # a review
    report = await reply_to(flow, first, "approve")
    assert report.provenance["ended_by"] == "approved"  # type: ignore[union-attr]  # a report
    with running(folder) as after:
        async with get_client(url=after.url) as again:
            await again.threads.create(thread_id=second, graph_id=GRAPH, if_exists="do_nothing")
            assert (await open_question(again, second))["value"]["kind"] == "plan_review"
            await answered(again, second, "approve")
            named = {(await open_question(again, second))["id"]: "approve"}
            output = await answered(again, second, named)
    assert output["ended_by"] == "approved"
    async with open_persistence(url) as place:
        state = await ReportSession.on(place, second).state()
    assert state.is_complete
