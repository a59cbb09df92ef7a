"""Questions that are boolean queries."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from paper_search.bibliography.languages import language_code
from paper_search.errors import QuerySyntaxError, QuestionError
from paper_search.models import IntentType, ParsedIntent, SearchConstraints, StrategyLine
from paper_search.query import normalise, parse, render
from paper_search.query.ast import (
    INDEXED,
    And,
    Near,
    Node,
    Phrase,
    Term,
    YearRange,
    conjuncts,
    positive_leaves,
    straighten,
    words_of,
)
from paper_search.query.parser import Reading, analyse
from paper_search.query.prose import SMALL_WORDS, is_prose
from paper_search.query.strategy import Strategy, parse_strategy
from paper_search.query.systems import count_tags
from paper_search.skills.intent.forms import forms

_OPERATOR = re.compile(r"(?<![\w-])(?:AND|OR|NOT|NEAR(?:/\d+)?|ADJ\d*|W/\d+)(?![\w-])")
_FIELD = re.compile(
    r"(?<!\w)(?:(?:title|abstract|author|venue|tiab):(?!//)\S|year:\s?\d)", re.IGNORECASE
)
_SIGNED = re.compile(r'(?<!\S)[+-](?=["\w])')
"""What search engines of the web take for "with" and "without": read as plain words."""
_OTHER_FIELD = re.compile(
    r"(?<![\w.])(?:ti|ab|au|abs|kw|so|key|keywords?|subject|mesh|mh|cat|jr|py|pubyear|affil):"
    r"(?!//)[\w\"(]",
    re.IGNORECASE,
)
"""Fields of other services: not known here, so they are refused rather than read as words."""
_TRUNCATED = re.compile(r"(?<!\w)\w{3,}+\*(?!\w)")
_CSL_TYPES = {
    "journal article": "article-journal", "preprint": "article", "dissertation": "thesis",
    "book": "book", "congress": "paper-conference",
}  # fmt: skip
"""Publication types that a strategy has a filter for."""
_SHOWN = 60
_LONGEST_TOPIC = 300
_QUOTED = re.compile(r'"[^"]*"')
_INNERMOST = re.compile(r"\([^()]*\)")
_ACCEPTED = (
    'use words, "phrases", AND OR NOT, parentheses, NEAR/n, word*, and the fields'
    " title: abstract: author: venue: year: tiab:; or ask in plain words"
)


@dataclass(frozen=True)
class BooleanQuestion:
    """What a boolean query wants.

    Attributes:
        concepts: one for each part that is required; a group of ORs by its first word or phrase.
        alternatives: by concept, the others of its group.
        authors: names limited to authors.
        query: what is asked.
        lines: of a strategy; empty: it is one query.
        notes: how a strategy was read.
        limits: what all of it is limited to, where a strategy has a filter for it.
    """

    concepts: tuple[str, ...]
    alternatives: dict[str, list[str]]
    authors: tuple[str, ...]
    query: str = ""
    lines: tuple[StrategyLine, ...] = ()
    notes: tuple[str, ...] = ()
    limits: SearchConstraints = field(default_factory=SearchConstraints)


def parse_boolean(question: str) -> BooleanQuestion | None:
    """Return what a boolean query wants; None if the question is plain words."""
    try:
        plain = straighten(question)
        if is_prose(plain):
            return None
        strategy = parse_strategy(question)
        if strategy is None and not _is_query(plain):
            return None
        reading = analyse(question) if strategy is None else None
        tree = normalise(strategy.node) if strategy else parse(question)
    except QuerySyntaxError as error:
        what = "boolean query" if error.line is None else "search strategy"
        accepted = _ACCEPTED if error.line is None else "correct the line and paste it again"
        raise QuestionError(
            f"the question looks like a {what} but is not valid: {error}; {accepted}"
        ) from error
    is_dated = any(isinstance(part, YearRange) for part in _parts(tree))
    if not is_dated and next(positive_leaves(tree), None) is None:
        raise QuestionError(
            f"the question only says what to exclude: {question[:_SHOWN]!r};"
            " say what you are looking for"
        )
    groups = [group for part in _parts(tree) if (group := list(dict.fromkeys(_positives(part))))]
    authors = [_text(leaf) for leaf in positive_leaves(tree) if leaf.field == "author"]
    return BooleanQuestion(
        tuple(dict.fromkeys(group[0] for group in groups)),
        {group[0]: group[1:] for group in groups if len(group) > 1},
        tuple(dict.fromkeys(authors)),
        query=question if strategy is None else render(tree),
        lines=tuple(_lines(strategy)) if strategy else (),
        notes=tuple(_notes(strategy) if strategy else _remarks(plain, tree, reading)),
        limits=_limits(tree),
    )


def _lines(strategy: Strategy) -> Iterator[StrategyLine]:
    for item in strategy.lines:
        if item.node is not None:
            line = item.line
            yield StrategyLine(label=line.label, text=line.text, boolean_query=render(item.node))


def _notes(strategy: Strategy) -> Iterator[str]:
    last = strategy.lines[-1].line
    yield (
        f"read as a search strategy in the style of {strategy.system.name},"
        f" {len(strategy.lines)} lines: what line {last.label} finds is searched"
    )
    yield from (note for _, note in strategy.remarks())


def _remarks(text: str, tree: Node, reading: Reading | None) -> Iterator[str]:
    if reading is None or reading.system is None:
        yield from _order(text, tree)
        return
    yield f"read as a query in the style of {reading.system}: {render(tree)}"
    yield from (note for _, note in reading.notes)


def _order(text: str, tree: Node) -> Iterator[str]:
    text = _QUOTED.sub(" ", text)
    levels = []
    while groups := _INNERMOST.findall(text):
        levels += groups
        text = _INNERMOST.sub(" ", text)
    if any({"AND", "OR"} <= {*_OPERATOR.findall(level)} for level in (*levels, text)):
        yield f"AND is read before OR: {render(tree)}; parentheses say otherwise"


def _limits(tree: Node) -> SearchConstraints:
    """Return the years, the language and the types that all of a query is limited to."""
    limits: dict[str, object] = {}
    for part in conjuncts(tree):
        match part:
            case YearRange(first, last):
                limits |= {"year_from": first, "year_to": last}
            case Term(text, "language"):
                limits["language"] = language_code(text)
            case Term() | Phrase() if part.field == "type" and _text(part).lower() in _CSL_TYPES:
                limits["publication_types"] = [_CSL_TYPES[_text(part).lower()]]
            case _:
                continue
    return SearchConstraints.model_validate(limits)


def _is_query(text: str) -> bool:
    """Return whether a text that is no prose has anything that only queries have."""
    if count_tags(text):
        return True
    outside = _QUOTED.sub(" ", text)
    if any(mark.search(outside) for mark in (_OPERATOR, _FIELD, _OTHER_FIELD, _TRUNCATED)):
        return True
    if _SIGNED.search(text):
        return False
    # Quotes alone are a query where nothing says that the rest is a sentence.
    if any(pattern.search(outside) for _, pattern in forms("year")):
        return False
    words = [word.strip(".,;:?!").casefold() for word in outside.split()]
    return _QUOTED.search(text) is not None and '"' not in outside and SMALL_WORDS.isdisjoint(words)


def _parts(node: Node) -> Iterator[Node]:
    match node:
        case And(children):
            for child in children:
                yield from _parts(child)
        case Near(left, right, _):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield node


def _positives(node: Node) -> Iterator[str]:
    for leaf in positive_leaves(node):
        if leaf.field not in {"author", "venue", *INDEXED}:
            yield " ".join(words_of(leaf))


def _text(leaf: Term | Phrase) -> str:
    return leaf.text if isinstance(leaf, Term) else " ".join(leaf.words)


def intent_of_boolean(
    question: str, query: BooleanQuestion, default_max_results: int
) -> ParsedIntent:
    """Return the intent of a question that is a boolean query: nothing about it is guessed."""
    names = [
        name
        for concept in query.concepts
        for name in (concept, *query.alternatives.get(concept, ()))
    ]
    return ParsedIntent(
        topic=(", ".join(query.concepts) if query.lines else question)[:_LONGEST_TOPIC],
        concepts=list(query.concepts),
        intent_type=IntentType.METHOD,
        constraints=query.limits.model_copy(update={"max_results": default_max_results}),
        question=" ".join(dict.fromkeys(names)) or " ".join(query.authors),
        alternatives=query.alternatives,
        boolean_query=query.query,
        lines=list(query.lines),
        notes=list(query.notes),
    )
