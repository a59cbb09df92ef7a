"""One step of a workflow as frozen data, and its handler."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from paper_search.errors import StepResultError
from paper_search.steps.types import AgentRole, Handler, Outcome, StepContext, StepResult, no_op

Invocation = Callable[[StepContext[Any, Any, Any]], StepResult | Awaitable[StepResult]]


@dataclass(frozen=True)
class Environment:
    """What the steps of a workflow and of all its sub-workflows share."""

    services: Any = None
    agents: Mapping[AgentRole, Any] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    """Names of the workflows that are being compiled, the outermost first."""


@dataclass(frozen=True)
class BoundHandler:
    """A handler as the compiled graph runs it."""

    invoke: Invocation
    subgraph: Any = None
    """The LangGraph graph that it runs, if any; Studio shows it inside the step."""


class BindableHandler(ABC):
    """A handler that is bound to its step when the graph is compiled."""

    @abstractmethod
    def outcomes(self) -> frozenset[Outcome] | None:
        """Return the outcomes that it may return; None if that is not known."""

    @abstractmethod
    def problems(self) -> Iterator[str]:
        """Yield its errors, each as the predicate of a sentence about its step."""

    @abstractmethod
    def bind(self, step: "StepDef", environment: Environment) -> BoundHandler:
        """Return the function that the graph runs; raise DispatchError if there is none."""


FAILURE = "failure of step "
"""The beginning of the note on an exception that names the step which raised it."""


@contextlib.contextmanager
def note_failures(step_id: str, workflow: str) -> Iterator[None]:
    """Add a note with the name of the step to exceptions of its handler."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{FAILURE}{step_id!r} of the workflow {workflow!r}")
        raise


def check_result(step_id: str, result: Any) -> StepResult:
    """Return the result of a handler; raise StepResultError unless it is outcome and mapping."""
    match result:
        case (Outcome() as outcome, Mapping() as update):
            return outcome, update
    raise StepResultError(
        f"step {step_id!r} returned {repr(result)[:200]}; it must return an Outcome and a mapping "
        "of the fields that it changes"
    )


@dataclass(frozen=True)
class StepDef:
    """One step: its handler, and the next step for each outcome."""

    id: str
    title: str = ""
    actions: Sequence[str] = ()
    """A description of the step in words."""
    handler: Handler | BindableHandler = no_op
    next: Mapping[Outcome, str | None] = field(default_factory=dict, hash=False)
    """The next step for each outcome; None ends the workflow."""
    bound: str | int | None = None
    """The maximal number of visits in a run, or the name of the setting that has it."""
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    """The settings (name to values) with which a run can reach this step; empty for any."""

    def __post_init__(self) -> None:
        gates = {name: tuple(values) for name, values in self.when.items()}
        object.__setattr__(self, "next", MappingProxyType(dict(self.next)))
        object.__setattr__(self, "actions", tuple(self.actions))
        object.__setattr__(self, "when", MappingProxyType(gates))

    def target(self, outcome: Outcome) -> str | None:
        if outcome in self.next:
            return self.next[outcome]
        if Outcome.DEFAULT in self.next:
            return self.next[Outcome.DEFAULT]
        outcomes = ", ".join(choice.value for choice in self.next)
        raise StepResultError(f"step {self.id!r} returned {outcome.value!r}; it has: {outcomes}")
