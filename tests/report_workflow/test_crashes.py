"""Reports whose process dies: at every step, at every write, and taken up by another one."""

import pytest
from pydantic import BaseModel
from tests.answers import reply_to

from paper_search.persistence import open_persistence
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.llm import FakeLLM
from paper_search.testing.reports import QUESTION, good_answer, report_services


def workflow(url: str, **settings: object) -> ReportWorkflow:
    llm = FakeLLM(good_answer)
    return ReportWorkflow(
        report_services(llm),
        persistence=url,
        target_length=150,
        **settings,
    )


def content(report) -> dict[str, object]:
    return report.model_dump(include={"title", "abstract", "sections", "conclusion", "status"})


@pytest.fixture
def url(tmp_path) -> str:
    return f"sqlite:///{tmp_path / 'threads.db'}"


async def test_a_report_waits_for_its_answer_in_another_process(url):
    await workflow(url).start(QUESTION, thread_id="t")
    assert (await workflow(url).pending("t")).kind == "plan_review"
    assert (await reply_to(workflow(url), "t", "approve")).kind == "pre_output_review"
    report = await reply_to(workflow(url), "t", "approve")
    assert report.status == "complete"
    assert content(await workflow(url).report("t")) == content(report)


async def test_a_checkpoint_holds_no_text_of_sources(url):
    """Titles and abstracts are in the store; the state names what it quotes and no more."""
    flow = workflow(url)
    await flow.start(QUESTION, thread_id="t")
    await reply_to(flow, "t", "approve")
    from paper_search.report_workflow.engine import ReportSession

    async with open_persistence(url) as persistence:
        graph = ReportSession.graph(persistence)
        state = await graph.aget_state({"configurable": {"thread_id": "t"}})
    assert "search_results" not in state.values
    assert len(state.values["result_ids"]) == 6
    assert not any(isinstance(value, BaseModel) for value in state.values.values())
