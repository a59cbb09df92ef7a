"""The test kit for workflows sees what goes wrong."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel

from paper_search.steps import Arg, Dispatch, Outcome, Run, StepContext, StepDef, Workflow
from paper_search.testing.workflows import (
    check_run,
    check_step,
    every_input,
    every_path,
    every_run,
    untried,
)

OK, SKIP, ITERATE = Outcome.OK, Outcome.SKIP, Outcome.ITERATE
Context = StepContext[Any, Any, Any]
Mode = Annotated[str, Arg(choices=("quick", "full"))]


class State(BaseModel):
    count: int = 0


def plan(ctx: Context, mode: Mode = "full") -> tuple[Literal[OK, SKIP], dict[str, Any]]:
    assert ctx.step_state.count == 0
    return (SKIP if mode == "quick" else OK), {"count": 1}


async def dig(ctx: Context) -> tuple[Literal[OK, ITERATE], dict[str, Any]]:
    return (OK if ctx.step_state.count else ITERATE), {}


def liar(_ctx: Context):
    return SKIP, {}


def inventor(_ctx: Context):
    return OK, {"colour": "red"}


TOY = Workflow(
    "toy",
    StepDef("plan", handler=plan, next={OK: "dig", SKIP: None}),
    StepDef("dig", handler=dig, next={OK: None, ITERATE: "dig"}, bound=2, when={"mode": ("full",)}),
    state=State,
)


@pytest.mark.parametrize(**every_input(TOY))
async def test_every_input_of_every_step_can_be_tried(given):
    outcome, _ = await check_step(TOY, given)
    assert outcome in TOY[given["step"]].next


@pytest.mark.parametrize(**every_path(TOY, {"dig": 2}))
def test_every_path_ends(path):
    step_id, outcome = path[-1]
    assert TOY[step_id].target(outcome) is None


def test_the_names_say_what_is_tried():
    assert every_input(TOY)["ids"][:2] == ["toy-plan-mode=quick", "toy-plan-mode=full"]
    assert every_run(TOY)["ids"] == ["toy-mode=quick", "toy-mode=full"]
    assert every_path(TOY, {"dig": 1})["ids"] == ["ok-ok", "skip"]


@pytest.mark.parametrize(
    ("handler", "words"), [(liar, "gave 'skip'"), (inventor, r"writes \['colour'\]")]
)
async def test_a_step_that_does_what_the_table_does_not_say_fails(handler, words):
    workflow = Workflow("w", StepDef("a", handler=handler, next={OK: None}), state=State)
    with pytest.raises(AssertionError, match=words):
        await check_step(workflow, {"step": "a"})


async def test_a_step_that_hands_over_is_not_tried_alone():
    workflow = Workflow(
        "w", StepDef("a", handler=Dispatch(workflow=TOY), next={OK: None, SKIP: None})
    )
    with pytest.raises(TypeError, match="hands over"):
        await check_step(workflow, {"step": "a"})


def run(*trace: tuple[str, Outcome], is_waiting: bool = False) -> Run:
    return Run(result={}, trace=trace, questions=(), is_waiting=is_waiting)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (run(("dig", OK)), "'plan' comes next, and 'dig' ran"),
        (run(("plan", ITERATE)), "gave 'iterate'"),
        (run(("plan", OK)), "the run ended before 'dig'"),
        (run(("plan", SKIP), ("dig", OK)), "None comes next"),
        (run(("plan", OK), *[("dig", ITERATE)] * 2, ("dig", OK)), "ran 3 times, its bound is 2"),
    ],
)
def test_a_run_against_the_table_fails(wrong, words):
    with pytest.raises(AssertionError, match=words):
        check_run(TOY, wrong)


def test_a_run_to_a_step_that_its_settings_do_not_lead_to_fails():
    with pytest.raises(AssertionError, match="ran with mode='quick'"):
        check_run(TOY, run(("plan", OK), ("dig", OK)), {"mode": "quick"})


def test_a_run_that_waits_need_not_have_ended():
    check_run(TOY, run(("plan", OK), is_waiting=True))


def test_what_no_run_tried_is_listed_in_the_order_of_the_table():
    assert untried(TOY, [run(("plan", OK), ("dig", OK))]) == [("plan", SKIP), ("dig", ITERATE)]
