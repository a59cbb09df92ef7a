"""A strategy as a form that a person edits: TOML, with the fields of `SearchStrategy`."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import visible
from paper_search.errors import InvalidDecisionError
from paper_search.models import SearchConstraints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paper_search.models import Criterion, RankedQuery, SearchQuery, SearchStrategy

HEADER = """\
# The search strategy. Change it, save, and close the editor to search with it.
# An empty or unchanged form changes nothing and takes you back to the question.
"""

OPTIONAL = {
    "year_from": "2015",
    "year_to": "2025",
    "language": '"en"',
    "publication_types": '["article-journal", "paper-conference"]',
    "excluded_types": '["review"]',
    "conditions": '["NOT bees"]',
}


CRITERIA = """\
# What the model judges papers by: 2 to 6 criteria, "inclusion" or "exclusion", weight 1 to 3."""


def write_form(
    strategy: SearchStrategy,
    available: list[str],
    criteria: Sequence[Criterion] = (),
) -> str:
    """Return the form of a strategy.

    Args:
        strategy: what it holds.
        available: sources that may be named; empty: not known.
        criteria: what papers are judged by; none: no model judges.
    """
    sources_hint = f"  # known: {visible(', '.join(available))}" if available else ""
    lines = [HEADER, f"sources = {_toml(strategy.sources)}{sources_hint}", "", "[filters]"]
    for name in type(strategy.filters).model_fields:
        value = getattr(strategy.filters, name)
        is_open = value is None or value == []
        lines.append(f"# {name} = {OPTIONAL[name]}" if is_open else f"{name} = {_toml(value)}")
    if criteria:
        lines += ["", CRITERIA, *(line for criterion in criteria for line in _criterion(criterion))]
    for ranked in strategy.ranked:
        lines += ["", *_ranked(ranked)]
    for query in strategy.queries:
        lines += ["", *_query(query)]
    return "\n".join(lines) + "\n"


def read_form(form: str) -> Any:
    """Return the strategy in a form as plain data, unchecked; None if the form is empty.

    Raises:
        InvalidDecisionError: it is not TOML; says in which line.
    """
    try:
        fields = tomllib.loads(form)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidDecisionError(f"the form cannot be read: {error}") from None
    if not fields:
        return None
    # TOML has no way to write an empty list of tables, or nothing in the place of a limit.
    limits = {**SearchConstraints().model_dump(), **fields.get("filters", {})}
    return {"queries": [], **fields, "filters": limits}


def with_problem(form: str, problem: str) -> str:
    """Return the form with what is wrong with it on top, in place of earlier messages."""
    lines = [line for line in form.splitlines() if not line.startswith(_PROBLEM)]
    return "\n".join([f"{_PROBLEM}{visible(problem)}", *lines]) + "\n"


_PROBLEM = "#! "


def _criterion(criterion: Criterion) -> list[str]:
    return [
        "[[criteria]]",
        *(f"{name} = {_toml(value)}" for name, value in criterion.model_dump(mode="json").items()),
    ]


def _ranked(query: RankedQuery) -> list[str]:
    terms = ", ".join(f"{_toml(term)} = {weight}" for term, weight in query.terms.items())
    return [
        "[[ranked]]",
        f"text = {_toml(query.text)}",
        f"terms = {{ {terms} }}" if terms else '# terms = { "another word" = 0.5 }',
    ]


def _query(query: SearchQuery) -> list[str]:
    synonyms = [
        f"    {{ keyword = {_toml(entry.keyword)}, synonyms = {_toml(entry.synonyms)} }},"
        for entry in query.synonym_map
    ]
    table = ["synonym_map = [", *synonyms, "]"] if synonyms else []
    return [
        "[[queries]]",
        f"boolean_query = {_toml(query.boolean_query)}",
        f"keywords = {_toml(query.keywords)}",
        *table,
    ]


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
