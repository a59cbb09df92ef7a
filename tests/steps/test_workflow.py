"""Tables of steps are checked when they are built, and never change."""

import dataclasses

import pytest

from paper_search.errors import WorkflowDefinitionError
from paper_search.steps import Outcome, StepDef, Transitions, Workflow
from paper_search.steps.types import no_op

OK, FAIL, ITERATE, DEFAULT = Outcome.OK, Outcome.FAIL, Outcome.ITERATE, Outcome.DEFAULT


def problems_of(*steps: StepDef, entry_point: str | None = None) -> list[str]:
    with pytest.raises(WorkflowDefinitionError) as caught:
        Workflow("toy", *steps, entry_point=entry_point)
    return caught.value.problems


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


def test_tables_can_be_hashed_and_compared():
    one, other = (
        Workflow("toy", StepDef("a", title="A", next={OK: None}), description="d") for _ in range(2)
    )
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1


def test_equal_transitions_have_equal_hashes_in_any_order():
    one, other = Transitions({OK: "a", FAIL: None}), Transitions({FAIL: None, OK: "a"})
    assert one == other
    assert hash(one) == hash(other)


def test_an_outcome_leads_where_the_table_says():
    step = StepDef("a", next={OK: "b", FAIL: None})
    assert step.target(OK) == "b"
    assert step.target(FAIL) is None


def test_the_default_stands_for_every_outcome_that_is_not_named():
    step = StepDef("a", next={OK: "b", DEFAULT: "c"})
    assert step.target(OK) == "b"
    assert step.target(ITERATE) == "c"


def test_an_outcome_that_the_table_lacks_is_an_error_with_those_it_has():
    with pytest.raises(LookupError, match="'a' gave 'fail'; it has: ok, iterate"):
        StepDef("a", next={OK: None, ITERATE: "a"}).target(FAIL)


def test_the_handler_that_does_nothing_is_fine():
    assert no_op(None) == (OK, {})
