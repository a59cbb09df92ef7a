"""How many relevant papers are left, and when to stop."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.skills.screening import stopping_estimate
from paper_search.skills.screening.stopping_estimate import _chance


@given(st.integers(1, 60), st.data())
@examples(150)
def test_the_chance_is_that_of_the_hypergeometric_distribution(
    urn: int, data: st.DataObject
) -> None:
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


def test_before_the_first_paper_anything_may_be_left() -> None:
    told = stopping_estimate([], 10)
    assert (told.expected, told.at_most, told.is_enough) == (10, 10, False)


def test_a_long_dry_stretch_makes_stopping_reasonable() -> None:
    early = [True] * 20
    assert not stopping_estimate([*early, *[False] * 20], 460).is_enough
    told = stopping_estimate([*early, *[False] * 440], 40)
    assert told.is_enough
    assert told.at_most <= 1
    assert told.advice == (
        "460 of 500 screened, 20 relevant. Probably none is left, but up to 1 may be. "
        "You can stop: at least 95% are found."
    )


def test_steady_finds_promise_more() -> None:
    told = stopping_estimate([True, False] * 50, 100)
    assert told.expected >= 40
    assert told.advice.endswith("Keep screening.")


def test_papers_known_before_count_as_found_but_not_as_drawn() -> None:
    told = stopping_estimate([False] * 90, 10, found_before=5)
    assert told.found == 5
    assert told.screened == 90


def test_when_all_are_screened_it_is_enough() -> None:
    told = stopping_estimate([True, False], 0)
    assert told.is_enough
    assert (told.expected, told.at_most) == (0, 0)


def test_nothing_found_is_never_enough() -> None:
    assert not stopping_estimate([False] * 50, 50).is_enough


def test_of_random_orders_the_bound_holds_as_often_as_it_says_or_nearly() -> None:
    chance = random.Random(5)  # noqa: S311  # a simulation
    held = 0
    for _ in range(300):
        labels = [True] * 30 + [False] * 270
        chance.shuffle(labels)
        told = stopping_estimate(labels[:150], 150)
        held += sum(labels[150:]) <= told.at_most
    # The best of many stretches decides, so a purely random order is covered a little less.
    assert held >= 0.8 * 300


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 200))
@examples(100)
def test_what_is_expected_is_within_the_bound_and_the_unseen(
    screened: list[bool], unseen: int
) -> None:
    told = stopping_estimate(screened, unseen)
    assert 0 <= told.expected <= told.at_most <= unseen


def test_finds_that_thin_out_promise_as_many_as_their_rate_leaves() -> None:
    # Of 64 relevant papers, each block of 20 holds half of those that are left.
    screened = [n < find for find in (16, 8, 4, 2) for n in range(20)]
    assert 1 <= stopping_estimate(screened, 400).expected <= 4
    assert (
        stopping_estimate([False] * 10, 30).expected == stopping_estimate([False] * 10, 30).at_most
    )
