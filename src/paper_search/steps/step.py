"""One step of a workflow: frozen data, and what its handler may be."""

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
    """What the steps of a workflow and of all its sub-workflows are given."""

    services: Any = None
    agents: Mapping[AgentRole, Any] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    """Names of the workflows that are compiled, from the outermost one inwards."""


@dataclass(frozen=True)
class BoundHandler:
    """A handler as the compiled graph runs it."""

    invoke: Invocation
    subgraph: Any = None
    """The LangGraph graph that it runs, if any; Studio shows it inside of the step."""


class BindableHandler(ABC):
    """A handler that is more than a function: it is bound when the graph is compiled."""

    @abstractmethod
    def outcomes(self) -> frozenset[Outcome] | None:
        """Return the outcomes that it may give; None if that is not known."""

    @abstractmethod
    def problems(self) -> Iterator[str]:
        """Return what is wrong with it, each as the rest of a sentence about its step."""

    @abstractmethod
    def bind(self, step: "StepDef", environment: Environment) -> BoundHandler:
        """Return what the graph runs.

        Raises:
            DispatchError: there is nothing that could be run.
            WorkflowDefinitionError: the step does not lead on from each of its outcomes.
        """


FAILURE = "failure of step "
"""Begins the note on an exception that tells whose handler raised it."""


@contextlib.contextmanager
def noting(step_id: str, workflow: str) -> Iterator[None]:
    """Note on what a handler raises which step it is of; the exception stays as it is."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{FAILURE}{step_id!r} of the workflow {workflow!r}")
        raise


def check_result(step_id: str, result: Any) -> StepResult:
    """Return what a handler returned; raise StepResultError if it is no outcome with a mapping."""
    match result:
        case (Outcome() as outcome, Mapping() as update):
            return outcome, update
    raise StepResultError(
        f"step {step_id!r} returned {repr(result)[:200]}; it returns an Outcome and a mapping of "
        "the fields that it changes"
    )


@dataclass(frozen=True)
class StepDef:
    """One step: what it does, and where each of its outcomes leads."""

    id: str
    title: str = ""
    actions: Sequence[str] = ()
    """What happens here, in words, for whoever reads the table."""
    handler: Handler | BindableHandler = no_op
    next: Mapping[Outcome, str | None] = field(default_factory=dict, hash=False)
    """Where each outcome leads; None ends the workflow."""
    bound: str | int | None = None
    """How often a run may come here at most: a number, or the setting of the run that says it."""
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    """The settings with which a run comes here at all: name to values; empty: with any."""

    def __post_init__(self) -> None:
        gates = {name: tuple(values) for name, values in self.when.items()}
        object.__setattr__(self, "next", MappingProxyType(dict(self.next)))
        object.__setattr__(self, "actions", tuple(self.actions))
        object.__setattr__(self, "when", MappingProxyType(gates))

    def target(self, outcome: Outcome) -> str | None:
        """Return the step that the outcome leads to; None ends the workflow."""
        if outcome in self.next:
            return self.next[outcome]
        if Outcome.DEFAULT in self.next:
            return self.next[Outcome.DEFAULT]
        outcomes = ", ".join(choice.value for choice in self.next)
        raise StepResultError(f"step {self.id!r} gave {outcome.value!r}; it has: {outcomes}")
