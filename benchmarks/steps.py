"""What `steps` costs above LangGraph: the same graph as a table and written by hand.

Run: python benchmarks/steps.py
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from paper_search.steps import Outcome, StepContext, StepDef, Workflow
from paper_search.steps.compiler import compile_workflow

STEPS = 20
ROUNDS = 25
REPEATS = 21
MAX_COMPILE_MS = 1.0
MAX_RUN_US = 100.0


class State(BaseModel):
    """A state like that of a small workflow."""

    count: int = 0
    name: str = ""
    ids: list[str] = Field(default_factory=list)
    scores: dict[str, float] = Field(default_factory=dict)


class Params(BaseModel, frozen=True):
    """One setting, which bounds the loop."""

    rounds: int = ROUNDS


class Channels(TypedDict, total=False):
    """The same state for the graph that is written by hand."""

    count: int
    name: str
    ids: list[str]
    scores: dict[str, float]


IDS = [f"id-{n}" for n in range(20)]


def work(ctx: StepContext[State, Params, Any]) -> tuple[Outcome, dict[str, Any]]:
    """Count, and write a few ids."""
    return Outcome.OK, {"count": ctx.step_state.count + 1, "ids": IDS}


def turn(ctx: StepContext[State, Params, Any]) -> tuple[Outcome, dict[str, Any]]:
    """Go round until enough has been counted."""
    count = ctx.step_state.count + 1
    is_done = count >= STEPS * ctx.workflow_params.rounds
    return (Outcome.OK if is_done else Outcome.ITERATE), {"count": count}


def table() -> Workflow:
    """Return a loop of steps as a table."""
    steps = [
        StepDef(f"step_{n}", handler=work, next={Outcome.OK: f"step_{n + 1}"})
        for n in range(STEPS - 1)
    ]
    last = StepDef(
        f"step_{STEPS - 1}",
        handler=turn,
        next={Outcome.OK: None, Outcome.ITERATE: "step_0"},
        bound="rounds",
    )
    return Workflow("loop", *steps, last, state=State, params=Params)


def by_hand() -> Any:
    """Return the same loop in LangGraph alone."""

    async def node(state: Channels) -> Channels:
        return {"count": state.get("count", 0) + 1, "ids": IDS}

    async def last(state: Channels) -> Channels:
        return {"count": state.get("count", 0) + 1}

    def route(state: Channels) -> str:
        return "ok" if state["count"] >= STEPS * ROUNDS else "iterate"

    builder = StateGraph(Channels)
    for n in range(STEPS - 1):
        builder.add_node(f"step_{n}", node)
        builder.add_edge(f"step_{n}", f"step_{n + 1}")
    builder.add_node(f"step_{STEPS - 1}", last)
    builder.add_conditional_edges(f"step_{STEPS - 1}", route, {"ok": END, "iterate": "step_0"})
    builder.add_edge(START, "step_0")
    return builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())


def by_table() -> Any:
    """Return the loop, from table to graph."""
    return compile_workflow(table(), checkpointer=InMemorySaver(), store=InMemoryStore())


def compile_ms(make: Callable[[], Any]) -> float:
    """Return the milliseconds that one compilation takes."""
    gc.collect()
    started = time.perf_counter()
    make()
    return (time.perf_counter() - started) * 1e3


async def run_us(graph: Any, turn_number: int) -> float:
    """Return the microseconds of CPU that a step of one run takes."""
    config = {"configurable": {"thread_id": str(turn_number)}, "recursion_limit": 10_000}
    gc.collect()
    started = time.process_time()
    result = await graph.ainvoke({"count": 0}, config)
    took = time.process_time() - started
    assert result["count"] == STEPS * ROUNDS
    return took / (STEPS * ROUNDS) * 1e6


def main() -> None:
    """Print the table; in every repeat both take turns, so that both see the same machine."""
    compiled: dict[str, list[float]] = {"bare": [], "table": []}
    ran: dict[str, list[float]] = {"bare": [], "table": []}
    for turn_number in range(REPEATS):
        compiled["bare"].append(compile_ms(by_hand) / STEPS)
        compiled["table"].append(compile_ms(by_table) / STEPS)
        ran["bare"].append(asyncio.run(run_us(by_hand(), turn_number)))
        ran["table"].append(asyncio.run(run_us(by_table(), turn_number)))
    print(f"{STEPS} steps in a loop of {ROUNDS} rounds, medians of {REPEATS} turns\n")
    print("| | bare LangGraph | table | difference | at most |\n|---|--:|--:|--:|--:|")
    for label, times, most in (
        ("define and compile, ms per step", compiled, MAX_COMPILE_MS),
        ("run in memory, µs of CPU per step", ran, MAX_RUN_US),
    ):
        bare, ours = (statistics.median(times[name]) for name in ("bare", "table"))
        pairs = zip(times["bare"], times["table"], strict=True)
        more = statistics.median(ours - bare for bare, ours in pairs)
        print(f"| {label} | {bare:.2f} | {ours:.2f} | {more:.2f} | {most:.0f} |")


if __name__ == "__main__":
    main()
