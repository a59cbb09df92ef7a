"""Widens a query to what a service can express; the rest is checked in the results."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from string import ascii_lowercase, digits

from paper_search.query.ast import (
    HEADINGS,
    INDEXED,
    OWN_WORDS,
    WILDCARDS,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    all_leaves,
    before_wildcard,
    conjuncts,
    is_pattern,
    join,
    leaf_of,
    words_of,
)
from paper_search.query.evaluation import heading_as_listed, headings_as_words

_MOST_FORMS = 60
"""Spellings of one word with wildcards; a word with more is truncated and checked."""


@dataclass(frozen=True, slots=True)
class ExpressiblePart:
    """A query as widened for a service, if possible, and the remainder to check in results."""

    tree: Node | None
    remainder: Node | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wide:
    """A widened part; a `node` of None matches anything."""

    node: Node | None
    is_exact: bool = True


_ANYTHING = _Wide(None, is_exact=False)


def expressible_part(
    tree: Node,
    *,
    fields: Collection[str] = (),
    shortest_stem: int | None = 3,
    is_full: bool = False,
) -> ExpressiblePart:
    """Rewrite or omit what a service cannot express.

    Words with wildcards are spelled out or truncated. Headings become phrases, and `tiab` becomes
    title or abstract. `tiabkw` becomes any field, or `tiab` under a NOT; `keyword` becomes any
    field, and is omitted under a NOT. The fields in `INDEXED` are omitted.

    The service has the fields title, abstract, author, venue and `fields`, and no `*` if
    `shortest_stem`, the letters required before it, is None. `is_full` services have all wildcards
    and ordered proximity.
    """
    widening = _Widening(fields, shortest_stem, is_full=is_full)
    wide = [(part, widening.of(part)) for part in conjuncts(tree)]
    nodes = tuple(answer.node for _, answer in wide if answer.node is not None)
    rest = tuple(part for part, answer in wide if not answer.is_exact and not _is_indexed(part))
    if all(answer.is_exact and answer.node is part for part, answer in wide):
        return ExpressiblePart(tree)
    return ExpressiblePart(
        join(And, nodes) if nodes else None,
        join(And, rest) if rest else None,
        tuple(widening.notes),
    )


class _Widening:
    def __init__(
        self, fields: Collection[str], shortest_stem: int | None, *, is_full: bool
    ) -> None:
        self._fields, self._shortest, self._is_full = fields, shortest_stem, is_full
        self._is_excluding = False
        self.notes: dict[str, None] = {}

    def of(self, node: Node) -> _Wide:  # noqa: PLR0911  # one case per kind of node
        match node:
            case Term() | Phrase():
                return self._leaf(node)
            case And(children) | Or(children):
                answers = [self.of(child) for child in children]
                nodes = tuple(part.node for part in answers if part.node is not None)
                if not nodes or (isinstance(node, Or) and len(nodes) < len(children)):
                    return _ANYTHING
                is_exact = all(part.is_exact for part in answers)
                return _Wide(_original_if_same(node, type(node)(nodes)), is_exact)
            case Not(child):
                leaves = [leaf for leaf in all_leaves(child) if leaf.field == "keyword"]
                if leaves and not self._is_full:
                    names = ", ".join(repr(" ".join(words_of(leaf))) for leaf in leaves)
                    self.notes.setdefault(f"keyword: {names} excludes nothing here")
                    return _ANYTHING  # the words in any field would exclude more
                self._is_excluding = not self._is_excluding
                inner = self.of(child)
                self._is_excluding = not self._is_excluding
                if inner.node is None or not inner.is_exact:
                    return _ANYTHING  # a widened NOT would exclude more
                return _Wide(node if inner.node is child else Not(inner.node))
            case Near(left, right):
                return self._near(node, self.of(left), self.of(right))
            case YearRange():
                return _Wide(node)

    def _near(self, near: Near, left: _Wide, right: _Wide) -> _Wide:
        if left.node is None or right.node is None:
            return _Wide(left.node or right.node, is_exact=False)
        is_same = left.node is near.left and right.node is near.right
        is_exact = left.is_exact and right.is_exact
        if near.is_ordered and not self._is_full:
            return _Wide(Near(left.node, right.node, near.distance), is_exact=False)
        sides = replace(near, left=left.node, right=right.node)
        return _Wide(near if is_same else sides, is_exact)

    def _leaf(self, leaf: Term | Phrase) -> _Wide:  # noqa: PLR0911  # one case per kind of field
        if leaf.field in INDEXED and leaf.field not in self._fields:
            label = f"{leaf.field}: few services have this field"
            self.notes.setdefault(f"{label}: {' '.join(words_of(leaf))!r} is left out here")
            return _ANYTHING
        if leaf.field == "keyword" and "keyword" not in self._fields:
            self.notes.setdefault(f"keyword: {' '.join(words_of(leaf))!r} is searched anywhere")
            return replace(self.of(replace(leaf, field=None)), is_exact=False)
        if leaf.field == OWN_WORDS and OWN_WORDS not in self._fields:
            return self._own_words(leaf)
        if leaf.field in HEADINGS:
            if leaf.field in self._fields:
                return _Wide(leaf)
            natural, as_listed = headings_as_words(leaf), leaf_of(heading_as_listed(leaf))
            # Keywords of a library's records contain headings in inverted form.
            is_inverted = self._is_full and natural != as_listed
            return _Wide(Or((natural, as_listed)) if is_inverted else natural)
        if leaf.field == "tiab" and "tiab" not in self._fields:
            return self.of(Or((replace(leaf, field="title"), replace(leaf, field="abstract"))))
        if self._is_full or not any(map(is_pattern, words_of(leaf))):
            return _Wide(leaf)
        return self._spell_out(leaf)

    def _own_words(self, leaf: Term | Phrase) -> _Wide:
        """Widen `tiabkw` to any field; under a NOT, narrow it to title and abstract."""
        if self._is_full or (not self._is_excluding and {"tiab", "keyword"} <= {*self._fields}):
            return self.of(Or((replace(leaf, field="tiab"), replace(leaf, field="keyword"))))
        field = "tiab" if self._is_excluding else None
        where = "in title and abstract only" if self._is_excluding else "as words without a field"
        self.notes.setdefault(f"{OWN_WORDS}: is searched {where}")
        return self.of(replace(leaf, field=field))

    def _spell_out(self, leaf: Term | Phrase) -> _Wide:
        forms = [self._forms(word) for word in words_of(leaf)]
        if prod(max(len(options), 1) for options in forms) > _MOST_FORMS:
            forms = [
                self._shorten(word) if is_pattern(word) else [(word, True)]
                for word in words_of(leaf)
            ]
        if not all(forms):
            self.notes.setdefault(f"{' '.join(words_of(leaf))!r} is checked in the results")
            return _ANYTHING
        is_exact = all(exact for options in forms for _, exact in options)
        if not is_exact:
            self.notes.setdefault(
                f"{' '.join(words_of(leaf))!r} is truncated and checked in the results"
            )
        texts = product(*([word for word, _ in options] for options in forms))
        leaves = tuple(leaf_of(words, leaf.field) for words in texts)
        return _Wide(join(Or, leaves), is_exact)

    def _forms(self, word: str) -> list[tuple[str, bool]]:
        """Return spellings and whether each is exact; none if the word cannot be sent."""
        if not is_pattern(word):
            return [(word, True)]
        stem = word.rstrip("*")
        is_long = self._shortest is not None and len(stem.rstrip("$")) >= self._shortest
        is_ending = stem.endswith("$") and is_long and not set(WILDCARDS) & set(stem.rstrip("$"))
        words = () if "*" in stem or is_ending else expand_wildcards(stem)
        return [(f"{form}{word[len(stem) :]}", True) for form in words] or self._shorten(word)

    def _shorten(self, word: str) -> list[tuple[str, bool]]:
        stem = before_wildcard(word)
        if self._shortest is None or len(stem) < max(self._shortest, 1):
            return []
        return [(f"{stem}*", False)]


def expand_wildcards(word: str) -> Iterator[str]:
    """Yield all words that a word with `?` and `$` matches; none if there are too many."""
    options = []
    for place, sign in enumerate(word):
        if sign not in "?$":
            options.append([sign])
            continue
        beside = word[max(place - 1, 0) : place + 2]
        letters = ascii_lowercase + (digits if any(map(str.isdigit, beside)) else "")
        options.append([*([""] if sign == "$" else []), *letters])
    if prod(map(len, options)) <= _MOST_FORMS:
        yield from map("".join, product(*options))


def _original_if_same(node: And | Or, widened: And | Or) -> Node:
    if len(widened.children) == 1:
        return widened.children[0]
    is_same = len(widened.children) == len(node.children) and all(
        one is other for one, other in zip(widened.children, node.children, strict=True)
    )
    return node if is_same else widened


def _is_indexed(node: Node) -> bool:
    """Whether only index fields decide whether a record matches."""
    match node:
        case Term() | Phrase():
            return node.field in {*INDEXED, "keyword"}
        case And(children) | Or(children):
            return all(map(_is_indexed, children))
        case Not(child):
            return _is_indexed(child)
        case _:
            return False


def sides(node: Node) -> tuple[list[Node], list[Node]]:
    """Split an AND, or a single node, into included and excluded parts without an outer NOT.

    By De Morgan's laws, `a OR NOT b` is the exclusion of `b AND NOT a`.
    """
    inclusions: list[Node] = []
    unwanted: list[Node] = []
    for child in conjuncts(node):
        positive, is_excluded = _polarity(child)
        if not is_excluded:
            inclusions.append(positive)
        else:
            unwanted.extend(positive.children if isinstance(positive, Or) else (positive,))
    return inclusions, unwanted


def _polarity(node: Node) -> tuple[Node, bool]:
    match node:
        case Not(child):
            positive, is_excluded = _polarity(child)
            return positive, not is_excluded
        case And(children):
            parts = [_polarity(child) for child in children]
            if all(is_excluded for _, is_excluded in parts):
                return Or(tuple(part for part, _ in parts)), True
            return And(tuple(Not(part) if out else part for part, out in parts)), False
        case Or(children):
            parts = [_polarity(child) for child in children]
            if not any(is_excluded for _, is_excluded in parts):
                return Or(tuple(part for part, _ in parts)), False
            return And(tuple(part if out else Not(part) for part, out in parts)), True
        case _:
            return node, False
