"""What models cost, as people read it."""

import re

import pytest
from pydantic import ValidationError

from paper_search.models.usage import (
    Budget,
    Spending,
    SpendingEstimate,
    StepSpending,
    money_in_words,
    total,
)


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (None, "price unknown"),
        (0, "$0.00"),
        (0.00005, "under $0.0001"),
        (0.0183, "$0.0183"),
        (0.5, "$0.50"),
        (0.99999, "$1.00"),
        (1234.5, "$1,234.50"),
    ],
)
def test_money_has_cents_and_as_many_decimals_as_it_needs(dollars, shown):
    assert money_in_words(dollars) == shown


def test_spendings_add_up_to_an_unknown_price_where_one_is_unknown():
    one = Spending(calls=1, failed=1, input_tokens=900, output_tokens=100, money=0.5)
    both = one.plus(Spending(calls=1, input_tokens=5, output_tokens=6, money=0.25))
    assert both == Spending(calls=2, failed=1, input_tokens=905, output_tokens=106, money=0.75)
    assert str(both) == "2 calls (1 failed), 1,011 tokens, $0.75"
    assert str(Spending(calls=1)) == "1 call, 0 tokens, $0.00"
    step = StepSpending(step="judge", iteration=2, calls=3).with_more(Spending(money=None))
    assert step == StepSpending(step="judge", iteration=2, calls=3, money=None)
    assert total([step, one]).money is None


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("0.50", {"money": 0.5}),
        ("$ 1,200 and 1.5M tokens; 40 calls", {"money": 1200, "tokens": 1_500_000, "calls": 40}),
        ("2 USD, 1 token + .5k calls", {"money": 2, "tokens": 1, "calls": 500}),
        ("2$", {"money": 2}),
        ("$.05, 200k tokens", {"money": 0.05, "tokens": 200_000}),
    ],
)
def test_a_budget_is_read_as_it_is_written(text, limits):
    assert Budget.model_validate(text) == Budget(**limits)


def test_a_budget_says_its_limits_and_refuses_what_is_none():
    assert str(Budget(money=0, tokens=1200, calls=1000)) == "$0.00, 1,200 tokens, 1,000 calls"
    assert str(Budget()) == "no limit"
    for text, words in {
        "$5 tokens": "'$5 tokens' is not a budget: give an amount",
        **{
            text: f"{text!r} is not a budget: give an"
            for text in ("", "much", "-1", "3 apples", "k")
        },
        "2 calls, 3 calls": "'2 calls, 3 calls' names calls twice: give an amount",
    }.items():
        with pytest.raises(ValidationError, match=re.escape(words)):
            Budget.model_validate(text)


def test_an_estimate_says_from_the_second_round_on_that_nothing_is_judged_twice():
    estimate = SpendingEstimate(calls=101, input_tokens=900, papers=100, priced_at="2026-11-01")
    once = "judgements by the same criteria are reused"
    assert estimate.in_words(0).startswith("about 101 calls")
    assert "for up to 100 papers, best ranked first (prices of 2026-11-01)" in estimate.in_words(0)
    assert once not in estimate.in_words(0)
    assert once in estimate.in_words(1)
    assert once not in SpendingEstimate(calls=1).in_words(1)
