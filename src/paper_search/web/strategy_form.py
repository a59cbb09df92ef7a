"""A strategy as a form of the page: concepts as groups of terms, queries, sources, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paper_search.errors import QuerySyntaxError
from paper_search.models import Criterion, SearchStrategy
from paper_search.query import OPERATORS, And, Node, Or, alternatives, parse, render

NUMBERS = ("year_from", "year_to", "max_results")
_SYNTAX = frozenset('"()[]:*?$')


def term_groups(boolean_query: str) -> list[list[list[str]]]:
    """Return a query as alternatives, each of groups of terms: one of each group has to be there.

    Returns nothing where the query is more deeply nested than that, or cannot be read.
    """
    try:
        tree = parse(boolean_query)
    except QuerySyntaxError:
        return []
    is_one_group = not isinstance(tree, Or) or all(map(_is_line, tree.children))
    rows = [_groups(row) for row in ((tree,) if is_one_group else alternatives(tree))]
    return [row for row in rows if row is not None] if None not in rows else []


def joined_groups(rows: Sequence[Sequence[Sequence[str]]]) -> str:
    """Return the query that asks, in one of the rows, for one term of each group."""
    joined = [" AND ".join(filter(None, map(_group, row))) for row in rows]
    kept = [row for row in joined if row]
    return kept[0] if len(kept) == 1 else " OR ".join(f"({row})" for row in kept)


def narrowed(boolean_query: str, term: str) -> str:
    """Return the query that asks for a term, too."""
    rows = term_groups(boolean_query)
    if not rows:
        return f"({boolean_query}) AND {_quoted(term)}"
    return joined_groups([[*row, [term]] for row in rows])


def edited_strategy(
    strategy: SearchStrategy, form: Sequence[tuple[str, str]], criteria: Sequence[Criterion] = ()
) -> dict[str, Any]:
    """Return what a form makes of a strategy, as plain data and unchecked.

    Fields that the form lacks stay as they are: a query that was changed as text is taken as
    text, one whose groups were changed is put together from them.
    """
    fields: dict[str, list[str]] = {}
    for name, value in form:
        fields.setdefault(name, []).append(value)
    plain = strategy.model_dump(mode="json")
    queries = [
        {**query, "boolean_query": text}
        for number, query in enumerate(plain["queries"])
        if (text := _query(query["boolean_query"], number, fields))
    ]
    added = [text.strip() for text in fields.get("query-new", []) if text.strip()]
    queries += [{"keywords": [], "boolean_query": text} for text in added]
    ranked = [
        {**query, "text": text}
        for number, query in enumerate(plain.get("ranked", []))
        if (text := _last(fields, f"ranked-{number}", query["text"]).strip())
    ]
    edited = {
        **plain,
        "queries": queries,
        "sources": fields.get("source", []) if "sources-shown" in fields else plain["sources"],
        "filters": _filters(plain["filters"], fields),
    }
    if "ranked" in plain:
        edited["ranked"] = ranked
    if criteria:
        edited["criteria"] = _criteria(criteria, fields)
    return edited


def _query(text: str, number: int, fields: Mapping[str, list[str]]) -> str:
    written = _last(fields, f"query-{number}", text).strip()
    if written != text.strip():
        return written
    before = term_groups(text)
    if not before:
        return text
    rows = [
        [
            _terms(_last(fields, f"group-{number}-{row}-{place}", "\n".join(group)))
            for place, group in enumerate(groups)
        ]
        for row, groups in enumerate(before)
    ]
    added = [
        [_terms(extra) for extra in fields.get(f"group-{number}-{row}-new", [])]
        for row in range(len(rows))
    ]
    kept = [
        [group for group in [*groups, *more] if group]
        for groups, more in zip(rows, added, strict=True)
    ]
    return text if kept == before else joined_groups(kept)


def _terms(lines: str) -> list[str]:
    return [line.strip() for line in lines.split("\n") if line.strip()]


def _group(terms: Sequence[str]) -> str:
    wanted = [_quoted(term) for term in terms if term.strip()]
    return f"({' OR '.join(wanted)})" if len(wanted) > 1 else "".join(wanted)


def _filters(filters: Mapping[str, Any], fields: Mapping[str, list[str]]) -> dict[str, Any]:
    edited = dict(filters)
    for name in NUMBERS:
        if name in fields:
            text = _last(fields, name, "").strip()
            edited[name] = (int(text) if text.isdigit() else text) if text else None
    if edited.get("max_results") is None:
        edited["max_results"] = filters["max_results"]
    for name in ("conditions", "excluded_types"):
        if name in fields:
            lines = [line.strip() for line in _last(fields, name, "").splitlines()]
            if (left := [line for line in lines if line]) != filters.get(name, []):
                edited[name] = left
    if "language" in fields:
        edited["language"] = _last(fields, "language", "").strip() or None
    types = fields.get("publication_type", [])
    if "types-shown" in fields and types != filters.get("publication_types", []):
        edited["publication_types"] = types
    return edited


def _criteria(
    criteria: Sequence[Criterion], fields: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    edited = []
    for number, criterion in enumerate([*criteria, None]):
        text = _last(fields, f"criterion-{number}", criterion.text if criterion else "").strip()
        kind = criterion.kind.value if criterion else "inclusion"
        weight = str(criterion.weight if criterion else 1)
        if text:
            edited.append(
                {
                    "text": text,
                    "kind": _last(fields, f"criterion-{number}-kind", kind),
                    "weight": int(_last(fields, f"criterion-{number}-weight", weight)),
                }
            )
    return edited


def _groups(node: Node) -> list[list[str]] | None:
    """Return the groups of an AND; None: it is more than one."""
    parts = node.children if isinstance(node, And) else (node,)
    terms = [alternatives(part) for part in parts]
    if not all(map(_is_line, (term for group in terms for term in group))):
        return None
    return [[render(term) for term in group] for group in terms]


def _is_line(node: Node) -> bool:
    parts = node.children if isinstance(node, And | Or) else ()
    return not isinstance(node, Or) and not any(isinstance(part, And | Or) for part in parts)


def _quoted(term: str) -> str:
    """Return a term as a query has it: plain words of several become a phrase."""
    words = term.split()
    is_plain = not _SYNTAX & set(term) and not OPERATORS & {word.upper() for word in words}
    return f'"{" ".join(words)}"' if is_plain and len(words) > 1 else " ".join(words)


def _last(fields: Mapping[str, list[str]], name: str, default: str) -> str:
    return fields[name][-1] if fields.get(name) else default
