"""Points of one's own where a person is asked, and the state as LangChain's users know it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langgraph.graph import END, START, StateGraph
from pydantic import ValidationError
from tests.report.answers import good_answer

from paper_search.errors import ConfigError
from paper_search.report_workflow import HITLBreakpoint, ReportWorkflow, Review
from paper_search.report_workflow.state import ReportParams, WorkflowState
from paper_search.testing.llm import FakeLLM
from paper_search.testing.reports import QUESTION, report_services


def poor(call: Any) -> Any:
    """Answer as a good model whose reviewer is never content."""
    answer = good_answer(call)
    if call.schema["title"] == "ReviewAnswer":
        answer["scores"] = dict.fromkeys(answer["scores"], 6)
    return answer


def workflow(
    condition: Callable[[Any], Any] | None, answer: Any = good_answer, **changes: Any
) -> ReportWorkflow:
    fields = {"location": "reviewer", "trigger": "after", "timeout_seconds": 14_400, **changes}
    own = HITLBreakpoint("Extended Review", condition=condition, **fields)
    services = replace(report_services(FakeLLM(answer)), breakpoints=[own])
    settings = dict.fromkeys(("hitl_after_planning", "hitl_before_output"), False)
    return ReportWorkflow(services, target_length=150, **settings)


async def asked(flow: ReportWorkflow) -> Review | None:
    ended = await flow.start(QUESTION, thread_id="t")
    return ended if isinstance(ended, Review) else None


def test_a_person_has_half_an_hour_for_a_plan_an_hour_for_a_report_and_two_for_critical_issues():
    params = ReportParams()
    assert params.plan_review_timeout == 1800
    assert (params.output_review_timeout, params.critical_review_timeout) == (3600, 7200)


async def test_a_person_is_asked_where_their_own_condition_holds():
    flow = workflow(lambda state: state.critique.overall_score < 7, poor)
    review = await asked(flow)
    assert (review.name, review.timeout_seconds) == ("Extended Review", 14_400)
    assert review.effects["skip"] == "revise it according to the critique"
    again = await flow.answer("t", "skip", token=review.token)
    assert again.shows["draft"]["version"] == 2
    report = await flow.answer("t", "approve", token=again.token)
    assert report.status == "complete"


async def test_a_condition_that_fails_asks_and_says_so():
    flow = workflow(lambda state: state.no_such_field)
    review = await asked(flow)
    report = await flow.answer("t", "approve", token=review.token)
    assert "no_such_field" in str(report.provenance["errors"])


@pytest.mark.parametrize(("answer", "is_timed"), [(good_answer, True), (poor, False)])
async def test_silence_approves_only_what_the_reviewer_approves(answer, *, is_timed):
    review = await asked(workflow(None, answer, auto_approve_on_timeout=True))
    assert review.auto_approve_on_timeout is is_timed


def test_a_breakpoint_elsewhere_is_refused():
    with pytest.raises(ConfigError, match="before writer; accepted: after planner"):
        workflow(None, location="writer", trigger="before")


def test_the_state_takes_messages_of_langchain_and_its_graphs_add_to_them():
    builder = StateGraph(WorkflowState)
    builder.add_node("answer", lambda _state: {"messages": [AIMessage("Two.")]})
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    ended = builder.compile().invoke({"messages": [HumanMessage("One and one?")]})
    assert [message.content for message in ended["messages"]] == ["One and one?", "Two."]
    state = WorkflowState(messages=[{"role": "user", "content": "Why?"}, AIMessage("So.", id="a")])
    assert state.model_dump()["messages"][0] == {"type": "human", "content": "Why?"}
    for added in ([], [AIMessageChunk("Then")]):  # that one only as it is dumped
        state.messages += added
        assert WorkflowState.model_validate_json(state.model_dump_json()) == state
    with pytest.raises(ValidationError, match="list"):
        WorkflowState.model_validate({"messages": "Why?"})


def test_errors_in_words_make_a_state_that_can_be_read_back():
    state = WorkflowState.model_validate({"errors": ["the first"]})
    state.add_error("the second")
    again = WorkflowState.model_validate(state.model_dump(mode="json"))
    assert [error.message for error in again.errors] == ["the first", "the second"]
