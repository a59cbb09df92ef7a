"""The arguments and results of steps."""

import importlib
import inspect
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, Literal, TypeVar, cast

from pydantic import BaseModel

from paper_search.errors import PersistenceError

StateT = TypeVar("StateT")
ParamsT = TypeVar("ParamsT")
ServicesT = TypeVar("ServicesT")


class Outcome(str, Enum):
    """The kind of result of a step; it selects the next step."""

    OK = "ok"
    FAIL = "fail"
    SKIP = "skip"
    ITERATE = "iterate"
    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    DEFAULT = "_default"
    """In transitions: every outcome without one of its own."""


Ok = Literal[Outcome.OK]
Skip = Literal[Outcome.SKIP]
Fail = Literal[Outcome.FAIL]
Approve = Literal[Outcome.APPROVE]
Edit = Literal[Outcome.EDIT]
Reject = Literal[Outcome.REJECT]
Iterate = Literal[Outcome.ITERATE]


OUTCOME = "last_outcome"
"""Channel: the outcome of the last step; conditional edges read it."""
PARAMS = "workflow_params"
"""Channel: the settings of the run, set by its first step, so that any process can continue it."""
VISITS = "step_visits"
"""Channel: visits of this run to each step with a bound."""
AGAIN = "came_again"
"""Channel: set for one step if a step leads back to the entry point, so it is not a new run."""
RESERVED = frozenset({OUTCOME, PARAMS, VISITS, AGAIN})
"""Channels of the engine, which no state may have."""

MADE_BY = "workflow"
"""The field in the metadata of a checkpoint with the name of the workflow that wrote it."""

StepUpdate = Mapping[str, Any]
"""The fields of the state that a step changes, by name."""


class Untracked:
    """Marks a state field that is in the output, but never in a checkpoint.

    Use as `Annotated[T | None, Untracked]`.
    """


@dataclass(frozen=True)
class Arg:
    """The allowed values of a handler's parameter, for forms, checks and tests.

    Use as `mode: Annotated[str, Arg(choices=("quick", "full"))] = "full"`.
    """

    description: str = ""
    default: Any = inspect.Parameter.empty
    """The default, if the parameter itself has none."""
    min: int | float | None = None
    max: int | float | None = None
    choices: tuple[str, ...] | None = None
    required: bool = False


Asker = Callable[[BaseModel, Any], Any]
"""Asks a person a question and waits, perhaps for days; the answer has the given type: a model, or
one annotated with checks."""


def _ask_nobody(_question: BaseModel, _answer: Any) -> Any:
    raise PersistenceError("this step asks a person, and a step that runs alone has no way to ask")


def token_of(interrupt_id: str) -> str:
    """Return the short name of a question: the first eight letters of its interrupt's id."""
    return interrupt_id[:8]


Progress = Callable[[str, Mapping[str, Any]], None]
"""Takes the name of an event and its details; it may lose events."""


@dataclass(frozen=True)
class StepContext(Generic[StateT, ParamsT, ServicesT]):
    """All that a handler may use. It must not change anything here, but return the changes."""

    step_id: str
    workflow_params: ParamsT
    """Fixed when the run starts."""
    step_state: StateT
    """The current state, as the workflow's state model, or a dict if it has none."""
    services: ServicesT = cast("Any", None)  # noqa: RUF009  # a cast makes nothing
    """Live objects such as skills and clients, from when the graph was compiled."""
    thread_id: str = ""
    run: str = ""
    """A name for the run, if another graph has it in its thread; empty if the thread is its own."""
    store: Any = None
    """The LangGraph store of the run, with its records."""
    token: str = ""
    """A name for a question that the step asks; it is the same when the step runs again."""
    ask: Asker = _ask_nobody
    progress: Progress = lambda _event, _details: None


StepResult = tuple[Outcome, StepUpdate]
Handler = Callable[[StepContext[Any, Any, Any]], StepResult | Awaitable[StepResult]]


def no_op(ctx: StepContext[Any, Any, Any]) -> tuple[Literal[Outcome.OK], StepUpdate]:  # noqa: ARG001  # the handler's shape
    """Do nothing; for a step that only marks a point in the table."""
    return Outcome.OK, {}


@dataclass(frozen=True)
class StepOutput:
    """The result of a step that ran by itself."""

    title: str
    actions: Sequence[str]
    next_command: str
    """Runs the next step; empty if this step ended the workflow."""
    outcome: Outcome | None = None
    """None if the step hands over to another workflow, which only a complete run does."""
    update: StepUpdate = field(default_factory=dict)


class AgentRole(str, Enum):
    """The role that does handed-over work; it selects the live objects for that."""

    QUALITY_REVIEWER = "quality-reviewer"
    DEVELOPER = "developer"
    TECHNICAL_WRITER = "technical-writer"
    EXPLORER = "explorer"
    GENERAL_PURPOSE = "general-purpose"


@dataclass(frozen=True)
class Run:
    result: Mapping[str, Any]
    """The output as JSON; if the run is waiting, the output so far."""
    trace: tuple[tuple[str, Outcome], ...]
    """The finished steps with their outcomes, in order, without those of sub-workflows."""
    questions: tuple[Any, ...]
    """All questions that were asked, as JSON."""
    is_waiting: bool = False
    """Whether the last question is open, because there was no answer for it."""


@dataclass(frozen=True)
class BoundedInt:
    """The integers from `lo` to `hi`, both included."""

    lo: int
    hi: int

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError(f"lo ({self.lo}) is greater than hi ({self.hi})")

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lo, self.hi + 1))


@dataclass(frozen=True)
class ChoiceSet:
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
"""The values that a setting can have, as an iterable."""


def __getattr__(name: str) -> Any:
    """Return `Dispatch`, which is here in the seed, but would be a circular import."""
    if name != "Dispatch":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("paper_search.steps.toolkit.dispatch").Dispatch
