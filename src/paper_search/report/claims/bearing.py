"""Whether a source supports a quantity: states it, or states what it follows from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from typing import Literal

from paper_search.report.claims.numbers import (
    CURRENCIES,
    LARGEST_COUNT,
    UNITS,
    YEAR,
    Quantity,
    quantities,
)
from paper_search.report.evidence import sentences

Bearing = Literal["stated", "derived", "absent"]
"""Whether a source states a quantity, or others from which it follows, or neither."""
_ABOUT, _CONVERTED, _FRACTION = 0.1, 0.02, 3.0
"""Tolerances: relative for "about" and for converted times, relative for other converted units, and
in percentage points for fractions in words."""
_FEW = 60


def bearing(quantity: Quantity, own: str, texts: Sequence[str]) -> Bearing:
    """Return whether the texts of sources support a quantity of a sentence.

    `own`: the sentence, whose other quantities may imply it.
    """
    digits = re.compile(rf"(?<!\d){re.escape(quantity.text)}(?!\d)") if not quantity.unit else None
    for text in texts:
        is_in_name = digits and digits.search(text)  # PM2.5
        if is_in_name or any(_agrees(quantity, other) for other in quantities(text)):
            return "stated"
    if YEAR.fullmatch(quantity.text) and not quantity.counts:
        return "absent"  # no sum of numbers is a year
    others = tuple(other for other in quantities(own) if other != quantity)
    counts = tuple(other for other in others if not other.unit and other.value <= LARGEST_COUNT)
    windows = [others]
    for text in texts:
        times = (*counts, *_rates((*others, *quantities(text))))
        windows += [times + window for window in _windows(text)]
    rounded = replace(quantity, step=max(quantity.step, _rounding(quantity.text)))
    is_derived = any(
        _agrees(rounded, other)
        for window in windows
        for other in _derived(window)
        if not quantity.counts or other.unit in {"", "x"}  # counts have no unit
    )
    return "derived" if is_derived else "absent"


def _rates(times: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield how often the period of a rate fits into other times: $180 a year, $15 a month."""
    for one, other in permutations(times, 2):
        if one.unit == other.unit == "s" and other.is_open:
            yield Quantity(one.value * one.factor / other.factor, "x")


def _rounding(text: str) -> float:
    """Return the rounding step of a whole number with at least two digits: 100 for 2,300."""
    digits = re.sub(r"[,\s]", "", text)
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** min(zeros, len(digits) - 2) if digits.isdigit() and len(digits) > 1 else 0.0


def _windows(text: str) -> Iterator[tuple[Quantity, ...]]:
    """Yield all quantities of a short text, or those of each two adjacent sentences."""
    if len(everything := quantities(text)) <= _FEW:
        yield everything
        return
    parts = [sentence.text for sentence in sentences(text)]
    yield from (quantities(f"{one} {other}") for one, other in pairwise([*parts, ""]))


def _derived(window: Sequence[Quantity]) -> Iterator[Quantity]:
    for one in window:
        yield from _restated(one)
    for one, other in combinations(window, 2):
        yield from _of_two(one, other)


def _of_two(one: Quantity, other: Quantity) -> Iterator[Quantity]:
    yield from (*_multiplied(one, other), *_multiplied(other, one))
    if one.unit != other.unit or one.unit in {"x", "p"}:
        return
    low, high = sorted((abs(one.value * one.factor), abs(other.value * other.factor)))
    unit, factor = one.unit, 1.0
    if YEAR.fullmatch(one.text) and YEAR.fullmatch(other.text):
        unit, factor = UNITS["year"]
        yield Quantity(high - low + 1, unit, factor)  # including both years
    counts = one.counts or other.counts
    yield Quantity(high - low, unit, factor, text=one.text, counts=counts)
    yield from (Quantity(value, one.unit) for value in (high + low, (high + low) / 2))
    ratios = [(low, high), (high, low)]
    if not one.unit:  # two groups
        ratios += [(low, low + high), (high, low + high)]
    if not one.unit and high < 1:  # points between two proportions
        yield Quantity(100 * (high - low), "%")
    if one.unit == "%" and high < 100:  # noqa: PLR2004  # ratio of the remainders
        yield Quantity((100 - low) / (100 - high), "x")
    for ratio in (Quantity(part / whole, "x") for part, whole in ratios if whole):
        yield from (ratio, Quantity(100 * ratio.value, "%"), *_restated(ratio))


def _multiplied(times: Quantity, each: Quantity) -> Iterator[Quantity]:
    """Yield the product, quotient and share of two quantities.

    Measured quantities are only multiplied by small counts: otherwise, any measurement would follow
    from some two numbers.
    """
    is_free = each.unit in {"", "s", *CURRENCIES} or times.unit == "x"
    if not times.value or not (is_free or times.value in range(2, LARGEST_COUNT + 1)):
        return
    if times.unit == "%" and is_free:
        yield replace(each, value=each.value * times.value / 100, text="")
    if times.unit in {"", "x"} and each.unit not in {"p", "x"}:
        yield replace(each, value=each.value * times.value, text="")
        if is_free:
            yield replace(each, value=each.value / times.value, text="")


def _restated(one: Quantity) -> Iterator[Quantity]:
    if one.unit == "%":
        share = one.value / 100
        yield replace(one, value=100 - one.value)
        yield from (Quantity(factor, "x") for factor in (1 + share, 1 - share))
    elif one.unit == "x" or (not one.unit and not one.counts):
        yield from (Quantity(100 * share, "%") for share in (1 - one.value, one.value - 1))
        yield Quantity(one.value, "x")
    if one.unit == "x" and one.value:
        yield Quantity(100 / one.value, "%")


def _agrees(one: Quantity, other: Quantity) -> bool:
    match one.unit, other.unit:
        case ("p", "p"):
            return _is_same_p(one, other)
        case ("p", _) | (_, "p"):
            return False
        case ("degree", "F"):
            values = [(other.value - 32) / 1.8, other.value / 1.8]
        case ("F", "degree"):
            values = [other.value * 1.8 + 32, other.value * 1.8]
        case ("%", "") if abs(other.value) < 1:
            values = [100 * other.value]
        case ("", "%") if abs(one.value) < 1:
            values = [other.value / 100]
        case ("", _) | ("%", "point") | ("point", "%"):
            values = [other.value]
        case (_, "") if not other.counts and other.text:  # "aged 18 to 65"
            values = [other.value]
        case (unit, other_unit):
            values = [other.value * other.factor / one.factor] if unit == other_unit else []
    is_converted = one.unit == other.unit and one.factor != other.factor
    return any(_is_near(one, abs(value), is_converted=is_converted) for value in values)


def _is_near(one: Quantity, value: float, *, is_converted: bool) -> bool:
    """Whether a quantity agrees with a value within its rounding and relation."""
    own = abs(one.value)
    if (one.relation == ">" and value >= own) or (one.relation == "<" and value <= own):
        return True
    room = one.step / 2 or (_FRACTION if one.unit == "%" else 0.0)
    if one.relation == "~" or one.unit == "x" or (is_converted and one.unit == "s"):
        room = max(room, _ABOUT * own)
    elif is_converted or one.unit in {"degree", "F"}:
        room = max(room, _CONVERTED * own)
    return abs(own - value) <= room + 1e-9 * own


def _is_same_p(one: Quantity, other: Quantity) -> bool:
    if one.relation == "<":
        is_below = other.value <= one.value if other.relation == "<" else other.value < one.value
        return is_below and other.relation != ">"
    if one.relation == ">":
        return other.value >= one.value and other.relation != "<"
    return other.relation == "=" and abs(one.value - other.value) <= one.step / 2 + 1e-12
