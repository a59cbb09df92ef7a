"""Ever broader forms of a boolean query without hits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
    parse,
    render,
)
from paper_search.skills.stop_words import BREAKS
from paper_search.skills.words import tokens

_SIZES = (3, 2)
"""How many of the rarest parts stay required, after all but one have: every step is a request."""


def relaxed_forms(boolean_query: str) -> list[str]:
    """Return up to six broader forms of a query, each broader than the one before.

    Limits to titles and abstracts go, then phrases become AND-ed words, then the commonest words
    are no longer required, and at last any of the three rarest parts will do. Exclusions, years
    and authors stay in every form.

    Raises:
        QuerySyntaxError: the query cannot be read.
    """
    tree = parse(boolean_query)
    forms = dict.fromkeys(render(form) for form in _forms(tree))
    forms.pop(render(tree), None)
    return list(forms)


def informativeness(node: Node) -> float:
    """Return how much a part of a query narrows it: log10 of one in how many records, about.

    An OR is as common as its commonest alternative. Words of a phrase, or AND-ed, count as if
    they were independent.
    """
    match node:
        case Term(text):
            return max(map(rarity, tokens(text)), default=0.0)
        case Phrase(words):
            return sum(informativeness(Term(word)) for word in words)
        case And(children):
            return sum(map(informativeness, children))
        case Or(children):
            return min(map(informativeness, children))
        case Near(left, right):
            return informativeness(left) + informativeness(right)
        case _:
            return 0.0


def _forms(tree: Node) -> Iterator[Node]:
    if isinstance(tree, Or):
        yield from _forms_of_alternatives(tree)
        return
    parts = tree.children if isinstance(tree, And) else (tree,)
    fixed = [part for part in parts if _is_fixed(part)]
    wanted = [part for part in parts if not _is_fixed(part)]
    if not wanted:
        return
    anywhere = [_anywhere(part) for part in wanted]
    yield _all((*anywhere, *fixed))
    words = [word for part in anywhere for word in _words(part)]
    yield _all((*words, *fixed))
    ranking = sorted(words, key=informativeness, reverse=True)
    for size in (len(words) - 1, *_SIZES):
        if 1 < size < len(words):
            kept = ranking[:size]
            yield _all((*(word for word in words if word in kept), *fixed))
    kept = ranking[: max(_SIZES)]
    yield _all((_any([word for word in words if word in kept]), *fixed))


def _forms_of_alternatives(tree: Or) -> Iterator[Node]:
    """Yield the ORs of what the alternatives become, step by step."""
    ladders = [[child, *_forms(child)] for child in tree.children]
    for step in range(1, max(map(len, ladders))):
        yield Or(tuple(ladder[min(step, len(ladder) - 1)] for ladder in ladders))


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


def _words(node: Node) -> list[Node]:
    """Return the parts that are AND-ed once phrases and distances are words anywhere."""
    match node:
        case Phrase(words):
            content = [word for word in words if word.casefold() not in BREAKS] or words
            return [_term(word) for word in content] if not _is_kept(node) else [node]
        case And(children):
            return [word for child in children for word in _words(child)]
        case Or(children):
            return [Or(tuple(_all(_words(child)) for child in children))]
        case Near(left, right):
            return [*_words(left), *_words(right)]
        case _:
            return [node]


def _term(word: str) -> Term:
    return Term(word.rstrip("*"), is_prefix=word.endswith("*"))


def _all(nodes: Sequence[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))


def _any(nodes: Sequence[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Or(tuple(nodes))
