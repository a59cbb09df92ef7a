"""Questions, answers and states of threads, for graphs without models of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Protocol, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from paper_search.bibliography.text import SURROGATES
from paper_search.errors import PersistenceError, QuestionError
from paper_search.steps import StepContext
from paper_search.steps.parameters import describe_errors
from paper_search.threads.decisions import QuestionReference, decode, form_for, require_open

ModelT = TypeVar("ModelT", bound=BaseModel)
VERSION_FIELD = "schema_version"


def load_state(model: type[ModelT], values: Mapping[str, Any], thread: str) -> ModelT:
    """Return the state in the channels of a thread.

    The default of `schema_version`, if the model has one, is the version that it reads. `thread`:
    the name of the thread in an error.

    Raises:
        PersistenceError: another version of the program wrote the channels.
    """
    if VERSION_FIELD in values:
        _check_version(model, values[VERSION_FIELD], thread)
    channels = {name: values[name] for name in model.model_fields if name in values}
    try:
        return model.model_validate(channels)
    except ValidationError as error:
        raise PersistenceError(
            f"{thread} cannot be read: {describe_errors(error)}; "
            "restore a backup, or delete the thread"
        ) from None


def state_of_step(ctx: StepContext[ModelT, Any, Any], noun: str) -> ModelT:
    """Return the state of a step after checking its version, as `load_state` does."""
    state = ctx.step_state
    version = getattr(state, VERSION_FIELD, None)
    _check_version(type(state), version, f"{noun} {ctx.thread_id!r}")
    return state


def _check_version(model: type[BaseModel], version: Any, thread: str) -> None:
    field = model.model_fields.get(VERSION_FIELD)
    if field is not None and version != field.default:
        raise PersistenceError(
            f"{thread} was written with schema version {version}, this program reads "
            f"{field.default}; use the program version that wrote it"
        )


MAX_QUESTION_CHARS = 10_000


class Question(Protocol):
    token: str

    @property
    def reference(self) -> Any:
        """Return what names the question; its `position` orders the questions of a thread."""
        ...


QuestionT = TypeVar("QuestionT", bound=Question)


@dataclass(frozen=True)
class OpenQuestion(Generic[QuestionT]):
    interrupt_id: str
    question: QuestionT
    answers: Any
    """The type of the decisions that it takes."""
    state: Any


class QuestionRef(BaseModel):
    run_id: str
    kind: str
    number: int = 1

    @property
    def position(self) -> int:
        """Return the sort key that orders the questions of a thread as they are asked."""
        return self.number

    @property
    def place(self) -> str:
        """Return what follows `--round` in a command `fork` that goes back to this question."""
        return str(self.number)

    def __str__(self) -> str:
        return f"{self.kind} number {self.number} of thread {self.run_id!r}"


class ThreadQuestion(BaseModel):
    kind: str
    run_id: str
    number: int = 1
    """The place of the question in the thread, from 1."""
    shows: dict[str, Any] = Field(default_factory=dict)
    actions: list[str] = ["approve", "edit", "reject"]
    token: str = ""
    """A short name of the question: `ctx.token` of the step that asks it."""

    @property
    def reference(self) -> QuestionRef:
        return QuestionRef(run_id=self.run_id, kind=self.kind, number=self.number)


class ThreadDecision(BaseModel, extra="forbid"):
    """An answer to a question, in the format of any client."""

    action: str
    note: str | None = None
    revised_data: Any = None
    question: QuestionRef | None = None
    """The question that is answered; unless that one is open, the answer is refused."""
    token: str | None = None
    """The same by the question's token."""

    @model_validator(mode="before")
    @classmethod
    def _decode(cls, answer: Any) -> Any:
        return decode(answer)


def answer_model(question: ThreadQuestion) -> Any:
    """Return the type of the decisions that a question takes; clients make forms of its schema."""

    def check(decision: ThreadDecision) -> ThreadDecision:
        require_open(QuestionReference(decision.question, decision.token), question)
        if decision.action not in question.actions:
            raise ValueError(
                f"action: {decision.action!r} is not allowed; use {', '.join(question.actions)}"
            )
        return decision

    form = form_for(ThreadDecision, question.token)
    return Annotated[ThreadDecision, AfterValidator(check), WithJsonSchema(form)]


def valid_question(text: str, shortest: int = 1, longest: int = MAX_QUESTION_CHARS) -> str:
    if not text.strip():
        raise QuestionError("the question is empty; describe in a sentence what you need")
    if not any(character.isalnum() for character in text):
        raise QuestionError(f"the question {text[:80]!r} has no words; describe what you need")
    if SURROGATES.search(text):
        raise QuestionError(
            "the question contains half characters (unpaired surrogates); send it as valid UTF-8"
        )
    if not shortest <= len(text) <= longest:
        raise QuestionError(
            f"the question has {len(text):,} characters; {shortest:,} to {longest:,} are allowed"
        )
    return text
