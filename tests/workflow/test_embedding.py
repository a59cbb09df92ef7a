"""The graph of a search as a node of another graph."""

import operator
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from paper_search.steps import compile_workflow
from paper_search.testing.skills import FakeSkills
from paper_search.workflow.graph import WORKFLOW

QUESTIONS = ["bees", "glass"]


class Chapters(TypedDict, total=False):
    questions: list[str]
    reasons: Annotated[dict[str, set[str]], operator.or_]


def outer_graph(settings: dict[str, Any]) -> Any:
    """Return a graph that searches for all its questions at once."""
    search = compile_workflow(WORKFLOW, services=FakeSkills().skills)

    async def chapter(state: Any) -> Any:
        question = state["question"]
        output = await search.ainvoke({"question": question}, context=settings)
        papers = output["collection"]["papers"]
        assert len(papers) == 2
        return {"reasons": {question: {paper["relevance_reason"] for paper in papers}}}

    graph = StateGraph(Chapters)
    graph.add_node("chapter", chapter)
    graph.add_edge("chapter", END)
    graph.add_conditional_edges(
        START, lambda state: [Send("chapter", {"question": q}) for q in state["questions"]]
    )
    return graph.compile(checkpointer=InMemorySaver(), store=InMemoryStore())


@pytest.mark.parametrize("is_asking", [True, False])
async def test_searches_at_once_in_one_thread_of_another_graph_are_kept_apart(is_asking):
    names = ["enable_strategy_checkpoint", "enable_result_checkpoint"]
    graph = outer_graph(dict.fromkeys(names, is_asking))
    config = {"configurable": {"thread_id": "t"}}
    output = await graph.ainvoke({"questions": QUESTIONS}, config)
    for _ in names if is_asking else ():
        asked = [interrupt.id for interrupt in output["__interrupt__"]]
        assert len(asked) == 2
        answers = {name: {"action": "approve"} for name in asked}
        output = await graph.ainvoke(Command(resume=answers), config)
    assert output["reasons"] == {question: {f"on {question}"} for question in QUESTIONS}
