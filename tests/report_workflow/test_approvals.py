"""A report collects only by a plan that a person let pass, whatever a client does to the state."""

from dataclasses import replace
from typing import Any

import pytest
from langgraph.types import Command
from tests.answers import reply_to

from paper_search.errors import UnapprovedStrategyError
from paper_search.persistence import open_persistence
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.context import ReportRecords
from paper_search.report_workflow.engine import ReportSession
from paper_search.testing.reports import QUESTION, FakeSearch, report_services


def failing(*_given: Any) -> Any:
    """Stand in for a process that dies while it plans."""
    raise RuntimeError("killed")


CONFIG = {"configurable": {"thread_id": "t"}}
ASKS = {"hitl_after_planning": True, "hitl_before_output": True}
PLAN = {"research_plan": {"decomposed_questions": ["How warm are streets?", "And trees?"]}}


@pytest.fixture
async def persistence(tmp_path):
    """One that outlives a process; what each kind of it does is tested where it is."""
    async with open_persistence(f"sqlite:///{tmp_path}/threads.db") as persistence:
        yield persistence


@pytest.fixture
def search() -> FakeSearch:
    return FakeSearch()


@pytest.fixture
async def graph(persistence, search) -> Any:
    """The bare graph, as a server has it that nothing guards, waiting with a plan."""
    flow = ReportWorkflow(report_services(search=search), persistence=persistence, **ASKS)
    await flow.start(QUESTION, thread_id="t")
    return ReportSession.graph(persistence, report_services(search=search))


@pytest.fixture
async def approved(graph, persistence, search) -> tuple[ReportWorkflow, Any]:
    """A report whose plan was approved, and its bare graph."""
    flow = ReportWorkflow(report_services(search=search), persistence=persistence, **ASKS)
    await reply_to(flow, "t", "approve")
    return flow, graph


async def collects_nothing(
    graph: Any, search: FakeSearch, given: Any = None, config: Any = CONFIG
) -> None:
    asked = len(search.asked)
    with pytest.raises(UnapprovedStrategyError, match=r"paper-search fork \S+ --to plan"):
        await graph.ainvoke(given, config)
    assert len(search.asked) == asked


async def changed_plan(graph: Any) -> dict[str, Any]:
    plan = (await graph.aget_state(CONFIG)).values["research_plan"]
    return {**plan, "decomposed_questions": ["What would I rather know?", "And what else?"]}


async def test_a_jump_over_the_question_collects_nothing__sec_03(graph, search):
    await collects_nothing(graph, search, Command(goto="searcher"))


async def test_an_outcome_that_is_written_into_the_state_collects_nothing__sec_03(graph, search):
    await graph.aupdate_state(CONFIG, {"last_outcome": "ok"}, as_node="human_review")
    await collects_nothing(graph, search)


async def test_a_plan_that_is_changed_with_the_answer_was_not_shown__sec_03(graph, search):
    update = {"research_plan": await changed_plan(graph)}
    await collects_nothing(graph, search, Command(resume="approve", update=update))


async def test_settings_that_are_changed_afterwards_do_not_count__sec_03(graph, search):
    update = {"config": {"hitl_after_planning": False}}
    await collects_nothing(graph, search, Command(goto="searcher", update=update))


@pytest.mark.parametrize(
    "answer", ["approve", "skip", {"action": "modify", "modifications": PLAN}], ids=str
)
async def test_a_plan_that_passed_is_collected_by_in_every_round(graph, search, answer):
    await graph.ainvoke(Command(resume=answer), CONFIG)
    assert search.asked
    ((question,),) = [task.interrupts for task in (await graph.aget_state(CONFIG)).tasks]
    assert question.value["kind"] == "pre_output_review"


async def test_a_thread_that_notes_no_question_collects_nothing__sec_03(graph, persistence, search):
    records = ReportRecords(persistence.store, "t")
    await records.put("report_approvals", dict.fromkeys(("terms", "passed", "proposed-1")))
    await graph.aupdate_state(CONFIG, {"last_outcome": "skip"}, as_node="planner")
    await collects_nothing(graph, search)


ASKING_NOBODY = {"workflow_params": {"hitl_after_planning": False}, "config": {}}


async def test_settings_written_before_the_planner_runs_again_do_not_count__sec_03(graph, search):
    written = {**ASKING_NOBODY, "plan_note": "", "last_outcome": "iterate"}
    await graph.aupdate_state(CONFIG, written, as_node="human_review")
    await collects_nothing(graph, search)


async def test_a_thread_whose_report_ended_takes_one_that_asks_nobody(approved, search):
    flow, graph = approved
    await reply_to(flow, "t", "approve")
    asked = len(search.asked)
    quiet = dict.fromkeys(ASKS, False)
    await graph.ainvoke({"original_query": QUESTION}, CONFIG, context=quiet)
    assert len(search.asked) > asked


async def test_going_back_to_the_plan_takes_its_approval_back__sec_03(approved, search):
    flow, graph = approved
    await flow.fork("t", "plan_review")
    await collects_nothing(graph, search, Command(goto="searcher"))


async def test_going_back_to_the_draft_leaves_the_plan_approved(approved):
    flow, graph = approved
    await reply_to(flow, "t", "approve")
    await flow.fork("t", "pre_output_review")
    await graph.ainvoke(Command(goto="searcher"), CONFIG)
    assert (await flow.pending("t")).kind == "pre_output_review"


async def test_a_plan_on_a_thread_that_never_planned_collects_nothing__sec_03(graph, search):
    values = (await graph.aget_state(CONFIG)).values
    other = {"configurable": {"thread_id": "other"}}
    begun = {name: values[name] for name in ("original_query", "research_plan")}
    await graph.aupdate_state(other, {**begun, "last_outcome": "ok"}, as_node="human_review")
    await collects_nothing(graph, search, config=other)


async def test_a_report_with_a_stopped_planner_collects_nothing__sec_03(graph, persistence, search):
    values = (await graph.aget_state(CONFIG)).values
    services = report_services(search=search)
    stopped = replace(services, searcher=failing)
    bare = ReportSession.graph(persistence, stopped)
    other = {"configurable": {"thread_id": "other"}}
    with pytest.raises(RuntimeError):
        await bare.ainvoke({"original_query": QUESTION}, other, context=ASKS)
    begun = {name: values[name] for name in ("original_query", "research_plan")}
    await graph.aupdate_state(other, {**begun, "last_outcome": "skip"}, as_node="planner")
    await collects_nothing(graph, search, config=other)


@pytest.mark.parametrize(("action", "by"), [("approve", "ada"), ("skip", None)])
async def test_a_report_names_who_approved_it_and_nobody_else(persistence, action, by):
    flow = ReportWorkflow(report_services(), persistence=persistence, **ASKS)
    await flow.start(QUESTION, thread_id="t")
    await reply_to(flow, "t", "approve", by="grace")
    await reply_to(flow, "t", action, by="ada")
    approval = (await flow.report("t")).approval
    assert (approval.by if approval else None) == by
