"""Steps that run another workflow. Fields are passed by name, unless the step says how."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from paper_search.errors import DispatchError, WorkflowDefinitionError
from paper_search.steps.parameters import stated_outcomes
from paper_search.steps.step import BindableHandler, BoundHandler, Environment, StepDef
from paper_search.steps.types import (
    OUTCOME,
    PARAMS,
    AgentRole,
    Outcome,
    StepContext,
    StepResult,
)
from paper_search.steps.workflow import Workflow

Context = StepContext[Any, Any, Any]


@dataclass(frozen=True)
class Dispatch(BindableHandler):
    """A handler that runs another workflow, given as `script` or as `workflow`."""

    agent: AgentRole = AgentRole.GENERAL_PURPOSE
    script: str | None = None
    """Dotted name of a module that defines `WORKFLOW`; imported when the graph is compiled."""
    workflow: Workflow | None = None
    give: Callable[[StepContext[Any, Any, Any]], Mapping[str, Any]] | None = None
    """Returns the input; None for the fields of this state that the other workflow also has."""
    params: Callable[[StepContext[Any, Any, Any]], Mapping[str, Any]] | None = None
    """Returns the settings; None for those of this run that the other workflow also has."""
    take: Callable[[StepContext[Any, Any, Any], Mapping[str, Any]], StepResult] | None = None
    """Returns outcome and update from the result; None for the outcome that ended the other
    workflow, and the fields of its result that this state also has."""

    def outcomes(self) -> frozenset[Outcome] | None:
        """Return the outcomes of `take`, or those that end the other workflow."""
        if self.take is not None:
            return stated_outcomes(self.take)
        return None if self.workflow is None else self.workflow.ending_outcomes

    def problems(self) -> Iterator[str]:
        if bool(self.script) is bool(self.workflow):
            number = "both" if self.script else "neither"
            yield f"must hand over to a script or a workflow; it has {number}"

    def bind(self, step: StepDef, environment: Environment) -> BoundHandler:
        """See `BindableHandler`."""
        from paper_search.steps.compiler import compile_subgraph  # noqa: PLC0415  # slow import

        target = _check_target(self, step, environment.path)
        services = environment.agents.get(self.agent, environment.services)
        graph = compile_subgraph(target, replace(environment, services=services))

        async def hand_over(ctx: Context) -> StepResult:  # a resumed run continues inside it
            step_input, params = _input_for(self, target, ctx), _settings_for(self, target, ctx)
            values = await graph.ainvoke({**step_input, PARAMS: params})
            return _result_here(self, target, ctx, values)

        return BoundHandler(hand_over, graph)


def _check_target(dispatch: Dispatch, step: StepDef, path: tuple[str, ...]) -> Workflow:
    target = dispatch.workflow or _import_workflow(dispatch.script or "", step)
    problems = []
    if target.name in path:
        way = " → ".join([*path, target.name])
        problems.append(f"step {step.id!r} hands over to a workflow that it is part of: {way}")
    if dispatch.take is None and Outcome.DEFAULT not in step.next:
        ends = target.ending_outcomes or frozenset()
        problems += [
            f"step {step.id!r} can return {outcome.value!r} (as {target.name!r} ends), which leads "
            "nowhere"
            for outcome in sorted(ends - set(step.next))
        ]
    if problems:
        raise WorkflowDefinitionError(path[-1], problems)
    return target


def _import_workflow(script: str, step: StepDef) -> Workflow:
    try:
        workflow = getattr(importlib.import_module(script), "WORKFLOW", None)
    except ImportError as error:
        raise DispatchError(
            f"step {step.id!r} hands over to {script!r}, which cannot be imported: {error}"
        ) from error
    if not isinstance(workflow, Workflow):
        raise DispatchError(
            f"step {step.id!r} hands over to {script!r}, which defines no WORKFLOW; "
            f"it has {workflow!r}"
        )
    return workflow


def _input_for(dispatch: Dispatch, target: Workflow, ctx: Context) -> dict[str, Any]:
    values = dispatch.give(ctx) if dispatch.give is not None else _fields(ctx.step_state)
    model = target.request or target.state
    if dispatch.give is None and model is not None:
        values = {name: value for name, value in values.items() if name in model.model_fields}
    plain: dict[str, Any] = to_jsonable_python(dict(values))
    if target.request is not None:
        return target.request.model_validate(plain).model_dump(mode="json", exclude_unset=True)
    return {"step_state": plain} if target.state is None else plain


def _settings_for(dispatch: Dispatch, target: Workflow, ctx: Context) -> dict[str, Any]:
    if dispatch.params is not None:
        settings = dispatch.params(ctx)
    else:
        fields = target.params.model_fields if target.params is not None else {}
        settings = {name: v for name, v in _fields(ctx.workflow_params).items() if name in fields}
    plain: dict[str, Any] = to_jsonable_python(dict(settings))
    return plain


def _result_here(
    dispatch: Dispatch, target: Workflow, ctx: Context, values: Mapping[str, Any]
) -> StepResult:
    result = _result(target, values)
    if dispatch.take is not None:
        return dispatch.take(ctx, result)
    outcome = Outcome(values.get(OUTCOME) or Outcome.OK)
    fields = _fields(ctx.step_state)
    is_open = not isinstance(ctx.step_state, BaseModel)
    return outcome, {n: value for n, value in result.items() if is_open or n in fields}


def _result(target: Workflow, values: Mapping[str, Any]) -> dict[str, Any]:
    model = target.result or target.state
    if model is None:
        return dict(values.get("step_state") or {})
    return {name: values[name] for name in model.model_fields if name in values}


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return dict(value)
