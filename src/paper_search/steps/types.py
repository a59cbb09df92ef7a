"""What a step is given and what it gives back."""

import importlib
import inspect
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, Literal, TypeVar, cast

from pydantic import BaseModel

StateT = TypeVar("StateT")
ParamsT = TypeVar("ParamsT")
ServicesT = TypeVar("ServicesT")


class Outcome(str, Enum):
    """The result of a step; its transitions say where that leads."""

    OK = "ok"
    FAIL = "fail"
    SKIP = "skip"
    ITERATE = "iterate"
    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    DEFAULT = "_default"
    """Stands in a transition for every outcome that is not named there."""


Ok = Literal[Outcome.OK]
Skip = Literal[Outcome.SKIP]
Fail = Literal[Outcome.FAIL]
Approve = Literal[Outcome.APPROVE]
Edit = Literal[Outcome.EDIT]
Reject = Literal[Outcome.REJECT]
Iterate = Literal[Outcome.ITERATE]


OUTCOME = "last_outcome"
"""Channel: what came of the step that ran last; conditional edges read it."""
PARAMS = "workflow_params"
"""Channel: the settings of the run, fixed by its first step, so that any process can go on."""
VISITS = "step_visits"
"""Channel: how often this run came to each step that has a bound."""
AGAIN = "came_again"
"""Channel: set for one step, by one that leads back to the entry point; not by a new run."""
RESERVED = frozenset({OUTCOME, PARAMS, VISITS, AGAIN})
"""Names of the channels that a graph keeps for itself."""

MADE_BY = "workflow"
"""In the metadata of a checkpoint: the name of the workflow that wrote it."""

StepUpdate = Mapping[str, Any]
"""The fields of the state that a step changes, by name."""


class Untracked:
    """Marks a state field that is part of the output and never of a checkpoint.

    Use as `Annotated[T | None, Untracked]`.
    """


@dataclass(frozen=True)
class Arg:
    """What a parameter of a handler may be: for forms, checks and tests.

    Use as `mode: Annotated[str, Arg(choices=("quick", "full"))] = "full"`.
    """

    description: str = ""
    default: Any = inspect.Parameter.empty
    """Stands in for the default of the parameter, where that has none."""
    min: int | float | None = None
    max: int | float | None = None
    choices: tuple[str, ...] | None = None
    required: bool = False


Asker = Callable[[BaseModel, Any], Any]
"""Puts a question to a person and waits, for days if need be; the answer is of the given type: a
model, or one annotated with checks."""


def token_of(interrupt_id: str) -> str:
    """Return the short name of a question: the first eight letters of its interrupt's id."""
    return interrupt_id[:8]


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
    services: ServicesT = cast("Any", None)  # noqa: RUF009  # a cast makes nothing
    """Live objects from when the graph was made: skills, clients."""
    thread_id: str = ""
    store: Any = None
    """The LangGraph store of the run, where records live."""
    token: str = ""
    """Names the question that the step asks, if it asks one; the same when the step runs again."""
    ask: Asker | None = None
    progress: Progress = lambda _event, _details: None


StepResult = tuple[Outcome, StepUpdate]
Handler = Callable[[StepContext[Any, Any, Any]], StepResult | Awaitable[StepResult]]


def no_op(ctx: StepContext[Any, Any, Any]) -> tuple[Literal[Outcome.OK], StepUpdate]:  # noqa: ARG001  # the handler's shape
    """Do nothing: the handler of a step that only marks a point in the table."""
    return Outcome.OK, {}


@dataclass(frozen=True)
class StepOutput:
    """The result of a step that ran by itself."""

    title: str
    actions: Sequence[str]
    next_command: str
    """Runs what comes after it; empty: this step ended the workflow."""
    outcome: Outcome | None = None
    """None: the step hands over to another workflow, which only a whole run does."""
    update: StepUpdate = field(default_factory=dict)
    """What the step changes in the state."""


class AgentRole(str, Enum):
    """Who does a piece of work that is handed over; chooses the live objects that it gets."""

    QUALITY_REVIEWER = "quality-reviewer"
    DEVELOPER = "developer"
    TECHNICAL_WRITER = "technical-writer"
    EXPLORER = "explorer"
    GENERAL_PURPOSE = "general-purpose"


@dataclass(frozen=True)
class Run:
    result: Mapping[str, Any]
    """The output as JSON: so far, if the run waits."""
    trace: tuple[tuple[str, Outcome], ...]
    """Each step that ended, with its outcome, in order; without those of sub-workflows."""
    questions: tuple[Any, ...]
    """Every question that was asked, as JSON."""
    is_waiting: bool = False
    """Whether the last question is open: there was no answer left for it."""


@dataclass(frozen=True)
class BoundedInt:
    """Every whole number from `lo` to `hi`, both included."""

    lo: int
    hi: int

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError(f"no number is at least {self.lo} and at most {self.hi}")

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lo, self.hi + 1))


@dataclass(frozen=True)
class ChoiceSet:
    """Each of some values."""

    choices: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.choices)


@dataclass(frozen=True)
class Constant:
    """One value."""

    value: Hashable

    def __iter__(self) -> Iterator[Hashable]:
        return iter((self.value,))


Domain = BoundedInt | ChoiceSet | Constant
"""The values that a setting can have, to be gone through."""


def __getattr__(name: str) -> Any:
    """Give `Dispatch`, which the seed has here and which needs the workflow that it hands to."""
    if name != "Dispatch":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("paper_search.steps.toolkit.dispatch").Dispatch
