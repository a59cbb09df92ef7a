"""A bound on the relevant papers that are left, and when to stop."""

import math
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.skills.screening import stopping_estimate
from paper_search.skills.screening.stopping_estimate import _chance


@given(st.integers(1, 60), st.data())
@examples(150)
def test_the_chance_is_that_of_the_hypergeometric_distribution(urn, data):
    drawn = data.draw(st.integers(0, urn))
    relevant = data.draw(st.integers(0, urn))
    least, most = max(0, drawn - (urn - relevant)), min(drawn, relevant)
    found = data.draw(st.integers(least, most))
    ways = sum(
        math.comb(relevant, k) * math.comb(urn - relevant, drawn - k)
        for k in range(least, found + 1)
    )
    expected = ways / math.comb(urn, drawn)
    assert _chance(urn, drawn, found, left=relevant - found) == pytest.approx(expected, abs=1e-9)


STOP = "Between 0 and 1 more (95% confidence). You can stop: at least 95% are found."


@pytest.mark.parametrize(
    ("screened", "unseen", "is_enough", "advice"),
    [
        ([], 10, False, "0 of 10 screened, 0 relevant."),
        ([True] * 2, 8, False, "2 of 10 screened, 2 relevant."),  # nothing is ruled out
        ([True, False] * 50, 100, False,
         r"100 of 200 screened, 50 relevant. Between 0 and \d+ more (95% confidence)."),
        ([True] * 20 + [False] * 20, 460, False, "40 of 500 screened, 20 relevant. Between .*"),
        ([True] * 20 + [False] * 440, 40, True,
         f"460 of 500 screened, 20 relevant. {STOP}"),
        ([False] * 50, 50, False, "50 of 100 screened, 0 relevant. Between .*"),
        ([True, False], 0, True, "2 of 2 screened, 1 relevant. Nothing is left to screen."),
    ],
)  # fmt: skip
def test_stopping_is_reasonable_where_the_bound_says_so(screened, unseen, is_enough, advice):
    estimate = stopping_estimate(screened, unseen)
    assert estimate.is_enough is is_enough
    assert re.fullmatch(advice.replace("(", r"\(").replace(")", r"\)"), estimate.advice)


def test_papers_known_before_count_as_relevant_but_not_as_drawn():
    estimate = stopping_estimate([False] * 90, 10, known_relevant=5)
    assert (estimate.relevant, estimate.screened) == (5, 90)


def test_of_random_orders_the_bound_holds_as_often_as_it_says():
    chance = random.Random(5)  # noqa: S311  # a simulation
    held = 0
    for _ in range(300):
        labels = [True] * 30 + [False] * 270
        chance.shuffle(labels)
        held += sum(labels[150:]) <= stopping_estimate(labels[:150], 150).at_most
    # Many stretches are tried: at 5 % each, the bound would hold in 260.
    assert held >= 0.9 * 300


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 200))
@examples(100)
def test_the_bound_is_no_more_than_the_unseen(screened, unseen):
    assert 0 <= stopping_estimate(screened, unseen).at_most <= unseen
