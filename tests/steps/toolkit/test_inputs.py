"""Every input of every step: what no run can have is left out, and each has a name of its own."""

import dataclasses
from itertools import product
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from paper_search import steps
from paper_search.errors import InputError, UnknownNameError
from paper_search.workflow.graph import WORKFLOW

OK, SKIP, ITERATE = steps.Outcome.OK, steps.Outcome.SKIP, steps.Outcome.ITERATE
Context = steps.StepContext[Any, Any, Any]
Mode = Annotated[str, steps.Arg(choices=("quick", "full"))]
Rounds = Annotated[int, steps.Arg(min=1, max=3)]


def planning(_ctx: Context, mode: Mode = "full") -> tuple[steps.Outcome, dict[str, Any]]:
    return (SKIP if mode == "quick" else OK), {}


def digging(_ctx: Context, rounds: Rounds = 2) -> tuple[steps.Outcome, dict[str, Any]]:
    return (OK if rounds else ITERATE), {}


TOY = steps.Workflow(
    "toy",
    steps.StepDef("plan", handler=planning, next={OK: "dig", SKIP: "close"}),
    steps.StepDef(
        "dig",
        handler=digging,
        next={OK: "close", ITERATE: "dig"},
        bound="rounds",
        when={"mode": ("full",)},
    ),
    steps.StepDef("close", next={OK: None}),
)


def test_the_schema_has_for_each_step_what_it_depends_on():
    assert steps.extract_schema(TOY) == {
        "plan": {"mode": steps.ChoiceSet(("quick", "full"))},
        "dig": {
            "rounds": steps.BoundedInt(1, 3),
            "mode": steps.ChoiceSet(("quick", "full")),
            "iteration": steps.BoundedInt(1, 3),
        },
        "close": {},
    }


def test_inputs_are_the_product_without_what_no_run_can_have():
    inputs = list(steps.generate_inputs(TOY))
    assert [row for row in inputs if row["step"] == "plan"] == [
        {"step": "plan", "mode": "quick"},
        {"step": "plan", "mode": "full"},
    ]
    digs = [row for row in inputs if row["step"] == "dig"]
    assert {dig["mode"] for dig in digs} == {"full"}, "quick does not lead there"
    assert sorted((dig["rounds"], dig["iteration"]) for dig in digs) == [
        (1, 1),
        (2, 1),
        (2, 2),
        (3, 1),
        (3, 2),
        (3, 3),
    ]
    assert [row for row in inputs if row["step"] == "close"] == [{"step": "close"}]


def test_only_steps_with_a_bound_have_an_iteration():
    assert {row["step"] for row in steps.generate_inputs(TOY) if "iteration" in row} == {"dig"}


@pytest.mark.parametrize("workflow", [TOY, WORKFLOW], ids=lambda entry: entry.name)
def test_every_input_has_a_name_of_its_own(workflow):
    few = {"preview_papers": steps.Constant(5), "max_iterations": steps.BoundedInt(1, 3)}
    names = steps.every_input(workflow, few if workflow is WORKFLOW else None)["ids"]
    assert len(set(names)) == len(names) > 5
    assert all(name.startswith(f"{workflow.name}-") for name in names)


@pytest.mark.parametrize(**steps.every_input(TOY))
def test_a_test_may_go_through_every_input(given):
    assert given in list(steps.generate_inputs(TOY))


def test_declared_settings_have_domains_too():
    class Params(BaseModel):
        is_on: bool = True
        kind: Literal["a", "b"] = "a"
        outcome: steps.Outcome = OK
        count: int = Field(default=1, gt=0, lt=3)
        free: str = "x"

    workflow = steps.Workflow("w", steps.StepDef("a", next={OK: None}), params=Params)
    assert steps.extract_schema(workflow)["a"] == {
        "is_on": steps.ChoiceSet((False, True)),
        "kind": steps.ChoiceSet(("a", "b")),
        "outcome": steps.ChoiceSet(tuple(member.value for member in steps.Outcome)),
        "count": steps.BoundedInt(1, 2),
        "free": steps.Constant("x"),
    }
    assert len(list(steps.generate_params(workflow))) == 2 * 2 * len(steps.Outcome) * 2


def test_a_setting_that_could_be_anything_needs_a_domain():
    class Params(BaseModel):
        name: str

    workflow = steps.Workflow("w", steps.StepDef("a", next={OK: None}), params=Params)
    with pytest.raises(InputError, match="'name' of 'w' has neither"):
        steps.extract_schema(workflow)
    inputs = list(steps.generate_inputs(workflow, {"name": steps.ChoiceSet(("x", "y"))}))
    assert [item["name"] for item in inputs] == ["x", "y"]
    with pytest.raises(UnknownNameError, match="'nmae'"):
        steps.extract_schema(workflow, {"nmae": steps.Constant("x")})


# --- domains --------------------------------------------------------------------------------------


def test_each_domain_gives_its_values_in_order():
    assert list(steps.BoundedInt(1, 5)) == [1, 2, 3, 4, 5]
    assert list(steps.ChoiceSet(("full", "quick"))) == ["full", "quick"]
    assert list(steps.Constant(42)) == [42]
    assert (
        len(
            list(
                product(steps.BoundedInt(1, 2), steps.ChoiceSet((True, False)), steps.Constant("c"))
            )
        )
        == 4
    )


@pytest.mark.parametrize(
    "domain", [steps.BoundedInt(1, 2), steps.ChoiceSet(["a"]), steps.Constant(None)]
)
def test_domains_are_frozen_hashable_and_can_be_gone_through_twice(domain):
    assert len({domain, dataclasses.replace(domain)}) == 1
    assert list(domain) == list(domain)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(domain, dataclasses.fields(domain)[0].name, 0)


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ValueError, match=r"lo \(2\) is greater than hi \(1\)"):
        steps.BoundedInt(2, 1)
