"""The blocks of a boolean query, and the steps to broader ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from paper_search.bibliography.rarities import rarity
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
    parse,
    render,
)
from paper_search.skills.stop_words import BREAKS
from paper_search.skills.strategy.trees import all_of, any_of, parts, tree_of
from paper_search.skills.words import tokens


class Step(NamedTuple):
    """A broader form of a query, and what is different in it."""

    name: str
    boolean_query: str


class BlockText(NamedTuple):
    """A part of a query that every record must have, and its terms, of which one is enough."""

    boolean_query: str
    terms: list[str]


def block_texts(boolean_query: str) -> list[BlockText]:
    """Return the parts that a query joins by AND; none: it has none, or cannot be read.

    Exclusions, years and authors are no blocks.
    """
    tree = tree_of(boolean_query)
    blocks = [part for part in parts(tree) if not _is_fixed(part)] if tree else []
    return [
        BlockText(render(block), [render(term) for term in alternatives(block)]) for block in blocks
    ]


def broader_steps(boolean_query: str) -> list[Step]:
    """Return ever broader forms of a query, each broader than the one before.

    Limits to titles and abstracts go, then phrases become words that may stand apart, then blocks
    are dropped, the commonest first, and at last one block is enough. Exclusions, years and authors
    stay in every form.

    Raises:
        QuerySyntaxError: the query cannot be read.
    """
    tree = parse(boolean_query)
    found = {render(tree): ""}
    for name, form in _forms(tree):
        found.setdefault(render(form), name)
    return [Step(name, text) for text, name in found.items() if name]


def any_block(boolean_query: str) -> Node | None:
    """Return the tree of a query for which one of its blocks is enough; None: it cannot be read."""
    tree = tree_of(boolean_query)
    blocks = [part for part in parts(tree) if not _is_fixed(part)] if tree else []
    fixed = [part for part in parts(tree) if _is_fixed(part)] if tree else []
    joined = any_of(term for block in blocks for term in alternatives(block))
    return tree if joined is None else all_of([joined, *fixed])


def _informativeness(node: Node) -> float:
    """Return how much a part of a query narrows it: log10 of one in how many records, about.

    An OR is as common as its commonest alternative. Words of a phrase, or AND-ed, count as if
    they were independent.
    """
    match node:
        case Term(text):
            return max(map(rarity, tokens(text)), default=0.0)
        case Phrase(words):
            return sum(_informativeness(Term(word)) for word in words)
        case And(children):
            return sum(map(_informativeness, children))
        case Or(children):
            return min(map(_informativeness, children))
        case Near(left, right):
            return _informativeness(left) + _informativeness(right)
        case _:
            return 0.0


def _forms(tree: Node) -> Iterator[tuple[str, Node]]:
    fixed = [part for part in parts(tree) if _is_fixed(part)]
    blocks = [part for part in parts(tree) if not _is_fixed(part)]
    if not blocks:
        return

    def joined(some: Sequence[Node]) -> Node:
        return all_of([*some, *fixed]) or tree

    names = {place: _name(block) for place, block in enumerate(blocks)}
    blocks = [_anywhere(block) for block in blocks]
    yield "anywhere, not only in the fields named", joined(blocks)
    blocks = [_in_words(block) for block in blocks]
    yield "words instead of phrases", joined(blocks)
    order = sorted(names, key=lambda place: _informativeness(blocks[place]))
    for count in range(1, len(blocks) - 1):
        dropped = sorted(order[:count])
        left = [block for place, block in enumerate(blocks) if place not in dropped]
        yield f"without {' and '.join(names[place] for place in dropped)}", joined(left)
    if len(blocks) > 1 and (anything := any_of(blocks)) is not None:
        yield "any one of the blocks", joined([anything])


def _name(block: Node) -> str:
    """Return the first name of a block."""
    while isinstance(block, Or):
        block = block.children[0]
    return render(block)


def _is_fixed(node: Node) -> bool:
    """Whether the part stays as it is: what is not wanted, when, and by whom."""
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
    """Whether the limit to a field stays: a heading is no phrase that could be cut into words."""
    return _is_fixed(node) or node.field in HEADINGS


def _anywhere(node: Node) -> Node:
    """Return the part without its limits to titles or abstracts."""
    match node:
        case Term(text, _, is_prefix):
            return node if _is_kept(node) else Term(text, None, is_prefix)
        case Phrase(words):
            return node if _is_kept(node) else Phrase(words)
        case And(children):
            return And(tuple(map(_anywhere, children)))
        case Or(children):
            return Or(tuple(map(_anywhere, children)))
        case Near(left, right):
            return replace(node, left=_anywhere(left), right=_anywhere(right))
        case _:
            return node


def _in_words(node: Node) -> Node:
    """Return the part with the words of its phrases and distances, which may stand apart."""
    match node:
        case Phrase(words) if not _is_kept(node):
            content = [word for word in words if word.casefold() not in BREAKS] or words
            return all_of(Term(w.rstrip("*"), is_prefix=w.endswith("*")) for w in content) or node
        case And(children):
            return all_of(map(_in_words, children)) or node
        case Or(children):
            return any_of(map(_in_words, children)) or node
        case Near(left, right):
            return all_of([_in_words(left), _in_words(right)]) or node
        case _:
            return node
