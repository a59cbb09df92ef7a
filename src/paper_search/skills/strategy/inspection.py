"""What is wrong with the queries of a model, and which of them can be asked."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from paper_search.errors import QuerySyntaxError
from paper_search.models import SearchQuery
from paper_search.query import And, Node, Not, Or, lint, parse
from paper_search.query.normal_form import identity
from paper_search.skills.intent.languages import is_english as reads_as_english
from paper_search.skills.strategy.answer import QueryAnswer, StrategyAnswer
from paper_search.skills.strategy.trees import MAX_QUERIES, MAX_QUERY_CHARS, normalised

_SHOWN = 200
"""Characters of a query in a message."""
_MOST_QUERIES = 50
"""Queries of an answer that are looked at; a strategy has far fewer."""
_MOST_LINES = 12
_LOWER_OPERATOR = re.compile(r'"[^"]*"|(?<=[\s)])(and|or|not)(?=[\s(])')
"""A model writes no stop words between terms: what looks like an operator is one."""
_NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u036f\u1e00-\u1eff]")
"""A letter of another script than English is written in."""


@dataclass(frozen=True)
class Inspection:
    """The queries of an answer, sorted out."""

    usable: list[SearchQuery] = field(default_factory=list)
    """Those that a source can be asked, each once, in the order of the answer."""
    problems: list[str] = field(default_factory=list)
    """What the model has to correct, a line each."""
    remarks: list[str] = field(default_factory=list)
    """What it should look at when it does."""
    left_out: list[str] = field(default_factory=list)
    """What a person should know is missing, a line each."""


def inspected(
    answer: StrategyAnswer, *, asked_before: Collection[str] = (), is_english: bool = True
) -> Inspection:
    """Return what an answer's queries are good for.

    Args:
        answer: of a model.
        asked_before: boolean queries of earlier rounds.
        is_english: whether terms have to be in English: no other language is asked for.
    """
    found = Inspection()
    seen: dict[object, int] = {}
    for number, query in enumerate(answer.queries[:_MOST_QUERIES], start=1):
        text = query.boolean_query.strip()
        if text:
            _inspect(query, number, found, seen)
            if is_english and _NOT_LATIN.search(text):
                found.problems.append(f"query {number}: write the terms in English")
    if not found.usable and found.left_out:
        shown = [query.boolean_query[:_SHOWN] for query in answer.queries[:MAX_QUERIES]]
        found.problems.insert(0, f"no readable query: {shown!r}")
    before = {normalised(text) for text in asked_before}
    if found.usable and all(normalised(q.boolean_query) in before for q in found.usable):
        found.problems.append("all queries were asked in earlier rounds: write other ones")
    if is_english and not reads_as_english(answer.ranked_text or ""):
        found.problems.append("ranked_text is not in English: write it in English")
    return found


def repair_request(found: Inspection) -> str:
    """Return what the model is told of its mistakes, after the message that it answered."""
    listed = "\n".join(f"- {line}" for line in [*found.problems, *found.remarks][:_MOST_LINES])
    return (
        f"\n\nYour previous answer has mistakes:\n{listed}\n"
        "Give the whole answer again, without them."
    )


def _inspect(query: QueryAnswer, number: int, found: Inspection, seen: dict[object, int]) -> None:
    text = _LOWER_OPERATOR.sub(
        lambda found: found[0].upper() if found[1] else found[0], query.boolean_query.strip()
    )
    if len(text) > MAX_QUERY_CHARS:
        too_long = f"has {len(text):,} characters, and at most {MAX_QUERY_CHARS:,} can be sent"
        _leave_out(found, number, too_long)
        return
    try:
        tree = parse(text)
    except QuerySyntaxError as error:
        _leave_out(found, number, f"cannot be read: {error}")
        return
    if not _asks(tree):
        _leave_out(found, number, "only excludes: nothing that is wanted stands beside the NOT")
        return
    found.remarks.extend(
        f"query {number}, column {finding.column}: {finding.message}" for finding in lint(text)
    )
    if (same := seen.setdefault(identity(tree), number)) != number:
        _leave_out(found, number, f"finds what query {same} finds")
        return
    found.usable.append(
        SearchQuery(keywords=query.keywords, synonym_map=query.synonym_map, boolean_query=text)
    )


def _leave_out(found: Inspection, number: int, why: str) -> None:
    found.problems.append(f"query {number} {why}")
    found.left_out.append(f"left out: query {number} of the model {why}")


def _asks(node: Node) -> bool:
    match node:
        case Not():
            return False
        case And(children):
            return any(map(_asks, children))
        case Or(children):
            return all(map(_asks, children))
        case _:
            return True
