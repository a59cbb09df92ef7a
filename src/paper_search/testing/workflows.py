"""Workflows for tests: every input of every step, every way through, and what a run must keep to.

```python
@pytest.mark.parametrize(**every_input(WORKFLOW))
async def test_a_step_gives_what_the_table_has(given):
    await check_step(WORKFLOW, given, state={})
```
"""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from paper_search.steps import Domain, Outcome, Run, StepContext, StepDef, Workflow
from paper_search.steps.toolkit.dispatch import Dispatch
from paper_search.steps.toolkit.inputs import (
    STEP,
    Path,
    bounds_of,
    generate_inputs,
    generate_params,
    generate_paths,
    input_id,
)

Parameters = dict[str, Any]


def every_input(workflow: Workflow, domains: Mapping[str, Domain] | None = None) -> Parameters:
    """Return what `pytest.mark.parametrize` takes: `given`, every input of every step.

    `domains`: in place of those of some settings, by name.
    """
    given = list(generate_inputs(workflow, domains))
    return _parameters("given", given, [input_id(workflow, name) for name in given])


def every_run(workflow: Workflow, domains: Mapping[str, Domain] | None = None) -> Parameters:
    params = list(generate_params(workflow, domains))
    return _parameters("params", params, [input_id(workflow, name) for name in params])


def every_path(workflow: Workflow, bounds: Mapping[str, int]) -> Parameters:
    """Return what `pytest.mark.parametrize` takes: `path`, every way, loops up to their bound.

    `bounds`: how often a way may come to each step that has a bound.
    """
    paths = list(generate_paths(workflow, bounds))
    return _parameters("path", paths, [path_id(path) for path in paths])


def path_id(path: Path) -> str:
    return "-".join(outcome.value for _, outcome in path)


def _parameters(name: str, values: list[Any], ids: list[str]) -> Parameters:
    if len(set(ids)) < len(ids):
        raise AssertionError(f"two inputs have the same name: {sorted(ids)}")
    return {"argnames": name, "argvalues": values, "ids": ids}


async def check_step(
    workflow: Workflow,
    given: Mapping[str, Any],
    *,
    state: Any = None,
    services: Any = None,
    ask: Any = None,
) -> tuple[Outcome, dict[str, Any]]:
    """Run one handler alone with one input, and check that the table can go on from it.

    `given`: one of `generate_inputs`. `state`: a model or a mapping; None means an empty one.

    Raises:
        AssertionError: the outcome leads nowhere, or the update has fields the state does not have.
        TypeError: the step hands over to another workflow; run the whole one.
    """
    step = workflow[given[STEP]]
    if isinstance(step.handler, Dispatch):
        raise TypeError(f"step {step.id!r} hands over to another workflow, which is not run here")
    params = _settings(workflow, given)
    ctx = StepContext(
        step_id=step.id,
        workflow_params=params,
        step_state=_state(workflow, state),
        services=services,
        ask=ask,
    )
    arguments = {name: getattr(params, name) for name in workflow.arguments[step.id]}
    handler: Any = step.handler
    result = handler(ctx, **arguments)
    outcome, update = await result if inspect.isawaitable(result) else result
    _check_outcome(step, outcome)
    fields = set(workflow.state.model_fields) if workflow.state is not None else set(update)
    if unknown := sorted(set(update) - fields):
        raise AssertionError(f"step {step.id!r} writes {unknown}, which the state does not have")
    return outcome, dict(update)


def check_run(workflow: Workflow, run: Run, params: Mapping[str, Any] | None = None) -> None:
    """Check that a run went as the table says, within its bounds, and to steps it is led to.

    Raises:
        AssertionError: saying at which step it did not.
    """
    settings = _settings(workflow, params or {})
    next_step: str | None = workflow.entry_point
    visits: dict[str, int] = {}
    for step_id, outcome in run.trace:
        if step_id != next_step:
            raise AssertionError(f"{next_step!r} comes next, and {step_id!r} ran")
        step = workflow[step_id]
        _check_outcome(step, outcome)
        for name, values in step.when.items():
            if getattr(settings, name) not in values:
                raise AssertionError(
                    f"step {step_id!r} ran with {name}={getattr(settings, name)!r}; "
                    f"it is only led to with {values}"
                )
        visits[step_id] = visits.get(step_id, 0) + 1
        next_step = step.target(outcome)
    for step_id, most in bounds_of(workflow, params or {}).items():
        if visits.get(step_id, 0) > most:
            raise AssertionError(
                f"step {step_id!r} ran {visits[step_id]} times, its bound is {most}"
            )
    if next_step is not None and not run.is_waiting:
        raise AssertionError(f"the run ended before {next_step!r}")


def untried(workflow: Workflow, runs: Iterable[Run]) -> list[tuple[str, Outcome]]:
    """Return the steps with outcomes that none of the runs had, in the order of the table."""
    edges = {edge for run in runs for edge in run.trace}
    every = [(step.id, outcome) for step in workflow.steps for outcome in step.next]
    return [edge for edge in every if edge not in edges]


def _check_outcome(step: StepDef, outcome: Outcome) -> None:
    if outcome not in step.next and Outcome.DEFAULT not in step.next:
        raise AssertionError(f"step {step.id!r} gave {outcome.value!r}, which leads nowhere")


def _settings(workflow: Workflow, values: Mapping[str, Any]) -> Any:
    if workflow.params is None:
        return {}
    accepted = {name: v for name, v in values.items() if name in workflow.params.model_fields}
    return workflow.params.model_validate(accepted)


def _state(workflow: Workflow, state: Any) -> Any:
    if isinstance(state, BaseModel):
        return state
    if workflow.state is None:
        return dict(state or {})
    return workflow.state.model_validate(dict(state or {}))
