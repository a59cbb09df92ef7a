"""Steps and workflows: frozen data, checked when built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from paper_search.errors import WorkflowDefinitionError
from paper_search.steps.types import Handler, Outcome, no_op


class Transitions(Mapping[Outcome, str | None]):
    """Outcome to next step; None ends the workflow. Immutable and hashable."""

    def __init__(self, targets: Mapping[Outcome, str | None]) -> None:
        self._targets = dict(targets)

    def __getitem__(self, outcome: Outcome) -> str | None:
        return self._targets[outcome]

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def __hash__(self) -> int:
        return hash(frozenset(self._targets.items()))

    def __repr__(self) -> str:
        return f"Transitions({self._targets!r})"


@dataclass(frozen=True)
class StepDef:
    """One step: what it does, and where each of its outcomes leads."""

    id: str
    title: str = ""
    actions: tuple[str, ...] = ()
    """What happens here, in words, for whoever reads the table."""
    handler: Handler = no_op
    next: Mapping[Outcome, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "next", Transitions(self.next))
        object.__setattr__(self, "actions", tuple(self.actions))

    def target(self, outcome: Outcome) -> str | None:
        """Return the step that the outcome leads to; None ends the workflow.

        Raises:
            LookupError: the step has neither this outcome nor a default.
        """
        if outcome in self.next:
            return self.next[outcome]
        if Outcome.DEFAULT in self.next:
            return self.next[Outcome.DEFAULT]
        known = ", ".join(each.value for each in self.next)
        raise LookupError(f"step {self.id!r} gave {outcome.value!r}; it has: {known}")


@dataclass(frozen=True, init=False)
class Workflow:
    """Steps under a name. The first step is the entry point unless another is named.

    Args:
        name: of the workflow and its graph.
        steps: in the order in which they are drawn.
        description: one sentence.
        entry_point: id of the first step.
        state: pydantic model of the state; its fields become the graph's channels.
        params: pydantic model of the settings of a run.
        request: pydantic model of the input; only its fields are taken from a caller.
        result: pydantic model of the output.

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
    ) -> None:
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
        }
        for each, value in values.items():
            object.__setattr__(self, each, value)
        if problems := list(_problems(self)):
            raise WorkflowDefinitionError(name, problems)

    def __getitem__(self, step_id: str) -> StepDef:
        for step in self.steps:
            if step.id == step_id:
                return step
        raise KeyError(step_id)

    @property
    def total_steps(self) -> int:
        """Return how many steps there are."""
        return len(self.steps)


def _problems(workflow: Workflow) -> Iterator[str]:
    ids = [step.id for step in workflow.steps]
    if not ids:
        yield "has no steps"
        return
    yield from (
        f"two steps are called {each!r}" for each in sorted({i for i in ids if ids.count(i) > 1})
    )
    if workflow.entry_point not in ids:
        yield f"the entry point {workflow.entry_point!r} is not a step"
    for step in workflow.steps:
        yield from _step_problems(step, ids)
    if not any(None in step.next.values() for step in workflow.steps):
        yield "no step ends it (a transition to None)"
    reached = _reachable(workflow)
    yield from (f"step {each!r} cannot be reached" for each in ids if each not in reached)


def _step_problems(step: StepDef, ids: list[str]) -> Iterator[str]:
    if not step.next:
        yield f"step {step.id!r} leads nowhere (end it with a transition to None)"
    for outcome, target in step.next.items():
        if not _is(outcome, Outcome):
            yield f"step {step.id!r}: {outcome!r} is not an Outcome"
        if target is not None and target not in ids:
            yield f"step {step.id!r} leads to {target!r}, which is not a step"
    if not _is(step.handler, Callable):
        yield f"step {step.id!r}: its handler {step.handler!r} cannot be called"


def _is(value: object, kind: Any) -> bool:
    """Whether a value is what its annotation says: tables are written by hand."""
    return isinstance(value, kind)


def _reachable(workflow: Workflow) -> set[str]:
    targets = {step.id: [t for t in step.next.values() if t is not None] for step in workflow.steps}
    reached: set[str] = set()
    waiting = [workflow.entry_point]
    while waiting:
        step_id = waiting.pop()
        if step_id not in reached and step_id in targets:
            reached.add(step_id)
            waiting.extend(targets[step_id])
    return reached
