"""Steps and workflows: frozen data, checked when built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel

from paper_search.errors import WorkflowDefinitionError
from paper_search.steps.parameters import gathered, params_model
from paper_search.steps.signatures import read_signature
from paper_search.steps.types import Arg, Dispatch, Handler, Outcome, no_op
from paper_search.steps.validation import problems

KeyT = TypeVar("KeyT")
ValueT_co = TypeVar("ValueT_co", covariant=True)


class FrozenTable(Mapping[KeyT, ValueT_co]):
    """A mapping that never changes and can be hashed."""

    def __init__(self, entries: Mapping[KeyT, ValueT_co]) -> None:
        self._entries = MappingProxyType(dict(entries))

    def __getitem__(self, key: KeyT) -> ValueT_co:
        return self._entries[key]

    def __iter__(self) -> Iterator[KeyT]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self._entries)!r})"


class Transitions(FrozenTable[Outcome, str | None]):
    """Outcome to next step; None ends the workflow. Immutable and hashable."""


@dataclass(frozen=True)
class StepDef:
    """One step: what it does, and where each of its outcomes leads."""

    id: str
    title: str = ""
    actions: tuple[str, ...] = ()
    """What happens here, in words, for whoever reads the table."""
    handler: Handler | Dispatch = no_op
    next: Mapping[Outcome, str | None] = field(default_factory=dict)
    bound: str | int | None = None
    """How often a run may come here at most: a number, or the setting of the run that says it."""
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The settings with which a run comes here at all: name to values; empty: with any."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "next", Transitions(self.next))
        object.__setattr__(self, "actions", tuple(self.actions))
        gates = {name: tuple(values) for name, values in self.when.items()}
        object.__setattr__(self, "when", FrozenTable(gates))

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
        params: pydantic model of the settings of a run; None: made of what the handlers take.
        request: pydantic model of the input; only its fields are taken from a caller.
        result: pydantic model of the output.
        services: `package.module:function` that makes the live objects of the steps from the
            program's settings, for whoever has nothing better to give.

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
    ) -> None:
        signatures = {step.id: read_signature(step.handler) for step in steps}
        taken, mistakes = gathered(signatures)
        if params is None and taken and not mistakes:
            params = params_model(title_of(name), taken.values())
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
            "_params": MappingProxyType(
                {
                    step_id: MappingProxyType({each.name: each.arg for each in read.parameters})
                    for step_id, read in signatures.items()
                }
            ),
        }
        for each, value in values.items():
            object.__setattr__(self, each, value)
        if mistakes := [*mistakes, *problems(self, signatures)]:
            raise WorkflowDefinitionError(name, mistakes)

    def __getitem__(self, step_id: str) -> StepDef:
        for step in self.steps:
            if step.id == step_id:
                return step
        raise KeyError(step_id)

    @property
    def total_steps(self) -> int:
        """Return how many steps there are."""
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


def title_of(name: str) -> str:
    """Return the name of a workflow as that of a class."""
    return "".join(part.capitalize() for part in name.replace("-", "_").split("_"))
