"""A step runs by itself: without a graph, a thread or a store."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ValidationError

from paper_search import steps
from paper_search.errors import PersistenceError, StepResultError, UnknownNameError

OK, ITERATE = steps.Outcome.OK, steps.Outcome.ITERATE
Context = steps.StepContext[Any, Any, Any]


class State(BaseModel):
    iteration: int = 0


def look(
    ctx: Context, most: Annotated[int, steps.Arg(min=1, max=5)] = 3
) -> tuple[Literal[steps.Outcome.OK, steps.Outcome.ITERATE], dict[str, Any]]:
    iteration = ctx.step_state.iteration + 1
    return (OK if iteration >= most else ITERATE), {"iteration": iteration}


async def speak(ctx: Context) -> tuple[Literal[steps.Outcome.OK], dict[str, Any]]:
    return OK, {"iteration": ctx.services}


def ask(ctx: Context) -> tuple[steps.Outcome, dict[str, Any]]:
    option = [{"value": "a"}, {"value": "b"}]
    steps.ask_questions(
        ctx, steps.Question.model_validate({"id": "q", "text": "q?", "options": option})
    )
    return OK, {}


def workflow(**last: Any) -> steps.Workflow:
    return steps.Workflow(
        "toy",
        steps.StepDef("look", "Look", ("read",), look, {OK: "last", ITERATE: "look"}, bound="most"),
        steps.StepDef("last", "Speak", next={OK: None}, **last),
        state=State,
    )


def test_without_an_id_the_entry_point_runs_with_the_settings_of_the_run():
    output = workflow().run(params={"most": 1})
    assert (output.outcome, output.next_command) == (OK, "paper-search graph run toy --step last")


def test_an_asynchronous_step_runs_with_its_services_and_after_the_last_there_is_no_command():
    output = workflow(handler=speak).run("last", services=7)
    assert (output.update, output.next_command) == ({"iteration": 7}, "")


def test_a_step_that_hands_over_names_the_whole_run():
    inner = steps.Workflow("inner", steps.StepDef("x", next={OK: None}))
    output = workflow(handler=steps.Dispatch(workflow=inner)).run("last")
    assert (output.outcome, output.next_command) == (None, "paper-search graph run toy")


def test_dispatch_is_where_the_seed_has_it():
    assert steps.types.Dispatch is steps.Dispatch
    assert not hasattr(steps.types, "Despatch")


def test_what_cannot_be_run_is_refused():
    with pytest.raises(UnknownNameError, match="known: last, look"):
        workflow().run("nowhere")
    with pytest.raises(ValidationError, match="most"):
        workflow().run(params={"most": 9})
    with pytest.raises(ValidationError, match="iteration"):
        workflow().run(state={"iteration": "many"})
    with pytest.raises(StepResultError, match="returned 'ok'"):
        workflow(handler=lambda _ctx: "ok").run("last")
    with pytest.raises(PersistenceError, match="has no way to"):
        workflow(handler=ask).run("last")
