"""Query trees from names; the blocks of a query, and steps to broader queries."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from paper_search.bibliography.words import rarity
from paper_search.errors import QuerySyntaxError
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
    alternatives,
    heading_words,
    parse,
    render,
)
from paper_search.query.ast import conjuncts, join, positive_leaves, rebuild
from paper_search.query.ast import parts as tree_parts
from paper_search.skills.untrusted import visible
from paper_search.skills.words import BREAKS, tokens

MIN_QUERIES, MAX_QUERIES = 2, 4
"""Queries of a strategy by the program; a person may write more."""

MAX_QUERY_CHARS = 2_000
"""Services refuse longer queries."""

_SYNTAX = re.compile(r"[\"“”„«»()\[\]{}<>*?|&^~\\/:;,=!$%#@`]+")
_OPERATORS = re.compile(r"\b(AND|OR|NOT|NEAR)\b")

_MOST_WORDS = 12
"""Words of one name; further ones are dropped."""


def clean(text: str) -> str:
    """Remove query syntax from a text."""
    plain = _OPERATORS.sub(lambda match: match.group().lower(), _SYNTAX.sub(" ", visible(text)))
    words = (word.strip(".'’-+_") if len(word) > 1 else word for word in plain.split())
    return " ".join(word for word in words if word)


def query_key(query: str) -> str:
    """Return a key for a query that ignores case and spaces."""
    return " ".join(re.sub(r"([()])", r" \1 ", query).casefold().split())


def leaf(text: str, field: str | None = None) -> Term | Phrase | None:
    """Return a name as a word or a phrase; None if it has no words."""
    words = tuple(word for word in clean(text).split() if any(map(str.isalnum, word)))
    words = words[:_MOST_WORDS]
    if not words:
        return None
    return Term(words[0], field) if len(words) == 1 else Phrase(words, field)


def any_name(names: Iterable[str], field: str | None = None) -> Node | None:
    return any_of(node for name in names if (node := leaf(name, field)))


def any_of(nodes: Iterable[Node]) -> Node | None:
    distinct = list(dict.fromkeys(nodes))
    return join(Or, distinct) if distinct else None


def all_of(nodes: Iterable[Node]) -> Node | None:
    distinct = list(dict.fromkeys(nodes))
    return join(And, distinct) if distinct else None


def query_text(tree: Node) -> str:
    """Return the text of a tree, with exclusions at the end."""
    children = conjuncts(tree)
    inclusions = [node for node in children if not isinstance(node, Not)]
    barred = [node.child for node in children if isinstance(node, Not)]
    head = (
        render(inclusions[0])
        if len(children) == 1 and inclusions
        else " AND ".join(map(_operand, inclusions))
    )
    return " ".join([head, *(f"NOT {_operand(node)}" for node in barred)]).strip()


def wanted_names(node: Node) -> Iterator[str]:
    """Yield the topical words and phrases of a tree, except excluded ones."""
    for leaf in positive_leaves(node):
        if leaf.field in HEADINGS:
            yield " ".join(heading_words(leaf))
        elif leaf.field not in {"author", "venue", *INDEXED}:
            yield leaf.text if isinstance(leaf, Term) else " ".join(leaf.words)


def is_short(query: str) -> bool:
    return len(query) <= MAX_QUERY_CHARS


def tree_of(query: str) -> Node | None:
    """Return the tree of a query; None if it is invalid or empty."""
    try:
        return parse(query) if query.strip() else None
    except QuerySyntaxError:
        return None


def _operand(node: Node) -> str:
    return render(node) if isinstance(node, Term | Phrase) else f"({render(node)})"


class Step(NamedTuple):
    name: str
    boolean_query: str


class BlockText(NamedTuple):
    boolean_query: str
    terms: list[str]


def block_texts(boolean_query: str) -> list[BlockText]:
    tree = tree_of(boolean_query)
    blocks = _split(tree)[0] if tree else []
    return [
        BlockText(render(block), [render(term) for term in alternatives(block)]) for block in blocks
    ]


def broader_steps(boolean_query: str) -> list[Step]:
    """Return ever broader forms of a query.

    First, limits to fields are removed. Then phrases become single words, then blocks are dropped,
    the commonest first, and at last any one block is enough. Exclusions, years and authors stay.
    """
    tree = parse(boolean_query)
    names = {render(tree): ""}
    for name, form in _forms(tree):
        names.setdefault(render(form), name)
    return [Step(name, text) for text, name in names.items() if name]


def any_block(boolean_query: str, *, besides: Iterable[str] = ()) -> Node | None:
    tree = tree_of(boolean_query)
    blocks, fixed = _split(tree) if tree else ([], [])
    stems = [{*tokens(term)} for term in besides]
    tree_of_terms = any_of(
        term
        for block in blocks
        for term in alternatives(block)
        if not any({*tokens(" ".join(wanted_names(term)))} <= each for each in stems)
    )
    return tree if tree_of_terms is None else all_of([tree_of_terms, *fixed])


def _informativeness(node: Node) -> float:
    """Estimate how much a part narrows a query: -log10 of its share of all records.

    An OR counts as its commonest alternative; words of a phrase or an AND count as independent.
    """
    match node:
        case Term(text):  # "block-chain" narrows as a phrase does
            return sum(max(map(rarity, tokens(part)), default=0.0) for part in text.split("-"))
        case Phrase(words):
            return sum(_informativeness(Term(word)) for word in words)
        case And() | Near():
            return sum(map(_informativeness, tree_parts(node)))
        case Or(children):
            return min(map(_informativeness, children))
        case _:
            return 0.0


def _forms(tree: Node) -> Iterator[tuple[str, Node]]:
    blocks, fixed = _split(tree)
    if not blocks:
        return

    def join(some: Sequence[Node]) -> Node:
        return all_of([*some, *fixed]) or tree

    names = [_name(block) for block in blocks]
    anywhere = [_anywhere(block) for block in blocks]
    words = [_in_words(block) for block in anywhere]

    def step(name: str, places: Sequence[int]) -> str:
        """Add the changes by earlier steps to the name of a step."""
        if any(words[place] != anywhere[place] for place in places):
            name += ", with phrases as single words"
        is_wider = any(anywhere[place] != blocks[place] for place in places)
        return f"{name}, in any field" if is_wider else name

    yield "anywhere, not only in the fields named", join(anywhere)
    in_fields = ", in any field" if anywhere != blocks else ""
    yield f"words instead of phrases{in_fields}", join(words)
    order = sorted(range(len(words)), key=lambda place: _informativeness(words[place]))
    for count in range(1, len(words) - 1):
        omissions, places = sorted(order[:count]), sorted(order[count:])
        name = f"without {' and '.join(names[place] for place in omissions)}"
        yield step(name, places), join([words[place] for place in places])
    if len(words) > 1 and (anything := any_of(words)) is not None:
        yield step("any one of the blocks", range(len(words))), join([anything])


def _name(block: Node) -> str:
    while isinstance(block, Or):
        block = block.children[0]
    return render(block)


def _split(tree: Node) -> tuple[list[Node], list[Node]]:
    parts = conjuncts(tree)
    return [part for part in parts if not _is_fixed(part)], [*filter(_is_fixed, parts)]


def _is_fixed(node: Node) -> bool:
    """Whether a part is never broadened: an exclusion, years, authors, venues, index fields."""
    match node:
        case Not() | YearRange():
            return True
        case Term() | Phrase():
            return node.field in {"author", "venue", *INDEXED}
        case Or(children) | And(children):
            return all(map(_is_fixed, children))
        case Near():
            return False


def _is_kept(node: Term | Phrase) -> bool:
    """Whether the field stays: a heading is not a phrase that could be split into words."""
    return _is_fixed(node) or node.field in HEADINGS


def _anywhere(node: Node) -> Node:
    if isinstance(node, Term | Phrase):
        return node if _is_kept(node) else replace(node, field=None)
    return node if isinstance(node, Not) else rebuild(node, _anywhere)


def _in_words(node: Node) -> Node:
    """Replace phrases and proximity by single words joined by AND."""
    match node:
        case Phrase(words) if not _is_kept(node):
            content = [word for word in words if word.casefold() not in BREAKS] or words
            return all_of(Term(w.rstrip("*"), is_prefix=w.endswith("*")) for w in content) or node
        case And() | Near():
            return all_of(map(_in_words, tree_parts(node))) or node
        case Or(children):
            return any_of(map(_in_words, children)) or node
        case _:
            return node
