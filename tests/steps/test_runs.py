"""What belongs to one run of a thread: its settings, and the counts of its loops."""

from typing import Annotated, Any, Literal

import pytest
from langgraph.types import Command
from pydantic import BaseModel

from paper_search import steps
from paper_search.errors import WorkflowRunError
from paper_search.steps.compiler import compile_in_memory

OK, ITERATE = steps.Outcome.OK, steps.Outcome.ITERATE
CONFIG = {"configurable": {"thread_id": "t"}}
Context = steps.StepContext[Any, Any, Any]
Rounds = Annotated[int, steps.Arg(min=1, max=9)]


class State(BaseModel):
    goal: int = 0
    count: int = 0
    total: int = 0


class Request(BaseModel):
    goal: int
    count: int = 0


def counting(ctx: Context, rounds: Rounds = 3) -> tuple[Literal[OK, ITERATE], dict[str, Any]]:
    del rounds  # bounds the loop
    count = ctx.step_state.count + 1
    is_done = count >= ctx.step_state.goal
    return (OK if is_done else ITERATE), {"count": count, "total": ctx.step_state.total + 1}


LOOP = steps.Workflow(
    "loop",
    steps.StepDef("count", handler=counting, next={OK: None, ITERATE: "count"}, bound="rounds"),
    state=State,
    request=Request,
)


async def test_a_loop_may_run_to_its_bound_and_no_further():
    graph = compile_in_memory(LOOP)
    assert (await graph.ainvoke({"goal": 3}, CONFIG))["count"] == 3
    with pytest.raises(WorkflowRunError, match=r"'count' would run for the 4th time.*3 \(rounds\)"):
        await graph.ainvoke({"goal": 4, "count": 0}, CONFIG)


def asking(ctx: Context, rounds: Rounds = 3) -> tuple[Literal[OK, ITERATE], dict[str, Any]]:
    del rounds  # bounds the loop
    options = tuple(steps.Option(value=name) for name in ("stop", "on"))
    answer = steps.ask_questions(ctx, steps.Question(id="which", text="Which?", options=options))
    return (OK if answer["which"] == "stop" else ITERATE), {"total": ctx.step_state.total + 1}


ASKING = steps.Workflow(
    "asking",
    steps.StepDef("ask", handler=asking, next={OK: None, ITERATE: "ask"}, bound="rounds"),
    state=State,
    request=Request,
)


async def answer(graph: Any, value: str) -> Any:
    (question,) = (await graph.aget_state(CONFIG)).interrupts
    return await graph.ainvoke(Command(resume={question.id: {"which": value}}), CONFIG)


async def test_a_run_that_was_left_in_its_loop_does_not_count_for_the_next():
    graph = compile_in_memory(ASKING)
    await graph.ainvoke({"goal": 0}, CONFIG)
    await answer(graph, "on")
    await graph.ainvoke({"goal": 1}, CONFIG)
    await answer(graph, "on")
    assert (await answer(graph, "stop"))["step_visits"] == {"ask": 2}
