"""What an error means for a report, and what is tried before going on with less."""

import pytest
from pydantic import BaseModel, ValidationError

from paper_search.errors import (
    InputError,
    LLMAuthError,
    LLMError,
    LLMFailure,
    LLMLengthError,
    LLMRateLimitError,
    LLMRefusalError,
    LLMResponseError,
    LLMTimeoutError,
    ModelCallLimitError,
    SearchSourceError,
)
from paper_search.report.recovery import (
    Amount,
    Attempt,
    ErrorCategory,
    ErrorSeverity,
    classified,
)

CATEGORY = ErrorCategory


def invalid() -> ValidationError:
    class Small(BaseModel):
        number: int

    with pytest.raises(ValidationError) as caught:
        Small.model_validate({"number": "many"})
    return caught.value


@pytest.mark.parametrize(
    ("error", "category", "is_recoverable", "severity"),
    [
        (LLMRateLimitError("slow"), CATEGORY.RATE_LIMIT, True, ErrorSeverity.RECOVERABLE),
        (LLMTimeoutError("late"), CATEGORY.TIMEOUT, True, ErrorSeverity.RECOVERABLE),
        (TimeoutError(), CATEGORY.TIMEOUT, True, ErrorSeverity.RECOVERABLE),
        (LLMLengthError("long"), CATEGORY.CONTEXT_OVERFLOW, True, ErrorSeverity.RECOVERABLE),
        (LLMResponseError("no JSON"), CATEGORY.PARSING, True, ErrorSeverity.RECOVERABLE),
        (LLMError("down"), CATEGORY.API_ERROR, True, ErrorSeverity.RECOVERABLE),
        (SearchSourceError("down"), CATEGORY.API_ERROR, True, ErrorSeverity.RECOVERABLE),
        (OSError("no route"), CATEGORY.API_ERROR, True, ErrorSeverity.RECOVERABLE),
        (LLMAuthError("no key"), CATEGORY.API_ERROR, False, ErrorSeverity.DEGRADED),
        (ModelCallLimitError("used up"), CATEGORY.API_ERROR, False, ErrorSeverity.DEGRADED),
        (InputError("blank"), CATEGORY.VALIDATION, False, ErrorSeverity.DEGRADED),
        (invalid(), CATEGORY.VALIDATION, False, ErrorSeverity.DEGRADED),
        (KeyError("x"), CATEGORY.INTERNAL, False, ErrorSeverity.FATAL),
    ],
    ids=lambda item: type(item).__name__ if isinstance(item, BaseException) else None,
)
def test_each_kind_of_error_has_its_category(error, category, is_recoverable, severity):
    known = classified(error, "writer")
    assert (known.category, known.recoverable, known.severity) == (
        category,
        is_recoverable,
        severity,
    )
    assert (known.max_retries > 0) == is_recoverable
    assert known.node == "writer"


def test_the_message_of_an_error_is_one_line_and_short():
    assert classified(LLMError("a\n  b\tc"), "n").message == "a b c"
    assert len(classified(LLMError("x" * 10_000), "n").message) == 500
    assert classified(TimeoutError(), "n").message == "TimeoutError"


def test_an_error_says_what_was_done_instead():
    known = classified(LLMError("down"), "analyst")
    assert str(known) == "analyst: api_error (recoverable): down"
    done = known.model_copy(update={"fallback_action": "went on without"})
    assert str(done).endswith("down; went on without")


class Model:
    """Fails as it is told to, then answers; keeps what it was shown and how long was waited."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.shown: list[Amount] = []
        self.waits: list[float] = []

    async def answer(self, amount: Amount) -> str:
        self.shown.append(amount)
        if self.errors:
            raise self.errors.pop(0)
        return "by model"

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


async def without() -> str:
    return "by algorithm"


def attempt(model: Model, amount: Amount | None = None) -> Attempt[str]:
    return Attempt("writer", model.answer, without, amount or Amount(40, 1200), model.sleep)


@pytest.mark.parametrize(
    ("make", "retries", "waits"),
    [
        (LLMRateLimitError, 3, [10.0, 20.0, 40.0]),
        (LLMTimeoutError, 2, []),
        (LLMError, 3, [1.0, 2.0, 4.0]),
    ],
)
async def test_what_passes_is_tried_again_so_often_and_no_more(make, retries, waits):
    lucky = Model(*[make("wait")] * retries)
    trial = attempt(lucky)
    assert await trial.result() == "by model"
    assert trial.errors == []
    assert lucky.waits == waits

    unlucky = Model(*[make("wait")] * (retries + 1))
    trial = attempt(unlucky)
    assert await trial.result() == "by algorithm"
    assert len(unlucky.shown) == retries + 1
    (error,) = trial.errors
    assert (error.retry_count, error.severity) == (retries, ErrorSeverity.DEGRADED)
    assert error.fallback_action == "continued without a language model"


@pytest.mark.parametrize(
    "error",
    [
        LLMAuthError("no key"),
        ModelCallLimitError("used up"),
        LLMResponseError("no JSON"),
        LLMRefusalError("no"),
    ],
    ids=lambda item: type(item).__name__,
)
async def test_what_does_not_pass_is_not_tried_again(error):
    model = Model(error)
    trial = attempt(model)
    assert await trial.result() == "by algorithm"
    assert len(model.shown) == 1
    assert model.waits == []
    assert len(trial.errors) == 1


async def test_a_question_that_is_too_long_is_asked_with_less_each_time_then_done_without():
    model = Model(*[LLMLengthError("long")] * 4)
    trial = attempt(model)
    assert await trial.result() == "by algorithm"
    assert model.shown == [Amount(40, 1200), Amount(10, 1200), Amount(10, 500), Amount(5, 250)]
    assert trial.notes == [
        "Context overflow: reduced to top 10 results",
        "Context overflow: reduced to top 10 results of at most 500 characters",
        "Context overflow: reduced to top 5 results of at most 250 characters",
    ]
    assert [error.category for error in trial.errors] == [CATEGORY.CONTEXT_OVERFLOW]


async def test_an_answer_that_is_cut_off_is_called_so_and_less_is_never_more():
    model = Model(*[LLMLengthError("cut", reason=LLMFailure.ANSWER_TOO_LONG)] * 2)
    trial = attempt(model, Amount(3, 100))
    assert await trial.result() == "by model"
    assert model.shown == [Amount(3, 100)] * 3
    assert trial.notes[0] == "The model's answer was cut off: reduced to top 10 results"


async def test_what_is_no_error_of_a_model_is_not_hidden():
    with pytest.raises(KeyError):
        await attempt(Model(KeyError("a bug"))).result()


async def test_an_error_of_the_other_way_stands():
    async def fails() -> str:
        raise InputError("nothing to write about")

    model = Model(LLMAuthError("no key"))
    trial = Attempt("writer", model.answer, fails, Amount(1, 1), model.sleep)
    with pytest.raises(InputError, match="nothing to write"):
        await trial.result()
