"""The intersection of a query's and its filters' years, for services with one range of years."""

from __future__ import annotations

from collections.abc import Iterable

from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import YearRange


def joined_span(
    years: Iterable[YearRange], filters: SearchConstraints
) -> tuple[int | None, int | None]:
    """Return the first and the last year that all of them allow; None is open.

    Raises:
        InputError: no year is left.
    """
    given = [YearRange(filters.year_from, filters.year_to), *years]
    first = max((each.first for each in given if each.first is not None), default=None)
    last = min((each.last for each in given if each.last is not None), default=None)
    if first is not None and last is not None and first > last:
        raise InputError(f"no year is both {first} or later and {last} or earlier: widen the years")
    return first, last
