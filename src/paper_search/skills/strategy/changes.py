"""What an edit changes of a strategy, and in one line how it differs from the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from paper_search.errors import QuerySyntaxError
from paper_search.models import SearchConstraints, SearchStrategy
from paper_search.query import Node, Not, Phrase, Term, parse
from paper_search.query.normal_form import parts
from paper_search.skills.strategy.terms import runs
from paper_search.skills.words import tokens

_Stems: TypeAlias = tuple[str, ...]

_SHOWN = 5
"""Terms that are named; further ones are counted."""


class _Wish(NamedTuple):
    """A term with whether it is wanted."""

    written: str
    is_wanted: bool


def completed(revised: Any, proposed: SearchStrategy) -> Any:
    """Return an edit in parts with the rest as it was proposed; one of a whole strategy as it is.

    Whole is what has all that JSON always has of a strategy, and of its limits: what is empty
    there is left out of JSON, and stays empty.
    """
    if not isinstance(revised, dict):
        return revised
    before, limits = proposed.model_dump(mode="json"), revised.get("filters")
    if isinstance(limits, dict) and not SearchConstraints().model_dump().keys() <= limits.keys():
        revised = {**revised, "filters": before["filters"] | limits}
    if {"queries", "sources", "filters"} <= revised.keys():
        return revised
    names = {"queries", "ranked", "sources", "filters", "works"} & before.keys()
    return {name: before[name] for name in names} | revised


def changes(before: SearchStrategy, after: SearchStrategy) -> str:
    """Return what changed between two strategies: `+ eventcounts, + exclusion; - compiler`.

    A plus is a term that is wanted now or no longer unwanted, a minus one that is no longer wanted
    or unwanted now. Years and sources follow where they differ. Empty: nothing of all this.
    """
    old, new = _wishes(before), _wishes(after)
    more: list[str] = []
    less: list[str] = []
    for stems, name in (_names(new) | _names(old)).items():
        change = _sign(stems, new) - _sign(stems, old)
        if change:
            (more if change > 0 else less).append(name)
    return "; ".join(
        part
        for part in (
            _list_names("+", more),
            _list_names("-", less),
            _of_years(before.filters, after.filters),
            _of_names("source", before.sources, after.sources),
        )
        if part
    )


def _names(wishes: dict[_Stems, _Wish]) -> dict[_Stems, str]:
    return {stems: wish.written for stems, wish in wishes.items()}


def _sign(stems: _Stems, wishes: dict[_Stems, _Wish]) -> int:
    """Return 1 for a term that is wanted, -1 for one that is unwanted, else 0.

    A phrase of which every word is wanted is wanted: that is another form, no other wish.
    """
    if stems in wishes:
        return 1 if wishes[stems].is_wanted else -1
    wanted_stems = {stem for other, wish in wishes.items() if wish.is_wanted for stem in other}
    return int(wanted_stems.issuperset(stems))


def _wishes(strategy: SearchStrategy) -> dict[_Stems, _Wish]:
    wishes: dict[_Stems, _Wish] = {}
    for name, is_wanted in _named(strategy):
        stems = tuple(tokens(name))
        if stems:
            wishes.setdefault(stems, _Wish(name, is_wanted))
    return wishes


def _named(strategy: SearchStrategy) -> Iterator[tuple[str, bool]]:
    for ranked in strategy.ranked:
        yield from ((word.written, True) for run in runs(ranked.text) for word in run)
    for ranked in strategy.ranked:
        heavy = sorted(ranked.terms.items(), key=lambda item: -abs(item[1]))
        yield from ((word, weight > 0) for word, weight in heavy)
    for text in [
        *strategy.filters.every_condition,
        *(query.boolean_query for query in strategy.queries),
    ]:
        yield from _leaves_of(text)


def _leaves_of(text: str) -> Iterator[tuple[str, bool]]:
    try:
        tree = parse(text) if text else None
    except QuerySyntaxError:
        return
    if tree is not None:
        yield from _leaves(tree, is_wanted=True)


def _leaves(node: Node, *, is_wanted: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(node, Term | Phrase):
        yield node.text if isinstance(node, Term) else " ".join(node.words), is_wanted
    for part in parts(node):
        yield from _leaves(part, is_wanted=is_wanted != isinstance(node, Not))


def _list_names(sign: str, names: list[str]) -> str:
    terms = ", ".join(f"{sign} {name}" for name in names[:_SHOWN])
    rest = len(names) - _SHOWN
    return f"{terms} and {rest} more" if rest > 0 else terms


def _of_years(before: SearchConstraints, after: SearchConstraints) -> str:
    if (before.year_from, before.year_to) == (after.year_from, after.year_to):
        return ""
    if after.year_from is None and after.year_to is None:
        return "any year"
    if after.year_from == after.year_to:
        return f"year {after.year_from}"
    return f"years {after.year_from or ''}-{after.year_to or ''}"


def _of_names(kind: str, before: Iterable[str], after: Iterable[str]) -> str:
    old, new = list(before), list(after)
    additions = [f"+ {kind} {name}" for name in new if name not in old]
    removals = [f"- {kind} {name}" for name in old if name not in new]
    return ", ".join([*additions, *removals])
