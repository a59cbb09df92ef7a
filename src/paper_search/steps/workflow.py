"""Workflows: steps under a name, checked when built."""

from __future__ import annotations

import asyncio
import inspect
import re
import shlex
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from paper_search.errors import UnknownNameError, WorkflowDefinitionError
from paper_search.steps.parameters import gather_settings, params_model, parse_signature
from paper_search.steps.step import BindableHandler, StepDef, check_result
from paper_search.steps.types import RESERVED, Arg, Outcome, StepContext, StepOutput
from paper_search.steps.validation import problems, with_default_bounds

_FACTORY = re.compile(r"\w+(\.\w+)*:\w+")


@dataclass(frozen=True, init=False)
class Workflow:
    """Steps under a name. The first step is the entry point unless another is named.

    Args:
        name: of the workflow and its graph.
        steps: in the order in which they are drawn.
        description: one sentence.
        entry_point: id of the first step.
        state: pydantic model of the state; its fields become the graph's channels.
        params: pydantic model of the settings of a run; None: made of what the handlers take.
        request: pydantic model of the input; only its fields are taken from a caller.
        result: pydantic model of the output.
        services: `package.module:function` that makes the live objects of the steps from the
            program's settings, for whoever has nothing better to give.
        metadata: goes into the metadata of every checkpoint.

    Raises:
        WorkflowDefinitionError: with every problem of the table.
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
    """What was added to the table: the bound of a loop that had none."""
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
        values: dict[str, Any] = {
            "name": name,
            "steps": steps,
            "description": description,
            "entry_point": first,
            "state": state,
            "params": params,
            "request": request,
            "result": result,
            "services": services,
            "metadata": MappingProxyType(dict(metadata)),
            "notes": (),
            "_params": MappingProxyType(
                {
                    step_id: MappingProxyType({taken.name: taken.arg for taken in read.parameters})
                    for step_id, read in signatures.items()
                }
            ),
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)
        mistakes += [*problems(steps, first, signatures, params), *self._model_problems()]
        if mistakes:
            raise WorkflowDefinitionError(name, mistakes)
        bounded, notes = with_default_bounds(steps, first)
        object.__setattr__(self, "steps", bounded)
        object.__setattr__(self, "notes", notes)

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
        """Return the settings that each step's handler takes, by step and name."""
        return self._params

    @property
    def step_order(self) -> tuple[str, ...]:
        """Return the ids of the steps in the order of the table."""
        return tuple(step.id for step in self.steps)

    @property
    def _step_order(self) -> tuple[str, ...]:  # the specification's name
        return self.step_order

    @property
    def ending_outcomes(self) -> frozenset[Outcome] | None:
        """Return the outcomes that can end the workflow; None: its table does not say."""
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
            step_id: which; None: the entry point.
            params: the settings of the run.
            state: as the steps before left it.
            services: live objects of the step.

        Raises:
            UnknownNameError: there is no such step.
            pydantic.ValidationError: settings or state cannot be used.
            PersistenceError: the step asks a person.
            StepResultError: it returned what it may not.
        """
        steps = {step.id: step for step in self.steps}
        first = self.entry_point if step_id is None else step_id
        if first not in steps:
            raise UnknownNameError("step", first, list(steps))
        step = steps[first]
        handler: Any = step.handler
        if isinstance(handler, BindableHandler):
            return StepOutput(step.title, step.actions, self._command())
        settings = _validated(self.params, params)
        ctx = StepContext(step.id, settings, _validated(self.state, state), services)
        arguments = {name: getattr(settings, name) for name in self._params[step.id]}
        result = handler(ctx, **arguments)
        if inspect.isawaitable(result):
            result = asyncio.run(_wait_for(result))
        outcome, update = check_result(step.id, result)
        target = step.target(outcome)
        command = "" if target is None else self._command("--step", target)
        return StepOutput(step.title, step.actions, command, outcome, update)

    def _command(self, *options: str) -> str:
        return shlex.join(["paper-search", "graph", "run", self.name, *options])

    def _model_problems(self) -> Iterator[str]:
        fields = self.state.model_fields if self.state is not None else {}
        for name in sorted(RESERVED & set(fields)):
            yield f"its state has a field {name!r}, a name that the graph keeps for itself"
        if self.services is not None and not _FACTORY.fullmatch(self.services):
            yield f"its services {self.services!r} are not named as package.module:function"


def _validated(model: type[BaseModel] | None, values: Mapping[str, Any] | None) -> Any:
    return dict(values or {}) if model is None else model.model_validate(values or {})


async def _wait_for(result: Awaitable[Any]) -> Any:
    return await result


def title_of(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("-", "_").split("_"))
