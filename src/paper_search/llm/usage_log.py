"""A thread's model calls as JSON lines: time, step, model and cost, but no text."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote, unquote

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from paper_search.errors import LLMFailure, PersistenceError
from paper_search.models.usage import Budget, Spending, StepSpending, total
from paper_search.private_files import private_file

_SUFFIX = ".jsonl"
USUAL_SHARE = 3 / 4
"""Expected tokens of a text by their upper bound: English has four bytes a token, not three."""
_LONGEST_NAME = 160
"""Characters of a file name; file systems allow 255."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class CallBegun(BaseModel):
    """A call that is about to be made; without `CallEnded`, the process died during it."""

    event: Literal["call"] = "call"
    at: str = Field(default_factory=_now)
    id: str
    step: str
    iteration: int
    model: str
    input_tokens: int
    """Upper bound for the question."""
    output_tokens: int = 0
    """Upper bound for the answer."""
    form_tokens: int = 0
    """Part of `input_tokens` that describes the answer's schema."""
    money: float | None = None
    """Cost of the question alone, in US dollars; None if the model has no price."""


class CallEnded(BaseModel):
    event: Literal["end"] = "end"
    at: str = Field(default_factory=_now)
    id: str
    seconds: float
    input_tokens: int
    output_tokens: int
    hidden_tokens: int = 0
    """Part of `output_tokens` that is not in the text, such as reasoning."""
    lost_tokens: int = 0
    """Upper bound for an answer that was lost; it may be charged."""
    money: float | None = None
    """In US dollars; None if the model has no price."""
    failure: LLMFailure | None = None


class BudgetSet(BaseModel):
    """A budget set after the thread began; the latest counts."""

    event: Literal["budget"] = "budget"
    at: str = Field(default_factory=_now)
    budget: Budget


Event = CallBegun | CallEnded | BudgetSet
_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


class LoggedUsage(BaseModel):
    steps: list[StepSpending] = Field(default_factory=list)
    """By first call."""
    budget: Budget | None = None
    first_at: str = ""
    last_at: str = ""
    by_model: dict[str, Spending] = Field(default_factory=dict)
    shares: dict[str, tuple[float, float]] = Field(default_factory=dict, exclude=True)
    """By model: the server's token count divided by the estimate, for texts and for schemas."""
    hidden: dict[str, float] = Field(default_factory=dict, exclude=True)
    """By model: mean tokens of an answer that are not in its text."""
    lost: dict[str, int] = Field(default_factory=dict, exclude=True)
    """By model: the most tokens of lost answers, which count for budgets only."""

    @property
    def spent(self) -> Spending:
        return total(self.steps)


class UsageLog:
    def __init__(self, directory: Path, thread_id: str) -> None:
        name = quote(thread_id, safe="")
        if len(name) > _LONGEST_NAME:
            name = f"{name[:_LONGEST_NAME]}-{sha256(thread_id.encode()).hexdigest()[:16]}"
        self.path = directory / f"{name}{_SUFFIX}"

    def append(self, event: Event) -> None:
        """Add a line and close the file, so that a killed process does not lose it.

        Raises:
            PersistenceError: the file cannot be written.
        """
        line = json.dumps(event.model_dump(mode="json", exclude_none=True)) + "\n"
        try:
            with private_file(self.path).open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            raise PersistenceError(
                f"cannot write the usage log {str(self.path)!r}: {error.strerror or error}"
            ) from None

    def read(self) -> LoggedUsage:
        """Return what was spent; lines truncated by a crash are ignored."""
        first_events: dict[str, CallBegun] = {}
        last_events: dict[str, CallEnded] = {}
        budget = None
        last_at = ""
        for event in self._events():
            last_at = event.at
            match event:
                case CallBegun():
                    first_events[event.id] = event
                case CallEnded():
                    last_events[event.id] = event
                case BudgetSet():
                    budget = event.budget
        steps: dict[tuple[str, int], StepSpending] = {}
        models: dict[str, Spending] = {}
        counted, texts, forms, answers, hidden, lost = (Counter[str]() for _ in range(6))
        for call in first_events.values():
            end = last_events.get(call.id) or _cut_off(call)
            spent = _spent(end)
            lost[call.model] += end.lost_tokens
            key = (call.step, call.iteration)
            before = steps.get(key) or StepSpending(step=call.step, iteration=call.iteration)
            steps[key] = before.with_more(spent)
            models[call.model] = models.get(call.model, Spending()).plus(spent)
            if not spent.failed:
                counted[call.model] += spent.input_tokens
                texts[call.model] += call.input_tokens - call.form_tokens
                forms[call.model] += call.form_tokens
                hidden[call.model] += end.hidden_tokens
                answers[call.model] += 1
        return LoggedUsage(
            steps=list(steps.values()),
            budget=budget,
            first_at=next((call.at for call in first_events.values()), ""),
            last_at=last_at,
            by_model=models,
            shares={m: _shares(counted[m], text, forms[m]) for m, text in texts.items()},
            hidden={model: hidden[model] / count for model, count in answers.items()},
            lost=lost,
        )

    def delete(self) -> None:
        self.path.unlink(missing_ok=True)

    def _events(self) -> Iterator[Event]:
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise PersistenceError(
                f"cannot read the usage log {str(self.path)!r}: {error.strerror or error}"
            ) from None
        for line in lines:
            try:
                yield _EVENT.validate_json(line)
            except ValidationError:
                continue


def logged_threads(directory: Path) -> list[str]:
    paths = sorted(directory.glob(f"*{_SUFFIX}"), key=lambda path: -path.stat().st_mtime)
    return [unquote(path.name.removesuffix(_SUFFIX)) for path in paths]


def _shares(counted: int, text: int, form: int) -> tuple[float, float]:
    """Return the shares of a server; some servers do not count schemas."""
    whole, alone = counted / (text + form), counted / text
    is_whole = abs(whole - USUAL_SHARE) <= abs(alone - USUAL_SHARE)
    return (whole, whole) if is_whole else (alone, 0.0)


def _cut_off(call: CallBegun) -> CallEnded:
    """Return the end of a call during which the process died."""
    costs = {"input_tokens": call.input_tokens, "output_tokens": 0, "money": call.money}
    failed = {"failure": LLMFailure.TIMEOUT, "lost_tokens": call.output_tokens}
    return CallEnded(id=call.id, seconds=0, **costs, **failed)


def _spent(end: CallEnded) -> Spending:
    return Spending(
        calls=1,
        failed=int(end.failure is not None),
        input_tokens=end.input_tokens,
        output_tokens=end.output_tokens,
        money=end.money,
    )
