"""Workflows: tables of steps with a name, which are checked when built."""

import asyncio
import inspect
import re
import shlex
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from paper_search.errors import UnknownNameError, WorkflowDefinitionError
from paper_search.steps.parameters import (
    Signature,
    field_type,
    gather_settings,
    params_model,
    parse_signature,
)
from paper_search.steps.step import BindableHandler, StepDef, check_result, note_failures
from paper_search.steps.types import RESERVED, Arg, Outcome, StepContext, StepOutput

Targets = Mapping[str, Iterable[str | None]]

DEFAULT_BOUND = 25
"""The bound of a loop that has none of its own: LangGraph's default limit."""

_NAME = re.compile(r"(?!__|(?:checkpoint_(?:id|map|ns)|configurable)\Z)[^:|]+")
"""Of a step or a field of a state: LangGraph refuses others when the workflow is compiled."""


def problems(
    steps: Sequence[StepDef],
    entry_point: str,
    signatures: Mapping[str, Signature],
    params: type[BaseModel] | None,
) -> Iterator[str]:
    """Yield all errors of a table, one sentence each, with the names of the steps."""
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
    if not _NAME.fullmatch(step.id):
        yield f"a step is called {step.id!r}, a name that LangGraph keeps for itself"
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
    """Like `isinstance`; mypy would call the check redundant, but tables are written by hand."""
    return isinstance(value, kind)


def _outcome_problems(step: StepDef, signature: Signature) -> Iterator[str]:
    if signature.outcomes is None or not step.next or Outcome.DEFAULT in step.next:
        return
    for outcome in sorted(signature.outcomes - set(step.next), key=list(Outcome).index):
        yield f"step {step.id!r} can return {outcome.value!r}, which leads nowhere"


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
    """Return the steps with a bound in every loop, and a note for each loop that had none.

    In such a loop, the step that a run reaches first gets the default bound.
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
    """Return the shortest path from a step back to itself, or an empty list."""
    paths: list[list[str]] = [[start]]
    visited: set[str] = set()
    while paths:
        path = paths.pop(0)
        for target in targets.get(path[-1], ()):
            if target == start:
                return path
            if target is not None and target not in visited:
                visited.add(target)
                paths.append([*path, target])
    return []


def _closure(start: str, targets: Targets) -> list[str]:
    """Return the steps that can be reached from one, including itself, the nearest first."""
    steps: list[str] = []
    waiting = [start]
    while waiting:
        step_id = waiting.pop(0)
        if step_id not in steps and step_id in targets:
            steps.append(step_id)
            waiting.extend(to for to in targets[step_id] if to is not None)
    return steps


_FACTORY = re.compile(r"\w+(\.\w+)*:\w+")


@dataclass(frozen=True, init=False)
class Workflow:
    """A table of steps with a name.

    Args:
        name: of the workflow and its graph.
        steps: in the order in which they are drawn.
        description: one sentence.
        entry_point: id of the step to start with; None for the first one.
        state: pydantic model of the state; its fields become the graph's channels.
        params: pydantic model of the settings of a run; None to derive it from the handlers.
        request: pydantic model of the input; callers can set no other fields.
        result: pydantic model of the output.
        services: `package.module:function` that makes the default live objects of the steps from
            the program's settings.
        metadata: added to the metadata of every checkpoint.

    Raises:
        WorkflowDefinitionError: the table has errors; the exception lists all of them.
    """

    name: str
    steps: tuple[StepDef, ...]
    description: str
    entry_point: str
    state: type[BaseModel] | None
    params: type[BaseModel] | None
    request: type[BaseModel] | None
    result: type[BaseModel] | None
    services: str | None
    metadata: Mapping[str, str] = field(compare=False, repr=False)
    notes: tuple[str, ...] = field(compare=False, repr=False)
    """The bounds that were added to loops without one."""
    _params: Mapping[str, Mapping[str, Arg]] = field(compare=False, repr=False)

    def __init__(  # noqa: PLR0913  # one argument a field
        self,
        name: str,
        *steps: StepDef,
        description: str = "",
        entry_point: str | None = None,
        state: type[BaseModel] | None = None,
        params: type[BaseModel] | None = None,
        request: type[BaseModel] | None = None,
        result: type[BaseModel] | None = None,
        services: str | None = None,
        metadata: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        signatures = {step.id: parse_signature(step.handler) for step in steps}
        settings, mistakes = gather_settings(signatures)
        if params is None and settings and not mistakes:
            params = params_model(title_of(name), settings.values())
        first = entry_point if entry_point is not None else steps[0].id if steps else ""
        mistakes += [*problems(steps, first, signatures, params), *_model_problems(state, services)]
        if mistakes:
            raise WorkflowDefinitionError(name, mistakes)
        arguments = {
            step_id: MappingProxyType({p.name: p.arg for p in signature.parameters})
            for step_id, signature in signatures.items()
        }
        bounded, notes = with_default_bounds(steps, first)
        vars(self).update(  # the dataclass is frozen
            name=name,
            steps=bounded,
            description=description,
            entry_point=first,
            state=state,
            params=params,
            request=request,
            result=result,
            services=services,
            metadata=MappingProxyType(dict(metadata)),
            notes=notes,
            _params=MappingProxyType(arguments),
        )

    def __getitem__(self, step_id: str) -> StepDef:
        for step in self.steps:
            if step.id == step_id:
                return step
        raise KeyError(step_id)

    @property
    def total_steps(self) -> int:
        return len(self.steps)

    @property
    def arguments(self) -> Mapping[str, Mapping[str, Arg]]:
        """Return the settings that the handlers take, by step and name."""
        return self._params

    @property
    def _step_order(self) -> tuple[str, ...]:  # the name in the specification
        return tuple(step.id for step in self.steps)

    @property
    def ending_outcomes(self) -> frozenset[Outcome] | None:
        """Return the outcomes that can end the workflow; None if its table does not say."""
        ends = frozenset(
            outcome for step in self.steps for outcome, to in step.next.items() if to is None
        )
        return None if Outcome.DEFAULT in ends else ends

    def run(
        self,
        step_id: str | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        services: Any = None,
    ) -> StepOutput:
        """Run one step by itself, without a graph, a thread or a store.

        Args:
            step_id: the step to run; None for the entry point.
            params: the settings of the run.
            state: the state before the step.
            services: live objects of the step.

        Raises:
            UnknownNameError: there is no such step.
            pydantic.ValidationError: settings or state are invalid.
            PersistenceError: the step asks a person.
            StepResultError: the step returned an invalid result.
        """
        steps = {step.id: step for step in self.steps}
        first = self.entry_point if step_id is None else step_id
        if first not in steps:
            raise UnknownNameError("step", first, list(steps))
        step = steps[first]
        handler: Any = step.handler
        if isinstance(handler, BindableHandler):
            return StepOutput(step.title, step.actions, self._command())
        settings = _validate(self.params, params)
        ctx = StepContext(step.id, settings, _validate(self.state, state), services)
        arguments = {name: getattr(settings, name) for name in self._params[step.id]}
        with note_failures(step.id, self.name):
            result = handler(ctx, **arguments)
            if inspect.isawaitable(result):
                result = asyncio.run(_wait_for(result))
        outcome, update = check_result(step.id, result)
        target = step.target(outcome)
        command = "" if target is None else self._command("--step", target)
        return StepOutput(step.title, step.actions, command, outcome, update)

    def _command(self, *options: str) -> str:
        return shlex.join(["paper-search", "graph", "run", self.name, *options])


def _model_problems(state: type[BaseModel] | None, services: str | None) -> Iterator[str]:
    for name in sorted(state.model_fields if state is not None else ()):
        if name in RESERVED or not _NAME.fullmatch(name):
            yield f"its state has a field {name!r}, a name that the graph reserves"
    if services is not None and not _FACTORY.fullmatch(services):
        yield f"its services {services!r} are not named as package.module:function"


def _validate(model: type[BaseModel] | None, values: Mapping[str, Any] | None) -> Any:
    return dict(values or {}) if model is None else model.model_validate(values or {})


async def _wait_for(result: Awaitable[Any]) -> Any:
    return await result


def title_of(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("-", "_").split("_"))
