"""Partial edits of a strategy, and one-line summaries of differences."""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from paper_search.models import SearchConstraints, SearchStrategy
from paper_search.models.source_report import quantity
from paper_search.query import Node, Not, Phrase, Term
from paper_search.query.ast import parts
from paper_search.skills.strategy.terms import runs
from paper_search.skills.strategy.trees import tree_of
from paper_search.skills.words import tokens

_Stems: TypeAlias = tuple[str, ...]

_SHOWN = 5
"""Terms that are listed; further ones are counted."""


class _Wish(NamedTuple):
    """A term, with the prefix "NOT " or "less " if it is unwanted."""

    written: str
    unwanted: str = ""

    @property
    def label(self) -> str:
        return self.unwanted + self.written


def complete_edit(revised: Any, proposed: SearchStrategy) -> Any:
    """Complete a partial edit with the proposed strategy; return a whole strategy unchanged.

    An edit is whole if it has every key that JSON always has, since empty fields may be omitted.
    """
    if not isinstance(revised, dict):
        return revised
    before, limits = proposed.model_dump(mode="json"), revised.get("filters")
    if isinstance(limits, dict) and not SearchConstraints().model_dump().keys() <= limits.keys():
        revised = {**revised, "filters": before["filters"] | limits}
    if {"queries", "sources", "filters"} <= revised.keys():
        return revised
    return before | revised


def changes(before: SearchStrategy, after: SearchStrategy) -> str:
    """Summarize a change, such as `+ eventcounts, + NOT exclusion; - compiler`; empty if none."""
    old, new = _wishes(before), _wishes(after)
    more: list[str] = []
    less: list[str] = []
    for stems, wish in (old | new).items():
        is_now = _sign(stems, new)
        if is_now == _sign(stems, old):
            continue
        if is_now:
            more.append(wish.written if is_now > 0 else wish.label)
        else:
            less.append(wish.label)
    parts = (
        _list_names("+", more),
        _list_names("-", less),
        *_of_limits(before.filters, after.filters),
        _of_sources(before.sources, after.sources),
        *(
            f"own string of {name}"
            for name in sorted(dict(before.native.items() ^ after.native.items()))
        ),
    )
    return "; ".join(filter(None, parts))


def _sign(stems: _Stems, wishes: dict[_Stems, _Wish]) -> int:
    """Return 1 for a term of which all words are wanted, -1 for an unwanted one, else 0."""
    if stems in wishes:
        return -1 if wishes[stems].unwanted else 1
    wanted_stems = {stem for other, wish in wishes.items() if not wish.unwanted for stem in other}
    return int(wanted_stems.issuperset(stems))


def _wishes(strategy: SearchStrategy) -> dict[_Stems, _Wish]:
    wishes: dict[_Stems, _Wish] = {}
    for wish in _every_wish(strategy):
        if stems := tuple(tokens(wish.written)):
            wishes.setdefault(stems, wish)
    return wishes


def _every_wish(strategy: SearchStrategy) -> Iterator[_Wish]:
    for ranked in strategy.ranked:
        yield from (_Wish(word.written) for run in runs(ranked.text) for word in run)
    for ranked in strategy.ranked:
        heavy = sorted(ranked.terms.items(), key=lambda item: -abs(item[1]))
        yield from (_Wish(word, "" if weight > 0 else "less ") for word, weight in heavy)
    for text in [
        *strategy.filters.conditions,
        *(query.boolean_query for query in strategy.queries),
    ]:
        if (tree := tree_of(text)) is not None:
            yield from _leaves(tree, is_wanted=True)


def _leaves(node: Node, *, is_wanted: bool) -> Iterator[_Wish]:
    if isinstance(node, Term | Phrase):
        text = node.text if isinstance(node, Term) else " ".join(node.words)
        yield _Wish(text, "" if is_wanted else "NOT ")
    for part in parts(node):
        yield from _leaves(part, is_wanted=is_wanted != isinstance(node, Not))


def _list_names(sign: str, names: list[str]) -> str:
    terms = ", ".join(f"{sign} {name}" for name in names[:_SHOWN])
    rest = len(names) - _SHOWN
    return f"{terms} and {rest} more" if rest > 0 else terms


def _of_limits(before: SearchConstraints, after: SearchConstraints) -> Iterator[str]:
    for absence, words in after.by_absence.items():
        if words != before.by_absence[absence]:
            yield words or absence
    if after.max_results != before.max_results:
        yield f"at most {quantity(after.max_results, 'record')} a query"


def _of_sources(before: list[str], after: list[str]) -> str:
    additions = [f"+ source {name}" for name in after if name not in before]
    removals = [f"- source {name}" for name in before if name not in after]
    return ", ".join([*additions, *removals])
