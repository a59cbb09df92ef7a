"""What a step is given and what it gives back."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

StateT = TypeVar("StateT")
ParamsT = TypeVar("ParamsT")
ServicesT = TypeVar("ServicesT")


class Outcome(str, Enum):
    """What came of a step; where that leads is the transition's matter."""

    OK = "ok"
    FAIL = "fail"
    SKIP = "skip"
    ITERATE = "iterate"
    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    DEFAULT = "_default"
    """Stands in a transition for every outcome that is not named there."""


StepUpdate = Mapping[str, Any]
"""The fields of the state that a step changes, by name."""


class Untracked:
    """Marks a state field that is part of the output and never of a checkpoint.

    Use as `Annotated[T | None, Untracked]`.
    """


@dataclass(frozen=True)
class Arg:
    """What a parameter may be: for forms, checks and tests."""

    description: str = ""
    default: Any = inspect.Parameter.empty
    min: int | float | None = None
    max: int | float | None = None
    choices: tuple[str, ...] | None = None
    required: bool = False


class Asker(Protocol):
    """Puts a question to a person and waits, for days if need be."""

    def __call__(self, question: BaseModel, answer: Any) -> Any:
        """Return the answer, valid by the given type: a model, or one annotated with checks."""
        ...


Progress = Callable[[str, Mapping[str, Any]], None]
"""Takes the name of an event and its details; must not be relied on."""


@dataclass(frozen=True)
class StepContext(Generic[StateT, ParamsT, ServicesT]):
    """All that a handler may use; it changes nothing here, it returns what changes."""

    step_id: str
    workflow_params: ParamsT
    """Fixed when the run starts."""
    step_state: StateT
    """The state as it stands: of the workflow's state model, or a dict if it has none."""
    services: ServicesT
    """Live objects given when the graph was made: skills, clients."""
    thread_id: str = ""
    store: Any = None
    """The LangGraph store of the run, where records live."""
    ask: Asker | None = None
    progress: Progress = lambda _event, _details: None


StepResult = tuple[Outcome, StepUpdate]
Handler = Callable[[StepContext[Any, Any, Any]], StepResult | Awaitable[StepResult]]


def no_op(ctx: StepContext[Any, Any, Any]) -> StepResult:  # noqa: ARG001  # the handler's shape
    """Do nothing: the handler of a step that only stands for a place in the table."""
    return Outcome.OK, {}
