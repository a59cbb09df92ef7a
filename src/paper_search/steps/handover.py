"""What goes into a sub-workflow and what comes out of it: by name, unless the step says how."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from paper_search.errors import DispatchError, WorkflowDefinitionError
from paper_search.steps.core import StepDef, Workflow
from paper_search.steps.signatures import ending_outcomes
from paper_search.steps.types import (
    RESERVED,
    Dispatch,
    Outcome,
    StepContext,
    StepResult,
)

Context = StepContext[Any, Any, Any]


def checked_target(dispatch: Dispatch, step: StepDef, path: tuple[str, ...]) -> Workflow:
    """Return the workflow that a step hands over to.

    Args:
        dispatch: says which.
        step: the one whose handler it is.
        path: names of the workflows that led here, this one last.

    Raises:
        DispatchError: there is no such module, or it defines no workflow.
        WorkflowDefinitionError: it leads back into itself, or the step does not lead on from every
            outcome that it can end with.
    """
    target = dispatch.workflow or _imported(dispatch.script or "", step)
    problems = []
    if target.name in path:
        way = " → ".join([*path, target.name])
        problems.append(f"step {step.id!r} hands over to a workflow that it is part of: {way}")
    if dispatch.take is None and Outcome.DEFAULT not in step.next:
        ends = ending_outcomes(target) or frozenset()
        problems += [
            f"step {step.id!r} can give {each.value!r} (as {target.name!r} ends), which leads "
            "nowhere"
            for each in sorted(ends - set(step.next))
        ]
    if problems:
        raise WorkflowDefinitionError(path[-1], problems)
    return target


def _imported(script: str, step: StepDef) -> Workflow:
    try:
        found = getattr(importlib.import_module(script), "WORKFLOW", None)
    except ImportError as error:
        raise DispatchError(
            f"step {step.id!r} hands over to {script!r}, which cannot be imported: {error}"
        ) from error
    if not isinstance(found, Workflow):
        raise DispatchError(
            f"step {step.id!r} hands over to {script!r}, which defines no WORKFLOW; "
            f"it has {found!r}"
        )
    return found


def given_to(dispatch: Dispatch, target: Workflow | None, ctx: Context) -> dict[str, Any]:
    """Return the input of the other workflow, as JSON.

    Args:
        dispatch: may say how it is made.
        target: the other one; None: it is remote, and all of the state is given.
        ctx: of the step that hands over.
    """
    made = dispatch.give(ctx) if dispatch.give is not None else _fields(ctx.step_state)
    model = None if target is None else target.request or target.state
    if dispatch.give is None and model is not None:
        made = {name: value for name, value in made.items() if name in model.model_fields}
    plain: dict[str, Any] = to_jsonable_python(dict(made))
    if target is not None and target.request is not None:
        return target.request.model_validate(plain).model_dump(mode="json", exclude_unset=True)
    if target is not None and target.state is None:
        return {"step_state": plain}
    return plain


def settings_for(dispatch: Dispatch, target: Workflow | None, ctx: Context) -> dict[str, Any]:
    """Return the settings of the other workflow, as JSON; see `given_to`."""
    if dispatch.params is not None:
        made = dispatch.params(ctx)
    elif target is None:
        made = {}
    else:
        known = target.params.model_fields if target.params is not None else {}
        made = {name: v for name, v in _fields(ctx.workflow_params).items() if name in known}
    plain: dict[str, Any] = to_jsonable_python(dict(made))
    return plain


def taken_from(
    dispatch: Dispatch,
    target: Workflow | None,
    ctx: Context,
    values: Mapping[str, Any],
    ended_with: str | None,
) -> StepResult:
    """Return the outcome and the update that the other workflow's result means here.

    Args:
        dispatch: may say how they are made.
        target: the other one; None: it is remote.
        ctx: of the step that handed over.
        values: what the other one left.
        ended_with: its last outcome; None: it has none, which counts as ok.
    """
    result = _result(target, values)
    if dispatch.take is not None:
        return dispatch.take(ctx, result)
    outcome = Outcome.OK if ended_with is None else Outcome(ended_with)
    known = _fields(ctx.step_state)
    is_open = not isinstance(ctx.step_state, BaseModel)
    return outcome, {n: value for n, value in result.items() if is_open or n in known}


def _result(target: Workflow | None, values: Mapping[str, Any]) -> dict[str, Any]:
    if target is None:
        return {n: value for n, value in values.items() if n not in RESERVED}
    model = target.result or target.state
    if model is None:
        return dict(values.get("step_state") or {})
    return {name: values[name] for name in model.model_fields if name in values}


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a model or the entries of a mapping."""
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return dict(value)
