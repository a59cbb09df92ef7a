"""What a report will cost is said at its plan, before anything is searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paper_search.llm.creation import OpenAIProvider
from paper_search.llm.metering import Metering, load_prices, tokens_in
from paper_search.report.exchange import PlannerInput
from paper_search.report.planner import Planner
from paper_search.report.section_writer import answers_for
from paper_search.report_workflow import ReportParams, ReportWorkflow, Review
from paper_search.report_workflow.context import ReportServices
from paper_search.report_workflow.spending import estimate_of
from paper_search.report_workflow.state import ReportEstimate
from paper_search.testing.llm import FakeLLM
from paper_search.testing.reports import QUESTION, good_answer, report_services


async def planned(services: ReportServices, **settings: Any) -> tuple[ReportWorkflow, Review]:
    """Return a report that waits with its plan."""
    flow = ReportWorkflow(services, hitl_after_planning=True, **settings)
    asked = await flow.start(QUESTION, thread_id="t")
    assert isinstance(asked, Review)
    return flow, asked


async def estimated(services: ReportServices, **settings: Any) -> ReportEstimate:
    _, asked = await planned(services, **settings)
    return ReportEstimate.model_validate(asked.shows["estimate"])


def priced(model: str = "gpt-4o-mini") -> ReportServices:
    """Services whose models are in the table of prices; the planner's answers are scripted."""
    scripted = FakeLLM(good_answer)
    provider = OpenAIProvider(api_key="CANARY-key", model=model)
    services = report_services(scripted)
    return replace(services, model=lambda name: scripted if name == "planner" else provider)


async def test_without_a_model_nothing_is_said_of_cost() -> None:
    _, asked = await planned(report_services())
    assert asked.shows["estimate"] is None


async def test_a_report_costs_what_was_estimated_or_less() -> None:
    llm = FakeLLM(good_answer)
    flow, asked = await planned(report_services(llm), target_length=150, hitl_before_output=False)
    estimate = ReportEstimate.model_validate(asked.shows["estimate"])
    planning = llm.call_count
    await flow.answer("t", "approve", token=asked.token)
    made = llm.calls[planning:]
    assert 0 < len(made) <= estimate.one_draft.calls < estimate.at_most.calls
    tokens = sum(tokens_in(call.system_prompt, call.user_message) for call in made)
    assert tokens <= estimate.one_draft.input_tokens


async def test_the_estimate_has_the_price_of_each_role_and_its_date() -> None:
    cheap = await estimated(priced(), planner_model="planner")
    dear = await estimated(priced("gpt-4o"), planner_model="planner")
    assert 0 < (cheap.one_draft.money or 0) < (dear.one_draft.money or 0) / 10
    assert cheap.one_draft.priced_at == load_prices().date
    assert (await estimated(report_services(FakeLLM(good_answer)))).one_draft.money is None


@pytest.mark.parametrize("role", ["searcher", "analyst", "writer", "reviewer"])
async def test_only_the_roles_that_ask_a_model_cost_something(role: str) -> None:
    llm = FakeLLM(good_answer)
    services = replace(report_services(), model=lambda name: llm if name == "it" else None)
    alone = await estimated(services, **{f"{role}_model": "it"})
    together = await estimated(report_services(llm))
    assert 0 < alone.one_draft.calls < together.one_draft.calls
    assert bool(alone.one_draft.papers) is (role == "searcher")


async def test_longer_reports_more_drafts_and_more_searches_cost_more() -> None:
    services = report_services(FakeLLM(good_answer))
    usual = await estimated(services)
    longer = await estimated(services, target_length=5000)
    assert longer.one_draft.output_tokens > usual.one_draft.output_tokens
    patient = await estimated(services, max_iterations=5)
    assert patient.one_draft == usual.one_draft
    assert patient.at_most.calls > usual.at_most.calls
    single = await estimated(services, max_iterations=1, max_gap_searches=0)
    assert single.at_most == single.one_draft


@pytest.mark.parametrize(
    ("role", "calls"), [("analyst", (1, 3)), ("writer", (1, 2)), ("reviewer", (101, 202))]
)
async def test_each_role_is_asked_as_often_as_drafts_and_searches_allow(
    role: str, calls: tuple[int, int]
) -> None:
    llm = FakeLLM(good_answer)
    services = replace(report_services(), model=lambda name: llm if name == "it" else None)
    estimate = await estimated(services, **{f"{role}_model": "it"}, max_iterations=2)
    assert (estimate.one_draft.calls, estimate.at_most.calls) == calls


async def test_each_answer_of_a_long_report_is_asked_with_the_sources() -> None:
    llm = FakeLLM(good_answer)
    services = replace(report_services(), model=lambda name: llm if name == "it" else None)
    short = (await estimated(services, writer_model="it")).one_draft
    long = (await estimated(services, writer_model="it", target_length=5000)).one_draft
    assert long.calls > 1
    assert long.input_tokens == long.calls * short.input_tokens


async def test_papers_are_judged_by_as_many_at_once_as_the_settings_say() -> None:
    services = report_services(FakeLLM(good_answer))
    batches = replace(services, metering=Metering(batch_size=10))
    alone, together = (await estimated(services)), (await estimated(batches))
    assert alone.one_draft.calls - together.one_draft.calls == 100 - 10


async def test_a_report_from_a_search_judges_no_paper_and_searches_no_more() -> None:
    services = report_services(llm := FakeLLM(good_answer))
    assert (await estimated(services)).one_draft.papers == 100
    plan = await Planner(llm).plan(PlannerInput(original_query=QUESTION))
    estimate = estimate_of(plan.research_plan, ReportParams(from_thread="s"), services)
    assert estimate is not None
    assert (estimate.one_draft.papers, estimate.gap_searches) == (0, 0)


@pytest.mark.parametrize(
    ("words", "sections", "answers"),
    [(2000, 5, 1), (2001, 5, 6), (5000, 5, 11), (5000, 0, 7), (2001, 100, 101)],
)
def test_a_long_report_takes_an_answer_for_each_piece(
    words: int, sections: int, answers: int
) -> None:
    assert answers_for(words, sections) == answers
