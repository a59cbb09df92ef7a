"""Every limit of a run stops something, and says so."""

import pytest
from tests.report.answers import good_answer
from tests.report_workflow.doubles import Steps, dying, report_workflow
from tests.workflow.doubles import Crash

from paper_search.errors import SearchSourceError
from paper_search.report_workflow import ReportParams, ReportWorkflow, Review
from paper_search.report_workflow.state import WorkflowState
from paper_search.testing import reports
from paper_search.testing.llm import FakeLLM


def without_answers(call):
    if call.schema["title"] == "AnalysisAnswer":
        return {"findings": [], "gaps": [1, 2, 3]}
    return good_answer(call)


class Flaky(reports.FakeSearch):
    """Fails for the first batches of queries."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self._failures = failures

    async def find(self, queries, given, known):
        if self._failures:
            self._failures -= 1
            raise SearchSourceError("down")
        return await super().find(queries, given, known)


@pytest.mark.parametrize("limit", [0, 1, 2])
async def test_gaps_lead_back_to_search_so_often_as_allowed(limit):
    steps = Steps()
    settings = {"max_search_iterations": 50, "max_gap_searches": limit}
    await report_workflow(FakeLLM(without_answers), steps=steps, **settings).run(reports.QUESTION)
    assert steps.count("analyst") == limit + 1


@pytest.mark.parametrize(("limit", "collected"), [(1, 0), (2, 6)])
async def test_so_many_errors_are_borne_as_allowed(limit, collected):
    settings = {"depth": "comprehensive", "domain_hints": ["ecology", "planning"]}
    search = Flaky(failures=1)
    report = await report_workflow(search=search, max_search_errors=limit, **settings).run(
        reports.QUESTION
    )
    assert report.metadata["sources_collected"] == collected
    assert any("down" in row for row in report.provenance["errors"])


@pytest.mark.parametrize("limit", [1, 4])
async def test_so_many_sources_are_kept_as_allowed(limit):
    report = await report_workflow(max_sources=limit).run(reports.QUESTION)
    assert report.metadata["sources_collected"] == limit


@pytest.mark.parametrize("limit", [0, 1, 3])
async def test_a_model_is_asked_so_often_as_allowed(limit):
    """LLM-18: what is left is done by algorithm, and the report says so."""
    llm, steps = FakeLLM(good_answer), Steps()
    report = await report_workflow(llm, steps=steps, max_model_calls=limit).run(reports.QUESTION)
    assert llm.call_count == report.metadata["model_calls"] == limit
    assert any("max_model_calls" in row for row in report.provenance["errors"])
    assert steps[-1] in {"output", "fallback"}


async def test_a_step_that_dies_again_and_again_asks_a_model_once(url):
    """LLM-18 PER-01: what was answered is kept with its call."""
    llm = FakeLLM(good_answer)
    settings = {"hitl_before_output": False, "max_model_calls": 4}
    await report_workflow(llm, persistence=url, **settings).start(reports.QUESTION, thread_id="t")
    with dying("analyst"):
        with pytest.raises(Crash):
            await report_workflow(llm, persistence=url).answer("t", "approve")
        for _ in range(2):
            with pytest.raises(Crash):
                await report_workflow(llm, persistence=url).proceed("t")
    report = await report_workflow(llm, persistence=url).proceed("t")
    titles = [call.schema["title"] for call in llm.calls]
    assert titles == ["PlanAnswer", "AnalysisAnswer", "DraftAnswer", "ReviewAnswer"]
    assert report.metadata["model_calls"] == 4


async def test_a_person_is_asked_so_often_as_allowed():
    asking = {"hitl_after_planning": True, "hitl_before_output": True, "max_human_reviews": 1}
    report_flow = report_workflow(**asking)
    review = await report_flow.start(reports.QUESTION, thread_id="t")
    assert isinstance(review, Review)
    report = await report_flow.answer("t", "approve")
    assert report.provenance["ended_by"] == "not_reviewed"


@pytest.mark.parametrize("name", ["planner", "searcher", "analyst", "writer", "reviewer"])
async def test_each_role_has_a_model_of_its_own(name):
    asked = []
    services = reports.report_services(FakeLLM(good_answer))

    def choose(model: str | None):
        asked.append(model)

    object.__setattr__(services, "model", choose)
    settings = {f"{name}_model": "another"}
    await ReportWorkflow(services, target_length=1000, **settings).run(reports.QUESTION)
    assert asked.count("another") >= 1
    assert asked.count(None) >= 4


def test_the_specifications_settings_have_its_defaults():
    params = ReportParams()
    assert (params.depth, params.style_guide, params.target_length) == (
        "standard",
        "academic",
        2000,
    )
    assert (params.max_iterations, params.max_search_iterations) == (3, 5)
    assert (params.max_gap_searches, params.max_search_errors) == (2, 3)
    assert (params.hitl_after_planning, params.hitl_before_output) == (False, False)
    assert WorkflowState().max_iterations == 3
