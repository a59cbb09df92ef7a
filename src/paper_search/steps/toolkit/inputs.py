"""All inputs that a workflow can have, from the domains of its settings."""

import enum
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from paper_search.errors import InputError, UnknownNameError
from paper_search.steps.step import StepDef
from paper_search.steps.types import BoundedInt, ChoiceSet, Constant, Domain
from paper_search.steps.workflow import Workflow

ITERATION = "iteration"
"""The number of this visit to a step, from 1; only for steps with a bound."""
STEP = "step"


Schema = dict[str, dict[str, Domain]]


def extract_schema(workflow: Workflow, domains: Mapping[str, Domain] | None = None) -> Schema:
    """Return the domains of the settings that each step depends on, by step and name.

    A step depends on the settings that its handler takes. If no handler takes any, because the
    workflow declares a model of its settings, each step may read all of them. A step with a bound
    also depends on the iteration.

    Raises:
        InputError: a setting has neither a finite domain nor a default.
        UnknownNameError: `domains` names an unknown setting.
    """
    settings = settings_domains(workflow, domains)
    schema: Schema = {}
    has_arguments = any(workflow.arguments.values())
    for step in workflow.steps:
        own = set(workflow.arguments[step.id]) if has_arguments else set(settings)
        own |= set(step.when)
        if isinstance(step.bound, str):
            own.add(step.bound)
        schema[step.id] = {name: domain for name, domain in settings.items() if name in own}
        if step.bound is not None:
            schema[step.id][ITERATION] = BoundedInt(1, _highest(step, settings))
    return schema


def settings_domains(workflow: Workflow, domains: Mapping[str, Domain] | None) -> dict[str, Domain]:
    """Return the domain of every setting of a run; see `extract_schema`."""
    own = domains or {}
    fields = workflow.params.model_fields if workflow.params is not None else {}
    for name in own:
        if name not in fields:
            raise UnknownNameError("setting", name, list(fields))
    return {
        name: own[name] if name in own else _domain(workflow, name, field)
        for name, field in fields.items()
    }


def generate_inputs(
    workflow: Workflow, domains: Mapping[str, Domain] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield every input of every step: the id of the step, its settings, its iteration.

    Impossible ones are left out: a step that these settings cannot reach (`StepDef.when`), and an
    iteration beyond the bound.
    """
    for step_id, schema in extract_schema(workflow, domains).items():
        step = workflow[step_id]
        for values in product(*schema.values()):
            settings: dict[str, Any] = dict(zip(schema, values, strict=True))
            is_led_to = all(settings[name] in values for name, values in step.when.items())
            is_within = not isinstance(step.bound, str) or (
                settings[ITERATION] <= settings[step.bound]
            )
            if is_led_to and is_within:
                yield {STEP: step_id, **settings}


def every_input(workflow: Workflow, domains: Mapping[str, Domain] | None = None) -> dict[str, Any]:
    """Return the arguments of `pytest.mark.parametrize`: `given`, and an id for each input."""
    inputs = list(generate_inputs(workflow, domains))
    ids = [input_id(workflow, given) for given in inputs]
    return {"argnames": "given", "argvalues": inputs, "ids": ids}


def generate_params(
    workflow: Workflow, domains: Mapping[str, Domain] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield every combination of the settings of a run; see `extract_schema`."""
    settings = settings_domains(workflow, domains)
    for values in product(*settings.values()):
        yield dict(zip(settings, values, strict=True))


def input_id(workflow: Workflow, values: Mapping[str, Any]) -> str:
    words = [f"{name}={value}" for name, value in values.items() if name != STEP]
    return "-".join([workflow.name, *([values[STEP]] if STEP in values else []), *words])


def _highest(step: StepDef, domains: Mapping[str, Domain]) -> int:
    if isinstance(step.bound, int):
        return step.bound
    return max(value for value in domains[str(step.bound)] if isinstance(value, int))


def _domain(workflow: Workflow, name: str, field: FieldInfo) -> Domain:
    kind = field.annotation
    if kind is bool:
        return ChoiceSet((False, True))
    if get_origin(kind) is Literal:
        return ChoiceSet(get_args(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return ChoiceSet(tuple(member.value for member in kind))
    if kind is int and (limits := _limits(field)):
        return BoundedInt(*limits)
    if field.is_required():
        raise InputError(
            f"setting {name!r} of {workflow.name!r} has neither a finite domain nor a default; "
            f"give one: domains={{{name!r}: ChoiceSet(...)}}"
        )
    return Constant(field.get_default(call_default_factory=True))


def _limits(field: FieldInfo) -> tuple[int, int] | None:
    low: int | None = None
    high: int | None = None
    for limit in field.metadata:
        low = getattr(limit, "ge", low)
        low = limit.gt + 1 if hasattr(limit, "gt") else low
        high = getattr(limit, "le", high)
        high = limit.lt - 1 if hasattr(limit, "lt") else high
    return None if low is None or high is None else (low, high)
