"""What can be wrong with a table of steps, found before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from paper_search.steps.parameters import Signature, field_type
from paper_search.steps.step import BindableHandler, StepDef
from paper_search.steps.types import Outcome

Targets = Mapping[str, Iterable[str | None]]

DEFAULT_BOUND = 25
"""How often a run may come to a step whose loop says nothing; LangGraph's own default limit."""


def problems(
    steps: Sequence[StepDef],
    entry_point: str,
    signatures: Mapping[str, Signature],
    params: type[BaseModel] | None,
) -> Iterator[str]:
    """Return everything that is wrong with a table, a sentence each, with the steps' names."""
    ids = [step.id for step in steps]
    if not ids:
        yield "has no steps"
        return
    twice = sorted({step_id for step_id in ids if ids.count(step_id) > 1})
    yield from (f"two steps are called {step_id!r}" for step_id in twice)
    if entry_point not in ids:
        yield f"the entry point {entry_point!r} is not a step"
    for step in steps:
        yield from _step_problems(step, ids)
        yield from _outcome_problems(step, signatures[step.id])
        yield from _setting_problems(step, signatures[step.id], params)
    yield from _shape_problems(steps, entry_point)


def _step_problems(step: StepDef, ids: list[str]) -> Iterator[str]:
    if not step.next:
        yield f"step {step.id!r} leads nowhere (end it with a transition to None)"
    for outcome, target in step.next.items():
        if not _is(outcome, Outcome):
            yield f"step {step.id!r}: {outcome!r} is not an Outcome"
        if target is not None and target not in ids:
            yield f"step {step.id!r} leads to {target!r}, which is not a step"
    handler = step.handler
    if isinstance(handler, BindableHandler):
        yield from (f"step {step.id!r} {problem}" for problem in handler.problems())
    elif not _is(handler, Callable):
        yield f"step {step.id!r}: its handler {handler!r} cannot be called"


def _is(value: object, kind: Any) -> bool:
    """Whether a value is what its annotation says: tables are written by hand."""
    return isinstance(value, kind)


def _outcome_problems(step: StepDef, signature: Signature) -> Iterator[str]:
    if signature.outcomes is None or not step.next or Outcome.DEFAULT in step.next:
        return
    for outcome in sorted(signature.outcomes - set(step.next), key=list(Outcome).index):
        yield f"step {step.id!r} can give {outcome.value!r}, which leads nowhere"


def _setting_problems(
    step: StepDef, signature: Signature, params: type[BaseModel] | None
) -> Iterator[str]:
    fields = params.model_fields if params is not None else {}
    for name in (setting.name for setting in signature.parameters):
        if params is not None and name not in fields:
            yield f"step {step.id!r} takes {name!r}, which the settings of a run do not have"
    yield from _bound_problems(step, fields)
    for name, values in step.when.items():
        if name not in fields:
            yield f"step {step.id!r} depends on {name!r}, which is not a setting of a run"
            continue
        for value in values:
            try:
                TypeAdapter(field_type(fields[name])).validate_python(value)
            except ValidationError:
                yield f"step {step.id!r} depends on {name}={value!r}, which no run can have"


def _bound_problems(step: StepDef, fields: Mapping[str, FieldInfo]) -> Iterator[str]:
    if isinstance(step.bound, int):
        if step.bound < 1:
            yield f"step {step.id!r}: its bound {step.bound!r} is less than 1"
    elif step.bound is not None and step.bound not in fields:
        yield f"step {step.id!r}: its bound {step.bound!r} is not a setting of a run"
    elif step.bound is not None and fields[step.bound].annotation is not int:
        yield f"step {step.id!r}: its bound {step.bound!r} is not a whole number"


def _shape_problems(steps: Sequence[StepDef], entry_point: str) -> Iterator[str]:
    targets = {step.id: list(step.next.values()) for step in steps}
    if entry_point in targets:
        reachable = _closure(entry_point, targets)
        unreachable = (step.id for step in steps if step.id not in reachable)
        yield from (f"step {step_id!r} cannot be reached" for step_id in unreachable)
    if not any(None in leads_to for leads_to in targets.values()):
        yield "no step ends it (a transition to None)"
        return
    closures = {step_id: _closure(step_id, targets) for step_id in targets}
    for step_id, closure in closures.items():
        if targets[step_id] and not any(None in targets[reached_id] for reached_id in closure):
            yield f"step {step_id!r} has no way to the end"


def with_default_bounds(
    steps: Sequence[StepDef], entry_point: str
) -> tuple[tuple[StepDef, ...], tuple[str, ...]]:
    """Return the steps with a bound in every loop, and a note for each that had none.

    The step of a loop that a run reaches first gets the default bound.
    """
    notes: list[str] = []
    table = {step.id: step for step in steps}
    order = _closure(entry_point, {step.id: list(step.next.values()) for step in steps})
    for step_id in order:
        unbounded = {
            other.id: [to for to in other.next.values() if to and table[to].bound is None]
            for other in table.values()
            if other.bound is None
        }
        loop = _loop_through(step_id, unbounded) if step_id in unbounded else []
        if loop:
            table[step_id] = replace(table[step_id], bound=DEFAULT_BOUND)
            notes.append(
                f"the loop {' → '.join([*loop, step_id])} has no bound: step {step_id!r} runs at "
                f"most {DEFAULT_BOUND} times; StepDef(bound=...) sets another"
            )
    return tuple(table.values()), tuple(notes)


def _loop_through(start: str, targets: Targets) -> list[str]:
    """Return the shortest way from a step back to itself; empty: there is none."""
    ways: list[list[str]] = [[start]]
    visited: set[str] = set()
    while ways:
        way = ways.pop(0)
        for target in targets.get(way[-1], ()):
            if target == start:
                return way
            if target is not None and target not in visited:
                visited.add(target)
                ways.append([*way, target])
    return []


def _closure(start: str, targets: Targets) -> list[str]:
    """Return the steps that can be reached from one, itself included, the nearest first."""
    steps: list[str] = []
    waiting = [start]
    while waiting:
        step_id = waiting.pop(0)
        if step_id not in steps and step_id in targets:
            steps.append(step_id)
            waiting.extend(to for to in targets[step_id] if to is not None)
    return steps
