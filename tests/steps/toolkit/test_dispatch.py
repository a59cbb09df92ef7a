"""Handing work over: to a workflow, to a module's, to another process's; outcomes come back."""

import sys
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel

from paper_search.errors import DispatchError, WorkflowDefinitionError
from paper_search.steps import Arg, Dispatch, Outcome, StepContext, StepDef, Workflow
from paper_search.steps.compiler import compile_in_memory, compile_workflow
from paper_search.steps.running import run_workflow

OK, FAIL, SKIP = Outcome.OK, Outcome.FAIL, Outcome.SKIP
Context = StepContext[Any, Any, Any]


class Inner(BaseModel):
    number: int = 0
    half: float = 0.0
    own: str = ""


class Request(BaseModel):
    number: int


class Result(BaseModel):
    half: float


class Outer(BaseModel):
    number: int = 0
    half: float = 0.0
    text: str = ""


def halve(
    ctx: Context, digits: Annotated[int, Arg(min=0, max=3)] = 1
) -> tuple[Literal[OK, FAIL], dict[str, Any]]:
    half = round(ctx.step_state.number / 2, digits)
    return (FAIL if ctx.step_state.number < 0 else OK), {"half": half, "own": "seen"}


HALVE = Workflow(
    "halve",
    StepDef("halve", handler=halve, next={OK: None, FAIL: None}),
    state=Inner,
    request=Request,
    result=Result,
)


def outer(dispatch: Dispatch, **options: Any) -> Workflow:
    step = StepDef("hand_over", handler=dispatch, next={OK: None, FAIL: None, SKIP: None})
    return Workflow("outer", step, state=Outer, **options)


async def test_fields_of_the_same_name_go_in_and_come_back():
    run = await run_workflow(outer(Dispatch(workflow=HALVE)), {"number": 5, "text": "kept"})
    assert run.result == {"number": 5, "half": 2.5, "text": "kept"}
    assert run.trace == (("hand_over", OK),)


async def test_the_outcome_that_ends_the_sub_workflow_is_the_outcome_of_the_step():
    run = await run_workflow(outer(Dispatch(workflow=HALVE)), {"number": -1})
    assert run.trace == (("hand_over", FAIL),)


async def test_a_step_can_say_what_goes_in_and_what_comes_out():
    def give(ctx: Context) -> dict[str, Any]:
        return {"number": ctx.step_state.number * 10}

    def params(_ctx: Context) -> dict[str, Any]:
        return {"digits": 0}

    def take(_ctx: Context, result: Any) -> tuple[Literal[SKIP], dict[str, Any]]:
        assert set(result) == {"half"}
        return SKIP, {"text": str(result["half"])}

    dispatch = Dispatch(workflow=HALVE, give=give, params=params, take=take)
    run = await run_workflow(outer(dispatch), {"number": 5})
    assert run.result["text"] == "25.0"
    assert run.trace == (("hand_over", SKIP),)


async def test_workflows_without_state_models_share_their_dicts():
    def add(ctx: Context) -> tuple[Literal[OK], dict[str, Any]]:
        return OK, {"sum": sum(ctx.step_state["numbers"])}

    inner = Workflow("inner", StepDef("add", handler=add, next={OK: None}))
    table = Workflow("outer", StepDef("a", handler=Dispatch(workflow=inner), next={OK: None}))
    run = await run_workflow(table, {"numbers": [1, 2]})
    assert run.result == {"numbers": [1, 2], "sum": 3}


def test_a_step_has_to_lead_on_from_every_way_its_sub_workflow_can_end():
    with pytest.raises(WorkflowDefinitionError, match="'a' can return 'fail'"):
        Workflow("outer", StepDef("a", handler=Dispatch(workflow=HALVE), next={OK: None}))


def test_studio_sees_the_sub_workflow_as_a_subgraph():
    graph = compile_in_memory(outer(Dispatch(workflow=HALVE)))
    assert [name for name, _ in graph.get_subgraphs()] == ["hand_over"]
    assert "hand_over:halve" in graph.get_graph(xray=True).nodes


async def test_the_sub_workflow_has_its_own_settings_count_and_outcome_on_the_thread():
    """The channels of one do not run into those of the other."""
    looping = Workflow(
        "outer",
        StepDef("hand_over", handler=Dispatch(workflow=HALVE), next={OK: "again", FAIL: None}),
        StepDef("again", handler=_again, next={OK: None, SKIP: "hand_over"}, bound=3),
        state=Outer,
    )
    run = await run_workflow(looping, {"number": 8})
    assert [step_id for step_id, _ in run.trace] == ["hand_over", "again"] * 3
    assert run.result["half"] == 4.0


def _again(ctx: Context) -> tuple[Literal[OK, SKIP], dict[str, Any]]:
    text = ctx.step_state.text + "."
    return (OK if len(text) == 3 else SKIP), {"text": text}


# --- scripts --------------------------------------------------------------------------------------


@pytest.fixture
def script() -> Iterator[types.ModuleType]:
    module = types.ModuleType("handed_over_script")
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


def test_a_script_that_is_not_there_or_has_no_workflow_is_named(script):
    script.WORKFLOW = "nothing"
    with pytest.raises(DispatchError, match=r"'handed_over_script'.*defines no WORKFLOW"):
        compile_workflow(outer(Dispatch(script="handed_over_script")))
    with pytest.raises(DispatchError, match=r"'hand_over' hands over to 'no.such.module'"):
        compile_workflow(outer(Dispatch(script="no.such.module")))


def test_a_script_that_can_end_in_ways_the_step_does_not_know_is_refused(script):
    script.WORKFLOW = HALVE
    step = StepDef("a", handler=Dispatch(script="handed_over_script"), next={OK: None})
    with pytest.raises(WorkflowDefinitionError, match="'a' can return 'fail'"):
        compile_workflow(Workflow("outer", step, state=Outer))


def test_a_workflow_that_hands_over_to_itself_is_refused_with_the_way(script):
    script.WORKFLOW = outer(Dispatch(script="handed_over_script"))
    with pytest.raises(WorkflowDefinitionError, match="outer → outer"):
        compile_workflow(script.WORKFLOW)
