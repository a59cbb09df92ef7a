"""The graph of a report as a node of another graph."""

import operator
from typing import Annotated, Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from paper_search.report_workflow.graph import WORKFLOW
from paper_search.steps import compile_workflow
from paper_search.testing.reports import QUESTION, report_services

QUESTIONS = [QUESTION, "Do street trees need water in dry cities?"]


class Chapters(TypedDict, total=False):
    statuses: Annotated[dict[str, str], operator.or_]


async def test_reports_at_once_in_one_thread_of_another_graph_each_have_their_own_plan_approved():
    report = compile_workflow(WORKFLOW, services=report_services())
    settings = {"hitl_after_planning": True, "hitl_before_output": False}

    async def chapter(state: Any) -> Any:
        question = state["question"]
        output = await report.ainvoke({"original_query": question}, context=settings)
        return {"statuses": {question: str(output["ended_by"])}}

    graph = StateGraph(Chapters)
    graph.add_node("chapter", chapter)
    graph.add_edge("chapter", END)
    graph.add_conditional_edges(
        START, lambda _: [Send("chapter", {"question": q}) for q in QUESTIONS]
    )
    outer = graph.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    config = {"configurable": {"thread_id": "t"}}
    output = await outer.ainvoke({}, config)
    answers = {asked.id: {"action": "approve"} for asked in output["__interrupt__"]}
    assert len(answers) == 2
    output = await outer.ainvoke(Command(resume=answers), config)
    assert output["statuses"] == dict.fromkeys(QUESTIONS, "not_reviewed")
