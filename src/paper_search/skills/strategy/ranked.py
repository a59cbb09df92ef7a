"""Ranked queries: the question in plain text, and a condition for the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from paper_search.models import ParsedIntent, RankedQuery
from paper_search.query import (
    HEADINGS,
    INDEXED,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    heading_words,
)
from paper_search.skills.strategy.limits import Limits, lifted, limits_of_intent
from paper_search.skills.strategy.trees import tree_of, written
from paper_search.skills.untrusted import visible


def first_ranked(intent: ParsedIntent) -> list[RankedQuery]:
    """Return the ranked query for a question; none for a boolean query, which is asked as it is."""
    if intent.boolean_query is not None:
        return []
    named = " ".join(name.partition(":")[2] for name in intent.identifiers)
    text = " ".join(visible(intent.question or named or intent.topic).split())
    return [RankedQuery(text=text, condition=limits_of_intent(intent).text())] if text else []


def ranked_of_boolean(boolean_query: str) -> list[RankedQuery]:
    """Return the ranked query that puts what a boolean query finds in order, by its own words."""
    tree = tree_of(boolean_query)
    text = " ".join(dict.fromkeys(wanted_names(tree))) if tree is not None else ""
    return [RankedQuery(text=text, condition=boolean_query)] if text else []


def next_ranked(
    ranked: Sequence[RankedQuery],
    *,
    added: Sequence[str] = (),
    welcome: Sequence[str] = (),
    limits: Limits,
    terms: dict[str, float] | None,
) -> list[RankedQuery]:
    """Return the ranked queries of the round after.

    Args:
        ranked: those of the last one, with whatever a person changed in them.
        added: terms that are looked for as well.
        welcome: terms that are no longer excluded.
        limits: what every record must meet from now on, too.
        terms: words with their weights; None: those of the last round stay.
    """
    return [
        query.model_copy(
            update={
                "text": _extended(query.text, added),
                "condition": _limited(lifted(query.condition, welcome), limits),
                "terms": query.terms if terms is None else terms,
            }
        )
        for query in ranked
    ]


def wanted_names(node: Node) -> Iterator[str]:
    """Yield the words and phrases of a tree that are about the subject and wanted."""
    match node:
        case Term() | Phrase() if node.field in {"author", "venue", *INDEXED}:
            return
        case Term() | Phrase() if node.field in HEADINGS:
            yield " ".join(heading_words(node))
        case Term(text):
            yield text
        case Phrase(words):
            yield " ".join(words)
        case And(children) | Or(children):
            for child in children:
                yield from wanted_names(child)
        case Near(left, right):
            yield from wanted_names(left)
            yield from wanted_names(right)
        case Not() | YearRange():
            return


def _extended(text: str, added: Iterable[str]) -> str:
    missing = [term for term in added if term.casefold() not in text.casefold()]
    return " ".join([text, *missing])


def _limited(condition: str, limits: Limits) -> str:
    tree = tree_of(condition)
    if tree is None:
        return condition if condition.strip() else limits.text()
    limited = limits.applied(tree)
    return condition if limited is tree else written(limited)
