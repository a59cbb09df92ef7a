"""The cost of models: spent, estimated and allowed."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from pydantic import BaseModel, Field, model_validator

from paper_search.models.source_report import quantity

_PART = re.compile(
    r"(?:(?P<sign>\$)\s*)?(?P<number>\d[\d,_]*(?:\.\d+)?|\.\d+)\s*(?P<factor>[km])?\s*"
    r"(?P<unit>\$|usd|dollars?|tokens?|calls?)?",
    re.IGNORECASE,
)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
_HOW = "give an amount of US dollars, tokens or calls, such as 0.50, 200k tokens or 40 calls"
_LEAST_SHOWN = 0.0001


class Budget(BaseModel, frozen=True):
    """What may be spent on models at most; None for no limit of that kind."""

    money: float | None = Field(default=None, ge=0)
    """US dollars."""
    tokens: int | None = Field(default=None, ge=0)
    """Of questions and answers together."""
    calls: int | None = Field(default=None, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _parse(cls, data: object) -> object:
        return _limits(data) if isinstance(data, str) else data

    def __str__(self) -> str:
        parts = [money_in_words(self.money)] if self.money is not None else []
        parts += [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        parts += [f"{self.calls:,} call{'s' * (self.calls != 1)}"] if self.calls is not None else []
        return ", ".join(parts) or "no limit"


class Spending(BaseModel):
    """Calls of models, and their cost."""

    calls: int = 0
    failed: int = 0
    """Calls without a usable answer."""
    input_tokens: int = 0
    output_tokens: int = 0
    money: float | None = 0.0
    """US dollars by the price table; None if a model has no price in it."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Spending") -> "Spending":
        is_priced = self.money is not None and other.money is not None
        return Spending(
            calls=self.calls + other.calls,
            failed=self.failed + other.failed,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            money=(self.money or 0.0) + (other.money or 0.0) if is_priced else None,
        )

    def __str__(self) -> str:
        calls = f"{self.calls:,} {'call' if self.calls == 1 else 'calls'}"
        failed = f" ({self.failed:,} failed)" if self.failed else ""
        return f"{calls}{failed}, {self.tokens:,} tokens, {money_in_words(self.money)}"


class StepSpending(Spending):
    """What one step spent in one iteration."""

    step: str
    iteration: int = 0

    def with_more(self, spent: Spending) -> "StepSpending":
        return StepSpending(
            step=self.step, iteration=self.iteration, **self.plus(spent).model_dump()
        )


class Tokens(NamedTuple):
    """Calls, with the tokens of all their questions and answers."""

    calls: int
    asked: int
    answered: int
    forms: int = 0
    """Part of `asked` that describes the form of the answer; not every server counts it."""


class SpendingEstimate(Spending):
    """The estimated cost of a round, before it is approved."""

    papers: int = 0
    """The most papers that a model will judge."""
    priced_at: str = ""
    """The date of the prices; empty if a model has no price."""
    is_by_rise: bool = Field(default=False, exclude_if=lambda is_by_rise: not is_by_rise)
    """Whether `papers` is the number that an update will find, by the rise in hits."""

    def in_words(self, iteration: int) -> str:
        """Return the estimate as text; the first round is iteration 0."""
        dated = f" (prices of {self.priced_at})" if self.priced_at else ""
        if self.is_by_rise:
            papers = f"{self.papers:,} new {'paper' if self.papers == 1 else 'papers'}"
            return f"about {self} for about {papers}, by the rise in hits{dated}"
        papers = (
            f" for up to {quantity(self.papers, 'paper')}, best ranked first" if self.papers else ""
        )
        reuse = "; judgements by the same criteria are reused"
        return f"about {self}{papers}{reuse if iteration and papers else ''}{dated}"


def money_in_words(dollars: float | None) -> str:
    """Return an amount of US dollars with two to four decimals."""
    if dollars is None:
        return "price unknown"
    if 0 < dollars < _LEAST_SHOWN:
        return f"under ${_LEAST_SHOWN}"
    amount = round(dollars, 4)
    cents = f"${amount:,.2f}"
    is_round = amount == 0 or amount >= 1
    return cents if is_round else max(f"${amount:.4f}".rstrip("0"), cents, key=len)


def total(parts: Iterable[Spending]) -> Spending:
    spent = Spending()
    for part in parts:
        spent = spent.plus(part)
    return spent


def _limits(text: str) -> dict[str, float | int]:
    """Return the limits in a text such as "0.50" or "$2, 40 calls"."""
    limits: dict[str, float | int] = {}
    for part in re.split(r"[;+]|,\s+|\band\b", text.strip()):
        match = _PART.fullmatch(part.strip())
        unit = (match["unit"] or "").lower().rstrip("s") if match else ""
        if match is None or (match["sign"] and unit in {"token", "call"}):
            raise ValueError(f"{text!r} is not a budget: {_HOW}")
        factor = _FACTORS[(match["factor"] or "").lower()]
        amount = factor * float(re.sub(r"[,_]", "", match["number"]))
        name = {"token": "tokens", "call": "calls"}.get(unit, "money")
        if name in limits:
            raise ValueError(f"{text!r} names {name} twice: {_HOW}")
        limits[name] = amount if name == "money" else int(amount)
    return limits
