"""Domains are finite, frozen and can be gone through."""

from __future__ import annotations

import dataclasses
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paper_search.steps import BoundedInt, ChoiceSet, Constant


def test_each_domain_gives_its_values_in_order():
    assert list(BoundedInt(1, 5)) == [1, 2, 3, 4, 5]
    assert list(ChoiceSet(("full", "quick"))) == ["full", "quick"]
    assert list(Constant(42)) == [42]
    assert len(list(product(BoundedInt(1, 2), ChoiceSet((True, False)), Constant("c")))) == 4


@settings(max_examples=30)
@given(st.integers(-50, 50), st.integers(0, 20))
def test_a_bounded_int_has_both_its_bounds(lo: int, span: int):
    values = list(BoundedInt(lo, lo + span))
    assert (values[0], values[-1], len(values)) == (lo, lo + span, span + 1)


@pytest.mark.parametrize("domain", [BoundedInt(1, 2), ChoiceSet(["a"]), Constant(None)])
def test_domains_are_frozen_hashable_and_can_be_gone_through_twice(domain):
    assert len({domain, dataclasses.replace(domain)}) == 1
    assert list(domain) == list(domain)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(domain, dataclasses.fields(domain)[0].name, 0)


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ValueError, match="at least 2 and at most 1"):
        BoundedInt(2, 1)
