"""What a table of steps may not be: found when it is built, all at once, with the steps' names."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Awaitable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from paper_search.errors import WorkflowDefinitionError
from paper_search.steps import (
    Arg,
    Dispatch,
    Outcome,
    StepContext,
    StepDef,
    Workflow,
    discover_workflows,
)
from paper_search.steps.parameters import parse_signature
from paper_search.steps.workflow import DEFAULT_BOUND

OK, SKIP, FAIL, ITERATE = Outcome.OK, Outcome.SKIP, Outcome.FAIL, Outcome.ITERATE
Context = StepContext[Any, Any, Any]
Ok = Literal[Outcome.OK]
Skip = Literal[Outcome.SKIP]
Result = tuple[Ok, dict[str, Any]]


def problems_of(*steps: StepDef, **options: Any) -> list[str]:
    with pytest.raises(WorkflowDefinitionError) as caught:
        Workflow("toy", *steps, **options)
    return caught.value.problems


# --- the table ------------------------------------------------------------------------------------


END = {OK: None}


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([], "has no steps"),
        ([StepDef("a", next={OK: None, FAIL: "c"})], "step 'a' leads to 'c', which is not a step"),
        (
            [StepDef("a", next={OK: "b"}), StepDef("b", next={OK: "a"})],
            "no step ends it (a transition to None)",
        ),
        ([StepDef("a", next=END), StepDef("b", next={OK: "a"})], "step 'b' cannot be reached"),
        ([StepDef("a", next=END), StepDef("a", next=END)], "two steps are called 'a'"),
        (
            [StepDef("a", next={OK: "b", FAIL: None}), StepDef("b")],
            "step 'b' leads nowhere (end it with a transition to None)",
        ),
        ([StepDef("a", next={"ok": None})], "step 'a': 'ok' is not an Outcome"),
        ([StepDef("a", handler="s", next=END)], "step 'a': its handler 's' cannot be called"),
    ],
)
def test_a_table_with_a_mistake_is_refused_with_that_mistake_alone(steps, problem):
    assert problems_of(*steps) == [problem]


@pytest.mark.parametrize("name", ["__end__", "__input__", "a:b", "a|b", "", "checkpoint_ns"])
def test_a_name_that_langgraph_keeps_for_itself_is_refused(name):
    [problem] = problems_of(StepDef(name, next=END))
    assert problem == f"a step is called {name!r}, a name that LangGraph keeps for itself"


def test_an_entry_point_that_is_no_step_is_refused():
    problems = problems_of(StepDef("a", next=END), entry_point="b")
    assert "the entry point 'b' is not a step" in problems


def test_the_first_step_is_the_entry_point_unless_another_is_named():
    steps = [StepDef("a", next={OK: None, FAIL: "b"}), StepDef("b", next={OK: "a"}, bound=2)]
    assert Workflow("toy", *steps).entry_point == "a"
    assert Workflow("toy", *steps, entry_point="b").entry_point == "b"


def test_steps_are_found_by_name_and_counted():
    workflow = Workflow("toy", StepDef("a", next={OK: "b"}), StepDef("b", next={OK: None}))
    assert workflow.total_steps == 2
    assert workflow["b"].id == "b"
    with pytest.raises(KeyError):
        workflow["c"]


def test_tables_are_frozen():
    step = StepDef("a", actions=["look"], next={OK: None})
    workflow = Workflow("toy", step)
    with pytest.raises(dataclasses.FrozenInstanceError):
        step.id = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        workflow.name = "b"
    with pytest.raises(TypeError):
        step.next[FAIL] = "b"
    assert step.actions == ("look",)


def test_a_table_does_not_change_with_the_dict_that_it_was_made_of():
    targets = {OK: None}
    step = StepDef("a", next=targets)
    targets[FAIL] = "b"
    assert dict(step.next) == {OK: None}


def test_an_outcome_that_the_table_lacks_is_an_error_with_those_it_has():
    with pytest.raises(LookupError, match="'a' returned 'fail'; it has: ok, iterate"):
        StepDef("a", next={OK: None, ITERATE: "a"}).target(FAIL)


# --- outcomes -------------------------------------------------------------------------------------


def two(_ctx: Context) -> tuple[Literal[Outcome.OK, Outcome.SKIP], dict[str, Any]]:
    return OK, {}


def union(_ctx: Context) -> tuple[Ok | Skip, dict[str, Any]]:
    return OK, {}


async def later(_ctx: Context) -> tuple[Ok | Skip, dict[str, Any]]:
    return OK, {}


def awaitable(_ctx: Context) -> Awaitable[tuple[Ok | Skip, dict[str, Any]]]:
    return later(_ctx)


class Handler:
    def __call__(self, _ctx: Context) -> tuple[Ok | Skip, dict[str, Any]]:
        return OK, {}

    def method(self, _ctx: Context) -> tuple[Ok | Skip, dict[str, Any]]:
        return OK, {}


def configured(_word: str, _ctx: Context) -> tuple[Ok | Skip, dict[str, Any]]:
    return OK, {}


@functools.wraps(union)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return union(*args, **kwargs)


@pytest.mark.parametrize(
    "handler",
    [
        two,
        union,
        later,
        awaitable,
        Handler(),
        Handler().method,
        functools.partial(configured, "w"),
        wrapped,
    ],
)
def test_every_outcome_that_a_handler_can_give_needs_a_transition(handler):
    assert parse_signature(handler).outcomes == {OK, SKIP}
    problems = problems_of(StepDef("a", handler=handler, next={OK: None}))
    assert problems == ["step 'a' can return 'skip', which leads nowhere"]
    Workflow("toy", StepDef("a", handler=handler, next={OK: None, Outcome.DEFAULT: None}))


def any_outcome(_ctx: Context) -> tuple[Outcome, dict[str, Any]]:
    return OK, {}


def partly(_ctx: Context) -> tuple[Ok | Outcome, dict[str, Any]]:
    return OK, {}


def unannotated(_ctx):
    return OK, {}


def unresolvable(_ctx: Context) -> tuple[NotImported, dict[str, Any]]:  # noqa: F821  # the case
    return OK, {}


@pytest.mark.parametrize("handler", [any_outcome, partly, unannotated, unresolvable, lambda _c: 1])
def test_a_handler_that_does_not_say_its_outcomes_is_taken_as_it_is(handler):
    assert parse_signature(handler).outcomes is None
    Workflow("toy", StepDef("a", handler=handler, next={FAIL: None}))


def test_the_handler_that_does_nothing_gives_ok_and_nothing_else():
    assert problems_of(StepDef("a", next={FAIL: None})) == [
        "step 'a' can return 'ok', which leads nowhere"
    ]


def test_the_product_graph_says_the_outcomes_of_every_step():
    from paper_search.workflow.graph import WORKFLOW

    for step in WORKFLOW.steps:
        assert parse_signature(step.handler).outcomes == set(step.next), step.id


# --- ends and loops -------------------------------------------------------------------------------


def test_a_step_without_a_way_to_the_end_is_refused():
    problems = problems_of(
        StepDef("a", next={OK: None, FAIL: "b"}),
        StepDef("b", next={OK: "c"}, bound=2),
        StepDef("c", next={OK: "b"}),
    )
    assert problems == ["step 'b' has no way to the end", "step 'c' has no way to the end"]


def bounds_and_notes(*steps: StepDef) -> tuple[dict[str, object], tuple[str, ...]]:
    workflow = Workflow("toy", *steps)
    return {step.id: step.bound for step in workflow.steps if step.bound}, workflow.notes


def test_a_loop_without_a_bounded_step_gets_the_default_bound_and_a_note():
    back = StepDef("b", next={OK: None, FAIL: "a"})
    bounds, (note,) = bounds_and_notes(StepDef("a", next={OK: "b"}), back)
    assert bounds == {"a": DEFAULT_BOUND}
    assert note.startswith("the loop a → b → a has no bound: step 'a' runs at most 25 times")
    outer = StepDef("a", next={OK: "b"}, bound=2)
    assert bounds_and_notes(outer, back) == ({"a": 2}, ())
    bounds, notes = bounds_and_notes(outer, StepDef("b", next={OK: None, FAIL: "a", SKIP: "b"}))
    assert bounds == {"a": 2, "b": DEFAULT_BOUND}
    assert len(notes) == 1


class Params(BaseModel):
    rounds: int = Field(default=3, ge=1, le=9)
    word: str = "w"


def test_the_workflows_of_the_program_state_all_their_bounds():
    workflows = discover_workflows("paper_search")
    assert [note for name in workflows.names() for note in workflows[name].notes] == []


@pytest.mark.parametrize(
    ("bound", "problem"),
    [
        (0, "is less than 1"),
        ("turns", "is not a setting of a run"),
        ("word", "is not a whole number"),
    ],
)
def test_a_bound_is_a_number_or_a_setting_that_is_one(bound, problem):
    loop = StepDef("a", next={OK: None, FAIL: "a"}, bound=bound)
    (told,) = problems_of(loop, params=Params)
    assert told == f"step 'a': its bound {bound!r} {problem}"


# --- parameters -----------------------------------------------------------------------------------


def mode_taken(
    _ctx: Context, mode: Annotated[str, Arg("How", choices=("quick", "full"))] = "full"
) -> Result:
    return OK, {"mode": mode}


def other_mode(_ctx: Context, mode: Annotated[str, Arg(choices=("a", "b"))] = "a") -> Result:
    return OK, {"mode": mode}


def bad_default(_ctx: Context, mode: Annotated[str, Arg(choices=("a", "b"))] = "c") -> Result:
    return OK, {"mode": mode}


def nothing_said(_ctx: Context, mode: str) -> Result:
    return OK, {"mode": mode}


def two_defaults(_ctx: Context, mode: Annotated[str, Arg(default="a")] = "b") -> Result:
    return OK, {"mode": mode}


def senseless(_ctx: Context, mode: Annotated[Handler, Arg()] = 1) -> Result:
    return OK, {"mode": mode}


def by_position(_ctx: Context, mode: Annotated[str, Arg()] = "a", /) -> Result:
    return OK, {"mode": mode}


def hidden(_ctx: Context, mode: Annotated[NotImported, Arg(min=1)] = 1) -> Result:  # noqa: F821  # the case
    return OK, {"mode": mode}


def no_context() -> Result:
    return OK, {}


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (bad_default, "the default 'c' of 'mode' is not allowed"),
        (nothing_said, "nothing supplies its parameter 'mode'"),
        (two_defaults, "has two defaults, 'b' and 'a'"),
        (senseless, "'mode' cannot be checked"),
        (by_position, "its parameter 'mode' cannot be passed by name"),
        (hidden, "of its parameter 'mode' cannot be read"),
        (no_context, "its handler takes no context"),
    ],
)
def test_a_parameter_that_cannot_work_is_refused(handler, words):
    (problem,) = problems_of(StepDef("a", handler=handler, next={OK: None}))
    assert problem.startswith("step 'a': ")
    assert words in problem


def test_two_steps_that_take_a_setting_differently_are_refused():
    problems = problems_of(
        StepDef("a", handler=mode_taken, next={OK: "b"}),
        StepDef("b", handler=other_mode, next={OK: None}),
    )
    assert problems == ["steps 'a' and 'b' take 'mode' differently"]


def test_a_parameter_that_declared_settings_lack_is_refused():
    problems = problems_of(StepDef("a", handler=mode_taken, next={OK: None}), params=Params)
    assert problems == ["step 'a' takes 'mode', which the settings of a run do not have"]


def test_a_step_may_depend_only_on_values_that_a_run_can_have():
    step = StepDef(
        "a", handler=mode_taken, next={OK: None}, when={"mode": ("full", "slow"), "size": (1,)}
    )
    assert problems_of(step) == [
        "step 'a' depends on mode='slow', which no run can have",
        "step 'a' depends on 'size', which is not a setting of a run",
    ]


# --- the rest -------------------------------------------------------------------------------------


class Reserved(BaseModel):
    last_outcome: str = ""
    configurable: str = ""


def test_a_state_may_not_take_the_graphs_own_names():
    problems = problems_of(StepDef("a", next={OK: None}), state=Reserved)
    assert problems == [
        f"its state has a field {name!r}, a name that the graph reserves"
        for name in ("configurable", "last_outcome")
    ]


def test_a_dispatch_names_exactly_one_target():
    nothing = StepDef("a", handler=Dispatch(), next={OK: None})
    both = Dispatch(script="a.b", workflow=Workflow("other", StepDef("b", next={OK: None})))
    assert "it has neither" in problems_of(nothing)[0]
    assert "it has both" in problems_of(StepDef("a", handler=both, next={OK: None}))[0]


def test_all_problems_are_told_at_once_with_the_steps_they_are_in():
    problems = problems_of(
        StepDef("a", handler=union, next={OK: "b", FAIL: "nowhere"}),
        StepDef("b", handler=nothing_said, next={OK: "a", SKIP: None}),
        StepDef("c", handler=bad_default, next={OK: None}, bound=-1),
    )
    for words in (
        "step 'a' can return 'skip'",
        "step 'a' leads to 'nowhere'",
        "step 'b': nothing supplies",
        "step 'c': the default 'c'",
        "step 'c': its bound -1",
        "step 'c' cannot be reached",
    ):
        assert any(problem.startswith(words) for problem in problems), words


def test_what_the_steps_take_is_known_by_step_and_name():
    workflow = Workflow(
        "toy", StepDef("a", handler=mode_taken, next={OK: "b"}), StepDef("b", next={OK: None})
    )
    assert workflow.arguments["a"]["mode"].choices == ("quick", "full")
    assert not workflow.arguments["b"]
    assert workflow._params == workflow.arguments
    assert workflow._step_order == ("a", "b")
    assert len(workflow._step_order) == workflow.total_steps


@pytest.mark.parametrize("services", ["", "module", "module:", ":function", "a b:c"])
def test_the_maker_of_live_objects_is_named_by_module_and_function(services):
    problems = problems_of(StepDef("a", next={OK: None}), services=services)
    assert problems == [f"its services {services!r} are not named as package.module:function"]
