"""Workflows as LangGraph graphs: a toy one, so that only the compiler is on trial."""

from enum import Enum
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import BaseModel, Field
from tests.architecture.test_imports import run

from paper_search.errors import PersistenceError
from paper_search.persistence.serialization import serializer
from paper_search.steps import Outcome, StepContext, StepDef, Untracked, Workflow
from paper_search.steps.compiler import compile_workflow

OK, ITERATE, FAIL, APPROVE = Outcome.OK, Outcome.ITERATE, Outcome.FAIL, Outcome.APPROVE
CONFIG = {"configurable": {"thread_id": "t"}}


class Colour(Enum):
    RED = "red"


class Item(BaseModel):
    name: str
    colour: Colour = Colour.RED


class State(BaseModel):
    goal: int = 0
    count: int = 0
    items: list[Item] = Field(default_factory=list)
    answer: str = ""
    limit: int = 0
    secret_list: Annotated[list[str] | None, Untracked] = None


class Params(BaseModel):
    limit: int = Field(default=3, ge=1)


class Request(BaseModel):
    goal: int


class Result(BaseModel):
    count: int
    secret_list: list[str] | None


class Question(BaseModel):
    text: str


class Answer(BaseModel):
    word: str = Field(min_length=2)


def place(**options: Any) -> dict[str, Any]:
    saver = InMemorySaver(serde=serializer())
    return {"checkpointer": saver, "store": InMemoryStore(), **options}


def counting(ctx: StepContext[State, Params, Any]) -> tuple[Outcome, dict[str, Any]]:
    count = ctx.step_state.count + 1
    items = [*ctx.step_state.items, Item(name=str(count))]
    outcome = ITERATE if count < ctx.step_state.goal else OK
    return outcome, {"count": count, "items": items}


async def closing(ctx: StepContext[State, Params, Any]) -> tuple[Outcome, dict[str, Any]]:
    assert all(isinstance(item, Item) for item in ctx.step_state.items)
    names = [item.name for item in ctx.step_state.items]
    return OK, {"secret_list": names, "limit": ctx.workflow_params.limit}


COUNT = StepDef("count", handler=counting, next={OK: "close", ITERATE: "count"}, bound=9)
CLOSE = StepDef("close", handler=closing, next={OK: None})
TOY = Workflow("toy", COUNT, CLOSE, state=State, params=Params, request=Request, result=Result)


def test_plain_definitions_do_not_load_langgraph():
    assert (
        run("import paper_search.steps, sys; print('langgraph' in sys.modules)").stdout == "False\n"
    )


async def test_handlers_may_be_plain_or_asynchronous_and_loop():
    result = await compile_workflow(TOY, **place()).ainvoke({"goal": 3}, CONFIG)
    assert result == {"count": 3, "secret_list": ["1", "2", "3"]}


async def test_channels_hold_json_only_and_untracked_fields_are_in_no_checkpoint():
    options = place()
    graph = compile_workflow(TOY, **options)
    await graph.ainvoke({"goal": 2}, CONFIG)
    saved = [item async for item in options["checkpointer"].alist(CONFIG)]
    assert len(saved) > 3
    for saved_state in saved:
        values = saved_state.checkpoint["channel_values"]
        assert "secret_list" not in values
        assert_json(values)
        for _, channel, value in saved_state.pending_writes:
            assert channel != "secret_list"
            assert_json(value)
    assert (await graph.aget_state(CONFIG)).values["items"] == [
        {"name": "1", "colour": "red"},
        {"name": "2", "colour": "red"},
    ]


def assert_json(value: Any) -> None:
    if isinstance(value, dict):
        assert all(type(name) is str for name in value)
        for inner in value.values():
            assert_json(inner)
    elif isinstance(value, list):
        for item in value:
            assert_json(item)
    else:
        assert value is None or type(value) in {str, int, float, bool}, repr(value)


async def test_the_default_transition_takes_what_is_not_named():
    def handler(ctx):
        return (FAIL if ctx.step_state.count == 0 else OK), {"count": ctx.step_state.count + 1}

    step = StepDef("only", handler=handler, next={OK: None, Outcome.DEFAULT: "only"}, bound=2)
    graph = compile_workflow(Workflow("toy", step, state=State), **place())
    assert (await graph.ainvoke({"goal": 1}, CONFIG))["count"] == 2


async def test_an_input_may_set_only_what_the_request_has():
    result = await compile_workflow(TOY, **place()).ainvoke({"goal": 1, "count": 7}, CONFIG)
    assert result["count"] == 1


async def test_without_a_store_the_error_says_what_to_pass():
    graph = compile_workflow(TOY, checkpointer=InMemorySaver())
    with pytest.raises(PersistenceError, match="store="):
        await graph.ainvoke({"goal": 1}, CONFIG)


async def test_progress_comes_out_of_the_custom_stream():
    def handler(ctx):
        ctx.progress("found", {"records": 2})
        return OK, {}

    graph = compile_workflow(
        Workflow("toy", StepDef("only", handler=handler, next={OK: None})), **place()
    )
    events = [e async for e in graph.astream({"step_state": {}}, CONFIG, stream_mode="custom")]
    assert events == [{"event": "step", "step": "only"}, {"event": "found", "records": 2}]


# --- asking ---------------------------------------------------------------------------------------


def asking(ctx: StepContext[State, Params, Any]) -> tuple[Outcome, dict[str, Any]]:
    answer = ctx.ask(
        Question(text=f"{ctx.step_state.count} of {ctx.workflow_params.limit}?"), Answer
    )
    return APPROVE, {"answer": answer.word}


ASKING = Workflow(
    "asking",
    StepDef("count", handler=counting, next={OK: "ask", ITERATE: "count"}, bound=9),
    StepDef("ask", handler=asking, next={APPROVE: "close"}),
    StepDef("close", handler=closing, next={OK: None}),
    state=State,
    params=Params,
    request=Request,
)


async def _question(graph: Any) -> Any:
    (interrupt,) = (await graph.aget_state(CONFIG)).interrupts
    return interrupt


async def test_the_settings_of_a_run_are_fixed_at_its_start_for_every_process():
    """The context of a resume, or none, does not change what the run began with."""
    options = place()
    await compile_workflow(ASKING, **options).ainvoke({"goal": 1}, CONFIG, context={"limit": 9})
    graph = compile_workflow(ASKING, **options)
    question = await _question(graph)
    assert question.value == {"text": "1 of 9?"}
    command = Command(resume={question.id: {"word": "yes"}})
    result = await graph.ainvoke(command, CONFIG, context={"limit": 2})
    assert result["limit"] == 9
