"""Reports whose process dies: at every step, at every write, and taken up by another one."""

import pytest
from pydantic import BaseModel
from tests.answers import reply_to

from paper_search.errors import ThreadBusyError, ThreadFinishedError
from paper_search.persistence import open_persistence
from paper_search.report_workflow import ReportWorkflow, Review
from paper_search.testing.llm import FakeLLM
from paper_search.testing.reports import QUESTION, good_answer, report_services

STEPS = ("planner", "searcher", "analyst", "writer", "reviewer", "human_review", "output")


class PowerCutError(BaseException):
    """The process is gone: nothing catches it."""


def workflow(url: str, **settings: object) -> ReportWorkflow:
    llm = FakeLLM(good_answer)
    return ReportWorkflow(
        report_services(llm),
        persistence=url,
        target_length=150,
        hitl_after_planning=True,
        hitl_before_output=True,
        **settings,
    )


async def to_the_end(flow: ReportWorkflow, thread: str):
    """Answer whatever is asked, and go on where nothing is."""
    while True:
        review = await flow.pending(thread)
        reached = await (reply_to(flow, thread, "approve") if review else flow.proceed(thread))
        if not isinstance(reached, Review):
            return reached


async def from_the_start(flow: ReportWorkflow, thread: str):
    await flow.start(QUESTION, thread_id=thread)
    return await to_the_end(flow, thread)


def content(report) -> dict[str, object]:
    return report.model_dump(include={"title", "abstract", "sections", "conclusion", "status"})


@pytest.fixture
def url(tmp_path) -> str:
    return f"sqlite:///{tmp_path / 'threads.db'}"


@pytest.mark.slow
@pytest.mark.parametrize("dying", STEPS)
async def test_a_report_killed_in_any_step_ends_as_if_it_had_not_been(url, dying):
    whole = workflow(url)
    await whole.start(QUESTION, thread_id="whole")
    expected = await to_the_end(whole, "whole")

    from paper_search.report_workflow.graph import WORKFLOW

    step = WORKFLOW[dying]
    handler, deaths = step.handler, []

    async def killed(ctx):
        result = handler(ctx)
        result = await result if hasattr(result, "__await__") else result
        if not deaths:
            deaths.append(dying)
            raise PowerCutError
        return result

    object.__setattr__(step, "handler", killed)
    try:
        flow = workflow(url)
        with pytest.raises(PowerCutError):
            await from_the_start(flow, "t")
        report = await to_the_end(workflow(url), "t")
    finally:
        object.__setattr__(step, "handler", handler)
    assert deaths == [dying]
    assert content(report) == content(expected)
    assert report.metadata["iterations"] == expected.metadata["iterations"]
    assert report.metadata["versions"] == [1]
    assert report.provenance["is_approved_by_person"] is True


async def test_a_report_waits_for_its_answer_in_another_process(url):
    await workflow(url).start(QUESTION, thread_id="t")
    assert (await workflow(url).pending("t")).kind == "plan_review"
    assert (await reply_to(workflow(url), "t", "approve")).kind == "pre_output_review"
    report = await reply_to(workflow(url), "t", "approve")
    assert report.status == "complete"
    assert content(await workflow(url).report("t")) == content(report)


async def test_two_processes_cannot_answer_one_question(url):
    flow = workflow(url)
    await flow.start(QUESTION, thread_id="t")
    async with open_persistence(url) as persistence, persistence.leases.hold("t"):
        with pytest.raises(ThreadBusyError):
            await reply_to(workflow(url), "t", "approve")
    assert (await flow.pending("t")).kind == "plan_review"


async def test_a_decision_given_twice_counts_once(url):
    flow = workflow(url)
    review = await flow.start(QUESTION, thread_id="t")
    answer = {"action": "approve", "review": review.reference.model_dump()}
    following = await flow.answer("t", answer)
    assert await flow.answer("t", answer) == following
    report = await reply_to(flow, "t", "approve")
    decisions = [row for row in report.provenance["checkpoints"] if "APPROVE" in row]
    assert len(decisions) == 2
    assert content(await flow.answer("t", answer)) == content(report)
    with pytest.raises(ThreadFinishedError):
        await reply_to(flow, "t", "approve")


async def test_a_checkpoint_holds_no_text_of_sources(url):
    """Titles and abstracts are in the store; the state names what it quotes and no more."""
    flow = workflow(url)
    await flow.start(QUESTION, thread_id="t")
    await reply_to(flow, "t", "approve")
    from paper_search.report_workflow.session import ReportSession

    async with open_persistence(url) as persistence:
        graph = ReportSession.graph(persistence)
        state = await graph.aget_state({"configurable": {"thread_id": "t"}})
    assert "search_results" not in state.values
    assert len(state.values["result_ids"]) == 6
    assert not any(isinstance(value, BaseModel) for value in state.values.values())
