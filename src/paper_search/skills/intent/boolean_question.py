"""Questions that are boolean queries."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from paper_search.bibliography.languages import language_code
from paper_search.errors import QuerySyntaxError, QuestionError
from paper_search.models import (
    IntentType,
    ParsedIntent,
    SearchConstraints,
    SearchStrategy,
    StrategyLine,
)
from paper_search.query import normalise, parse, render
from paper_search.query.ast import (
    INDEXED,
    OWN_WORDS,
    And,
    Near,
    Node,
    Phrase,
    Term,
    YearRange,
    all_leaves,
    conjuncts,
    positive_leaves,
    straighten,
    words_of,
)
from paper_search.query.operators import Reading
from paper_search.query.parser import analyse
from paper_search.query.prose import SMALL_WORDS, is_prose
from paper_search.query.strategy import Strategy, parse_strategy
from paper_search.query.systems import count_tags
from paper_search.skills.intent.concepts import concepts_of
from paper_search.skills.intent.forms import (
    LONGEST_TOPIC,
    QUOTED,
    ParsedQuestion,
    forms,
    no_subject,
    with_notes,
)
from paper_search.skills.words import STOP_WORDS, tokens

_OPERATOR = re.compile(r"(?<![\w-])(?:AND|OR|NOT|NEAR(?:/\d+)?|ADJ\d*|W/\d+)(?![\w-])")
AND_OR = re.compile(r"(?<![\w/])and\s?/\s?or(?![\w/])", re.IGNORECASE)
"""An ordinary word in prose, even in capitals; OR in a query."""
_FIELD = re.compile(
    r"(?<!\w)(?:(?:title|abstract|author|venue|tiab(?:kw)?):(?!//)\S|year:\s?\d)", re.IGNORECASE
)
_LONG_NAME = re.compile(
    r"\b(author|venue):(\w[\w.'’-]*(?: (?!(?:AND|OR|NOT|NEAR|ADJ)\b)[A-ZÀ-Þ][\w'’-]*)+)(?!:)\b"
)
_NAME_IN_PROSE = re.compile(r"\bvenue:[A-Z]\w*(?: [A-Z]\w*)* (?:of|and|the|for)\b")
"""A name in a sentence; in a query, "of" would be a term."""
_SIGNED = re.compile(r'(?<!\S)[+-](?=["\w])')
"""Inclusion and exclusion in web search engines; read as plain words."""
_OTHER_FIELD = re.compile(
    r"(?<![\w.])(?:ti|ab|au|abs|kw|so|key|keywords?|subject|mesh|mh|cat|jr|py|pubyear|affil):"
    r"(?!//)[\w\"(]",
    re.IGNORECASE,
)
"""Fields of other services, which are refused rather than read as words."""
_TRUNCATED = re.compile(r"(?<!\w)\w{3,}+\*(?!\w)")
CSL_TYPES = {
    "journal article": "article-journal", "preprint": "article", "dissertation": "thesis",
    "book": "book", "book chapter": "chapter", "congress": "paper-conference",
}  # fmt: skip
_BEHIND = re.compile(r'.*(?:[)"\]]|(?<![\w-])(?:AND|OR|NOT)(?![\w-]))')
_SYNTAX = re.compile(r"[:<>=/.\[]\w|[<>=]")
_HANGING = re.compile(r"(?<![\w-])(?:AND|OR|NOT)[\s,;.]*$")
_QUOTED = re.compile(r'"[^"]*"')
_ACCEPTED = (
    'use words, "phrases", AND OR NOT, parentheses, NEAR/n, word*, and the fields'
    " title: abstract: author: venue: year: tiab:; or ask in plain words"
)


def split_limits(
    question: str, parse: Callable[[str], ParsedQuestion]
) -> tuple[str, ParsedQuestion | None]:
    """Split "(bee OR wasp) AND pesticide*, since 2015" into a query and plain-language limits."""
    last = _BEHIND.match(question)
    if last is None or "\n" in question:
        return question, None
    words = " ".join(question[last.end() :].split())
    if not words.strip(".?!"):
        return question[: last.end()], None
    reading = None if _SYNTAX.search(words) else parse(words)
    is_limit = reading is not None and (reading.has_limits or bool(reading.left))
    if reading is None or not is_limit or not words.startswith(reading.question):
        return question, None
    query = f"{question[: last.end()]} {reading.question}".strip()
    if _HANGING.search(query) or is_prose(query) or not _is_query(question):
        return question, None
    if reading.excluded:
        excluded = " OR ".join(f'"{term}"' for term in reading.excluded)
        query = f"({query}) NOT ({excluded})"
    limits = words[len(reading.question) :].strip(" ,;.")
    if not limits:
        return question, None
    note = f"{limits!r} after the query is read as a limit, not as part of it"
    return query, replace(
        reading, notes=[note, *reading.notes] if reading.has_limits else reading.notes
    )


def with_limits(intent: ParsedIntent, behind: ParsedQuestion) -> ParsedIntent:
    """Add the limits after a query to its intent; limits in the query take precedence."""
    own = intent.constraints.model_dump(exclude_defaults=True, exclude={"max_results"})
    constraints = behind.constraints.model_copy(update=own)
    return with_notes(intent.model_copy(update={"constraints": constraints}), *behind.notes)


def parse_boolean(question: str) -> ParsedIntent | None:
    """Return the intent of a boolean query; None if the question is plain language.

    Each required part is a concept; the other terms of its OR are alternatives.
    """
    try:
        plain = straighten(question)
        if is_prose(plain):
            return None
        strategy = parse_strategy(query := _with_or(question))
        if strategy is None and not _is_query(plain):
            return None
        reading = analyse(query) if strategy is None else None
        tree = normalise(strategy.node) if strategy else parse(query)
    except QuerySyntaxError as error:
        what = "boolean query" if error.line is None else "search strategy"
        accepted = _ACCEPTED if error.line is None else "correct the line and paste it again"
        raise QuestionError(
            f"the question looks like a {what} but is not valid: {error}; {accepted}"
        ) from error
    asked = (reading.line if reading else render(tree)) or query
    is_dated = any(isinstance(part, YearRange) for part in _parts(tree))
    if not is_dated and next(positive_leaves(tree), None) is None:
        raise no_subject(question)
    groups = _groups(tree)
    concepts = list(dict.fromkeys(group[0] for group in groups))
    alternatives = {group[0]: group[1:] for group in groups if len(group) > 1}
    names = [name for concept in concepts for name in (concept, *alternatives.get(concept, ()))]
    authors = [_text(leaf) for leaf in positive_leaves(tree) if leaf.field == "author"]
    lines = [(one.line, one.node) for one in strategy.lines] if strategy else []
    return ParsedIntent(
        topic=(", ".join(concepts) if strategy else asked)[:LONGEST_TOPIC],
        concepts=concepts,
        intent_type=IntentType.METHOD,
        constraints=_limits(tree),
        question=" ".join(dict.fromkeys(names or authors)),
        alternatives=alternatives,
        boolean_query=asked,
        lines=[
            StrategyLine(label=line.label, text=line.text, boolean_query=render(node))
            for line, node in lines
            if node is not None
        ],
        notes=[*_notes(tree, strategy, reading), *_notes_on_words(question, query)],
    )


def after_edit(intent: ParsedIntent, before: SearchStrategy, after: SearchStrategy) -> ParsedIntent:
    """Adapt the intent, by which papers are judged, to a person's edit of the queries.

    A concept whose words are no longer in any query is dropped; a new group without words of any
    concept becomes a concept.
    """
    old, new = _groups_of(before), _groups_of(after)
    dropped = _stems(*old) - _stems(*new)
    concepts = [[name, *intent.alternatives.get(name, ())] for name in intent.concepts]
    remaining = [
        names
        for names in concepts
        if _stems(names).isdisjoint(dropped) or not _stems(names).isdisjoint(_stems(*new))
    ]
    known = _stems(*remaining)
    added = [each for each in new if each not in old and _stems(each).isdisjoint(known)]
    groups = {group[0]: group[1:] for group in (*remaining, *added)}
    if not groups:
        return intent
    alternatives = {name: others for name, others in groups.items() if others}
    return intent.model_copy(update={"concepts": list(groups), "alternatives": alternatives})


def _groups_of(strategy: SearchStrategy) -> list[list[str]]:
    """Return the terms of each part of the queries or, without any, of the ranked queries."""
    if strategy.queries:
        return [
            group for query in strategy.queries for group in _groups(parse(query.boolean_query))
        ]
    texts = (query.text for query in strategy.ranked)
    return [[name, *others] for text in texts for name, others in concepts_of(text).items()]


def _groups(tree: Node) -> list[list[str]]:
    return [group for part in _parts(tree) if (group := list(dict.fromkeys(_positives(part))))]


def _stems(*groups: Iterable[str]) -> set[str]:
    return {*tokens(" ".join(name for group in groups for name in group))} - STOP_WORDS


def _with_or(query: str) -> str:
    parts = re.split(f"({QUOTED.pattern})", query)
    return "".join(part if QUOTED.match(part) else AND_OR.sub("OR", part) for part in parts)


def _notes(tree: Node, strategy: Strategy | None, reading: Reading | None) -> Iterator[str]:
    remarks = strategy.remarks() if strategy else iter(reading.notes if reading else ())
    if strategy is not None:
        yield (
            f"read as a search strategy in the style of {strategy.system.name},"
            f" {len(strategy.lines)} lines; line {strategy.lines[-1].line.label} is searched"
        )
    elif reading is not None and reading.system is not None:
        yield f"read as a query in the style of {reading.system}: {render(tree)}"
    yield from (note for _, note in remarks)
    if any(leaf.field == OWN_WORDS for leaf in all_leaves(tree)):
        yield (
            "author keywords: a library's records do not separate them from subject headings, so"
            " both are searched there"
        )


def _notes_on_words(question: str, query: str) -> Iterator[str]:
    if query != question:
        yield "'and/or' in the query is read as OR"
    for whole in _LONG_NAME.finditer(_QUOTED.sub(" ", query)):
        field, name = whole.groups()
        yield f'{whole[0]}: the field applies to its first word; for all, write {field}:"{name}"'


def _limits(tree: Node) -> SearchConstraints:
    limits: dict[str, object] = {}
    for part in conjuncts(tree):
        match part:
            case YearRange(first, last):
                limits |= {"year_from": first, "year_to": last}
            case Term(text, "language"):
                limits["language"] = language_code(text)
            case Term() | Phrase() if part.field == "type" and _text(part).lower() in CSL_TYPES:
                limits["publication_types"] = [CSL_TYPES[_text(part).lower()]]
            case _:
                continue
    return SearchConstraints.model_validate(limits)


def _is_query(text: str) -> bool:
    """Whether a text that is not prose has syntax that only queries have."""
    if count_tags(text):
        return True
    outside = _NAME_IN_PROSE.sub(" ", _QUOTED.sub(" ", text))
    is_title = text.isupper() and not set('("').intersection(text)  # "LIBRARIES AND COMPUTERS."
    marks = (_FIELD, _OTHER_FIELD, _TRUNCATED, *(() if is_title else (_OPERATOR,)))
    if any(mark.search(outside) for mark in marks):
        return True
    if _SIGNED.search(text):
        return False
    # Quotes alone make a query unless the rest looks like a sentence.
    if any(pattern.search(outside) for _, pattern in forms("year")):
        return False
    named = _QUOTED.sub("x", text)
    if any(pattern.search(named) for _, pattern in forms("exclusion")):
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
