"""Errors of a report: classification, retries and fallbacks."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from paper_search.errors import (
    InputError,
    LLMError,
    LLMFailure,
    LLMLengthError,
    LLMRateLimitError,
    LLMResponseError,
    LLMTimeoutError,
    PaperSearchError,
    SearchSourceError,
)

Sleep = Callable[[float], Awaitable[None]]
ResultT = TypeVar("ResultT")

REDUCTIONS: tuple[tuple[int, int | None], ...] = ((10, None), (10, 500), (5, 250))
"""Sources and characters to show after each overflow of a model's context."""
_LONGEST_MESSAGE = 500


class ErrorSeverity(str, Enum):
    RECOVERABLE = "recoverable"
    """It can be retried or ignored."""
    DEGRADED = "degraded"
    """The report continues with lower quality."""
    FATAL = "fatal"
    """The report cannot continue."""


class ErrorCategory(str, Enum):
    API_ERROR = "api_error"
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    VALIDATION = "validation"
    PARSING = "parsing"
    CONTEXT_OVERFLOW = "context"
    INTERNAL = "internal"


WAITS_S = {
    ErrorCategory.RATE_LIMIT: (10.0, 20.0, 40.0),
    ErrorCategory.TIMEOUT: (0.0, 0.0),
    ErrorCategory.API_ERROR: (1.0, 2.0, 4.0),
    ErrorCategory.CONTEXT_OVERFLOW: (0.0,) * len(REDUCTIONS),
}
"""Waits before each retry; other errors are not retried."""


class WorkflowError(BaseModel):
    category: ErrorCategory
    severity: ErrorSeverity
    message: str
    node: str
    recoverable: bool
    retry_count: int = 0
    max_retries: int = 3
    fallback_action: str | None = None

    def with_fallback(
        self, action: str, severity: ErrorSeverity = ErrorSeverity.DEGRADED, retry_count: int = 0
    ) -> "WorkflowError":
        changes = {"fallback_action": action, "severity": severity, "retry_count": retry_count}
        return self.model_copy(update=changes)

    def __str__(self) -> str:
        then = f"; {self.fallback_action}" if self.fallback_action else ""
        return f"{self.node}: {self.category.value} ({self.severity.value}): {self.message}{then}"


def classified(error: BaseException, node: str) -> WorkflowError:
    category = next((name for kind, name in _CATEGORIES if isinstance(error, kind)), _OTHER)
    never = category in {ErrorCategory.INTERNAL, ErrorCategory.VALIDATION} or (
        isinstance(error, LLMError) and error.reason.is_lasting
    )
    is_ours = isinstance(error, (PaperSearchError, ValidationError))
    severity = ErrorSeverity.DEGRADED if is_ours else ErrorSeverity.FATAL
    return WorkflowError(
        category=category,
        severity=severity if never else ErrorSeverity.RECOVERABLE,
        message=" ".join(str(error).split())[:_LONGEST_MESSAGE] or type(error).__name__,
        node=node,
        recoverable=not never,
        max_retries=0 if never else len(WAITS_S.get(category, WAITS_S[ErrorCategory.API_ERROR])),
    )


_CATEGORIES: tuple[tuple[tuple[type[BaseException], ...], ErrorCategory], ...] = (
    ((LLMRateLimitError,), ErrorCategory.RATE_LIMIT),
    ((LLMLengthError,), ErrorCategory.CONTEXT_OVERFLOW),
    ((LLMTimeoutError, TimeoutError), ErrorCategory.TIMEOUT),
    ((LLMResponseError,), ErrorCategory.PARSING),
    ((ValidationError, InputError), ErrorCategory.VALIDATION),
    ((LLMError, SearchSourceError, OSError), ErrorCategory.API_ERROR),
)
"""The first that fits counts."""
_OTHER = ErrorCategory.INTERNAL


@dataclass(frozen=True)
class Amount:
    sources: int
    chars: int


@dataclass
class Attempt(Generic[ResultT]):
    """Asks a model with retries, then falls back to `without`, which needs no model."""

    node: str
    by_model: Callable[[Amount], Awaitable[ResultT]]
    without: Callable[[], Awaitable[ResultT]]
    amount: Amount
    sleep: Sleep
    errors: list[WorkflowError] = field(default_factory=list)
    """Errors that led to the fallback."""
    notes: list[str] = field(default_factory=list)

    async def result(self) -> ResultT:
        counts: dict[ErrorCategory, int] = {}
        while True:
            try:
                return await self.by_model(self.amount)
            except LLMError as error:
                failure = classified(error, self.node)
                is_cut_off = error.reason is LLMFailure.ANSWER_TOO_LONG
            retries = counts.get(failure.category, 0)
            counts[failure.category] = retries + 1
            waits = WAITS_S.get(failure.category, ()) if failure.recoverable else ()
            if retries >= len(waits):
                action = "continued without a language model"
                self.errors.append(failure.with_fallback(action, retry_count=retries))
                return await self.without()
            if waits[retries]:
                await self.sleep(waits[retries])
            if failure.category is ErrorCategory.CONTEXT_OVERFLOW:
                self._show_less(retries, is_cut_off=is_cut_off)

    def _show_less(self, retries: int, *, is_cut_off: bool) -> None:
        """Show the model less in the next attempt, which also shortens its answer."""
        sources, chars = REDUCTIONS[retries]
        self.amount = Amount(
            min(sources, self.amount.sources), min(chars or self.amount.chars, self.amount.chars)
        )
        limit = f" of at most {chars} characters" if chars else ""
        what = "The model's answer was cut off" if is_cut_off else "Context overflow"
        self.notes.append(f"{what}: reduced to top {sources} results{limit}")
