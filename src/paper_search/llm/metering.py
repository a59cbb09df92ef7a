"""Count what calls of models cost, and keep to a budget."""

import asyncio
import functools
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from uuid import uuid4

from pydantic import BaseModel, Field, ValidationError

from paper_search.errors import ConfigError, LLMFailure, ModelCallLimitError
from paper_search.llm.structured import format_errors
from paper_search.llm.usage_log import USUAL_SHARE, CallBegun, CallEnded, LoggedUsage, UsageLog
from paper_search.models.settings import Skill
from paper_search.models.usage import (
    Budget,
    Spending,
    SpendingEstimate,
    StepSpending,
    Tokens,
    total,
)

_VERSION = re.compile(r"-(?:latest|\d[\d-]*)$")
"""Suffix of a model's dated or latest version."""
_MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


class PriceTable(BaseModel):
    """Prices by `provider:model`."""

    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """When they were looked up."""
    models: dict[str, Price]

    def of(self, name: str) -> Price | None:
        """Return the price of a model, or None.

        Versions such as `gpt-4o-mini-2024-07-18` and `mistral-small-latest` cost what
        `gpt-4o-mini` and `mistral-small` do, unless the table has them.
        """
        return self.models.get(name) or self.models.get(_VERSION.sub("", name))

    def estimate(self, calls: Iterable[tuple[str, Tokens]]) -> SpendingEstimate:
        spent = Spending()
        for model, (count, question, answer, _) in calls:
            price = self.of(model)
            money = price.of(question, answer) if price else None
            spent = spent.plus(
                Spending(calls=count, input_tokens=question, output_tokens=answer, money=money)
            )
        dated = "" if spent.money is None else self.date
        return SpendingEstimate(**spent.model_dump(), priced_at=dated)


@functools.cache
def _shipped() -> PriceTable:
    return PriceTable.model_validate_json((files(__package__) / "prices.json").read_bytes())


def load_prices(own: Path | None = None) -> PriceTable:
    """Return the packaged prices, updated by the user's file, whose date then applies.

    Raises:
        ConfigError: the file cannot be read or is invalid.
    """
    shipped = _shipped()
    if own is None:
        return shipped
    try:
        table = PriceTable.model_validate_json(own.read_bytes())
    except OSError as error:
        raise ConfigError(
            f"LLM_PRICES: cannot read {str(own)!r}: {error.strerror or error}"
        ) from None
    except ValidationError as error:
        raise ConfigError(
            f"LLM_PRICES: {str(own)!r} is not a price table ({format_errors(error)}); write "
            '{"date": "2026-01-31", "models": {"openai:gpt-4o-mini": [0.15, 0.6]}}, '
            "in US dollars per million tokens of questions and answers"
        ) from None
    return PriceTable(date=table.date, models={**shipped.models, **table.models})


_FEWEST_BYTES = 3
"""Bytes of a token, estimated low so that costs are not underestimated."""


def tokens_in(*texts: str) -> int:
    """Return the most tokens that texts are likely to have."""
    return sum(len(text.encode()) for text in texts) // _FEWEST_BYTES + 1


def expected_tokens(characters: float) -> int:
    """Estimate the tokens of English text."""
    return round(characters / _FEWEST_BYTES * USUAL_SHARE)


_ABSURD = 10**9
_LOST = frozenset({LLMFailure.TIMEOUT, LLMFailure.UNREACHABLE, LLMFailure.UNREADABLE})
_UNSENT = ("ConnectError", "ConnectTimeout")
"""Exceptions of httpx before a request is sent."""


@dataclass
class CallResult:
    """Tokens and failure of a call; before its end, those of a call that is cut off."""

    input_tokens: int
    lost_tokens: int = 0
    """The most tokens of an answer that was lost, since it may be charged."""
    output_tokens: int = 0
    hidden_tokens: int = 0
    """Output tokens that are not in the text of the answer, such as reasoning."""
    failure: LLMFailure | None = LLMFailure.TIMEOUT

    def answer(self, message: Any) -> None:
        """Take the tokens of an answer, estimated where the server's count is unusable."""
        counts = getattr(message, "usage_metadata", None) or {}
        visible = tokens_in(str(message.text))
        self.input_tokens = _usable(counts.get("input_tokens"), self.input_tokens)
        self.output_tokens = _usable(counts.get("output_tokens"), visible)
        self.hidden_tokens = max(0, self.output_tokens - visible)
        self.lost_tokens, self.failure = 0, None

    def fail(self, error: BaseException, failure: LLMFailure) -> None:
        """Take the tokens of an answer that the client discarded, or of one that was lost."""
        self.failure = failure
        if (completion := getattr(error, "completion", None)) is not None:
            usage = completion.usage
            self.input_tokens = _usable(getattr(usage, "prompt_tokens", 0), self.input_tokens)
            self.output_tokens = _usable(getattr(usage, "completion_tokens", 0), self.lost_tokens)
            self.lost_tokens = 0
            return
        cause: BaseException | None = error
        while cause is not None and type(cause).__name__ not in _UNSENT:
            cause = cause.__cause__
        if failure not in _LOST or cause is not None:
            self.input_tokens = self.lost_tokens = 0


def _usable(count: float | None, estimate: int) -> int:
    return int(count) if count and 0 < count < _ABSURD else estimate


class Meter:
    """Counts the calls of one step, several of which may run at once.

    `budget`: of the whole thread. `log`: None to keep no log. `logged`: the log when the step
    began. `before`: what the thread spent according to its state; the log may know of more.
    """

    def __init__(  # noqa: PLR0913  # by keyword
        self,
        *,
        step: str,
        iteration: int = 0,
        budget: Budget | None = None,
        log: UsageLog | None = None,
        logged: LoggedUsage | None = None,
        before: Sequence[StepSpending] = (),
        prices: PriceTable | None = None,
    ) -> None:
        self._step = step
        self._iteration = iteration
        self._log = log
        self._prices = prices or load_prices()
        in_state = total(before)
        entries = logged or LoggedUsage()
        self._budget = entries.budget or budget or Budget()
        is_logged = entries.spent.calls >= in_state.calls
        self._spent = entries.spent if is_logged else in_state
        for model, lost in entries.lost.items():
            self._spent = self._spent.plus(_priced(self._prices.of(model), 0, lost, calls=0))
        steps = entries.steps if is_logged else before
        here = (spent for spent in steps if (spent.step, spent.iteration) == (step, iteration))
        earlier = next(here, Spending())
        self.of_step = StepSpending(step=step, iteration=iteration).with_more(earlier)
        """Spent by the step in this iteration, including before an interruption."""
        self._open: dict[str, Spending] = {}
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def call(
        self, model: str, input_tokens: int, output_tokens: int, form_tokens: int = 0
    ) -> AsyncIterator[CallResult]:
        """Reserve the most that one call may cost, and count what it did cost.

        Waits while running calls may still leave enough of the budget. `model` is
        `provider:model`; `input_tokens` and `output_tokens` are upper bounds; `form_tokens` are
        those of the input that describe the answer's schema.

        Raises:
            ModelCallLimitError: the budget does not cover the call.
        """
        price = self._prices.of(model)
        most = _priced(price, input_tokens, output_tokens)
        while (lacking := self._lacking(most)) and self._open:
            self._freed.clear()
            await self._freed.wait()
        if lacking:
            raise ModelCallLimitError(lacking)
        call_id, begun_at = uuid4().hex[:12], monotonic()
        result = CallResult(input_tokens, output_tokens)
        place = {"id": call_id, "step": self._step, "iteration": self._iteration, "model": model}
        sizes = {"input_tokens": input_tokens, "form_tokens": form_tokens}
        sizes["output_tokens"] = output_tokens
        question = _priced(price, input_tokens, 0)
        self._open[call_id] = most
        is_begun = False
        try:
            await self._note(CallBegun(**place, **sizes, money=question.money))
            is_begun = True
            yield result
        finally:
            del self._open[call_id]
            spent = _priced(price, result.input_tokens, result.output_tokens, result.failure)
            if is_begun:
                lost = result.lost_tokens if result.failure else 0
                self._spent = self._spent.plus(spent).plus(_priced(price, 0, lost, calls=0))
                self.of_step = self.of_step.with_more(spent)
            self._freed.set()
            if is_begun:
                seconds = round(monotonic() - begun_at, 3)
                end = CallEnded(
                    **spent.model_dump(include={"input_tokens", "output_tokens", "money"}),
                    id=call_id,
                    seconds=seconds,
                    failure=result.failure,
                    lost_tokens=lost,
                    hidden_tokens=result.hidden_tokens,
                )
                await self._note(end)

    async def _note(self, event: CallBegun | CallEnded) -> None:
        """Write to the log in a thread: LangGraph's server forbids blocking calls."""
        if self._log:
            await asyncio.to_thread(self._log.append, event)

    def _lacking(self, call: Spending) -> str | None:
        after, budget = self._spent, self._budget
        for reserved in (*self._open.values(), call):
            after = after.plus(reserved)
        if budget.money is not None and after.money is None:
            return (
                f"the budget of {budget} cannot be kept: a model has no price; give its price in "
                "the file LLM_PRICES, or a budget in tokens or calls"
            )
        limits = budget.model_dump(exclude_none=True)
        if all(getattr(after, name) <= limit for name, limit in limits.items()):
            return None
        left = {n: max(limit - getattr(self._spent, n), 0) for n, limit in limits.items()}
        need = Budget(**{name: getattr(call, name) for name in limits})
        return (
            f"the budget of {budget} does not cover another call, which may need {need}: "
            f"{Budget(**left)} left; --budget AMOUNT allows more"
        )


def _priced(
    price: Price | None,
    input_tokens: int,
    output_tokens: int,
    failure: LLMFailure | None = None,
    calls: int = 1,
) -> Spending:
    return Spending(
        calls=calls,
        failed=int(failure is not None),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        money=price.of(input_tokens, output_tokens) if price else None,
    )


@dataclass(frozen=True)
class Metering:
    """Settings for the meters of all threads.

    `directory`: of the logs; None to keep none. `models`: `provider:model` of each skill that uses
    a model. `batch_size`: most papers judged by one call. `budget`: default for threads.
    """

    directory: Path | None = None
    prices: PriceTable = field(default_factory=load_prices)
    models: Mapping[Skill, str] = field(default_factory=dict)
    batch_size: int = 1
    budget: Budget | None = None

    def log(self, thread_id: str) -> UsageLog | None:
        return UsageLog(self.directory, thread_id) if self.directory and thread_id else None

    async def logged(self, thread_id: str) -> LoggedUsage:
        log = self.log(thread_id)
        return await asyncio.to_thread(log.read) if log else LoggedUsage()

    def estimate(
        self, calls: Iterable[tuple[str, Tokens]], logged: LoggedUsage
    ) -> SpendingEstimate:
        """Estimate the cost of calls by how each server counted logged questions and answers."""
        counted = []
        for model, cost in calls:
            text, form = logged.shares.get(model, (USUAL_SHARE, USUAL_SHARE))
            asked = (cost.asked - cost.forms) * text + cost.forms * form
            answered = cost.answered + round(cost.calls * logged.hidden.get(model, 0))
            asked = round(asked / USUAL_SHARE)
            counted.append((model, cost._replace(asked=asked, answered=answered)))
        return self.prices.estimate(counted)

    def check_budget(self, budget: Budget | None) -> Budget | None:
        """Return the budget; raise ConfigError if it limits money and a model has no price."""
        unpriced = sorted({m for m in self.models.values() if self.prices.of(m) is None})
        if budget is not None and budget.money is not None and unpriced:
            raise ConfigError(
                f"the budget of {budget} cannot be kept, because the price of {unpriced[0]} is not "
                "known: give it in the file that LLM_PRICES names, or limit tokens or calls"
            )
        return budget


_current: ContextVar[Meter | None] = ContextVar("paper_search_meter", default=None)


@asynccontextmanager
async def count_call(
    model: str, input_tokens: int, output_tokens: int, form_tokens: int = 0
) -> AsyncIterator[CallResult]:
    """Count a call with the current task's meter, if there is one; see `Meter.call`."""
    meter = _current.get()
    if meter is None:
        yield CallResult(input_tokens)
        return
    async with meter.call(model, input_tokens, output_tokens, form_tokens) as result:
        yield result


@contextmanager
def metered(meter: Meter) -> Iterator[Meter]:
    """Count the calls in a `with` block, including those of tasks that it starts."""
    token = _current.set(meter)
    try:
        yield meter
    finally:
        _current.reset(token)
