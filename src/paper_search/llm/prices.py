"""What models cost: a table with a date, which a file of one's own can correct."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, Field, ValidationError

from paper_search.errors import ConfigError
from paper_search.models.usage import Spending, SpendingEstimate, Tokens

_VERSION = re.compile(r"-(?:latest|\d[\d-]*)$")
"""What providers add to the name of a model for one day's version of it."""
_MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return what so many tokens cost, in US dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


class PriceTable(BaseModel):
    """Prices by `provider:model`."""

    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """When they were looked up."""
    models: dict[str, Price]

    def of(self, name: str) -> Price | None:
        """Return the price of a model, by its name or that of its family; None: not known.

        `gpt-4o-mini-2024-07-18` and `mistral-small-latest` cost what `gpt-4o-mini` and
        `mistral-small` do, unless the table has them.
        """
        exact = self.models.get(name)
        return exact if exact is not None else self.models.get(_VERSION.sub("", name))

    def estimate(self, calls: Iterable[tuple[str, Tokens]]) -> SpendingEstimate:
        """Return what calls of models, given with their names, cost together."""
        spent = Spending()
        for model, (count, asked, answered) in calls:
            price = self.of(model)
            money = price.of(asked, answered) if price else None
            spent = spent.plus(
                Spending(calls=count, input_tokens=asked, output_tokens=answered, money=money)
            )
        dated = "" if spent.money is None else self.date
        return SpendingEstimate(**spent.model_dump(), priced_at=dated)


@functools.cache
def _shipped() -> PriceTable:
    return PriceTable.model_validate_json((files(__package__) / "prices.json").read_bytes())


def load_prices(own: Path | None = None) -> PriceTable:
    """Return the prices that ship, corrected by a file of one's own, whose date then counts.

    Raises:
        ConfigError: the file cannot be read, or is no table of prices.
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
        fields = "; ".join(
            f"{'.'.join(map(str, each['loc'])) or 'file'}: {each['msg']}"
            for each in error.errors(include_input=False)
        )
        raise ConfigError(
            f"LLM_PRICES: {str(own)!r} is no table of prices ({fields}); write "
            '{"date": "2026-01-31", "models": {"openai:gpt-4o-mini": [0.15, 0.6]}}, '
            "in US dollars per million tokens of questions and answers"
        ) from None
    return PriceTable(date=table.date, models={**shipped.models, **table.models})
