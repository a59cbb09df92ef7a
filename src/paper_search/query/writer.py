"""Writes a tree as a strategy of numbered lines in the language of a database.

The strategy never finds more than the tree, except for limits in `WrittenStrategy.left_out`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from paper_search.errors import InputError, UnknownNameError
from paper_search.query.ast import (
    HEADINGS,
    INDEXED,
    OWN_WORDS,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    conjuncts,
    is_wrapped,
    leaf_of,
    words_of,
)
from paper_search.query.dialects import DIALECTS, Dialect, InexpressibleError
from paper_search.query.evaluation import heading_as_listed, heading_words
from paper_search.query.normal_form import SEVERAL, field_of, in_field, normalise, render

_MOST_PHRASES = 60
"""Phrases that one proximity search may be replaced by."""


@dataclass(frozen=True, slots=True)
class WrittenStrategy:
    """A strategy, with notes and the limits that the database cannot express."""

    text: str
    notes: tuple[str, ...]
    left_out: tuple[Node, ...]


def write_strategy(tree: Node, database: str) -> WrittenStrategy:
    """Return the strategy to paste into a database.

    Raises:
        UnknownNameError: the database is not in `DIALECTS`.
        InputError: neither a part nor anything narrower can be expressed.
    """
    if database not in DIALECTS:
        raise UnknownNameError("database", database, list(DIALECTS))
    dialect = DIALECTS[database]
    writer = _Writer(dialect)
    try:
        writer.write(normalise(tree))
    except InexpressibleError as error:
        raise InputError(f"{dialect.name} cannot express this strategy: {error}") from error
    return WrittenStrategy(writer.text(), tuple(writer.notes), tuple(writer.left_out))


@dataclass(slots=True)
class _Writer:
    dialect: Dialect
    lines: list[str] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    left_out: list[Node] = field(default_factory=list)

    def text(self) -> str:
        if len(self.lines) == 1:
            return self.lines[0]
        label = self.dialect.label
        return "\n".join(f"{label.format(n)}{line}" for n, line in enumerate(self.lines, start=1))

    def write(self, tree: Node) -> None:
        parts = conjuncts(tree)
        concepts = [part for part in parts if not isinstance(part, Not) and not is_limit(part)]
        if not concepts:
            concepts = [part for part in parts if not isinstance(part, Not)]
        if not concepts:
            raise InexpressibleError("it has only exclusions")
        last = self._combine("AND", [self._concept(part) for part in concepts])
        for part in parts:
            if any(part is concept for concept in concepts):
                continue
            try:
                last = self._restrict(last, part)
            except InexpressibleError as error:
                self.left_out.append(part)
                what, why = render(part), str(error)
                is_named = why.startswith(what.replace('"', ""))
                self.notes[f"left out: {why if is_named else f'{what}: {why}'}"] = None

    def _add(self, line: str) -> int:
        self.lines.append(line)
        return len(self.lines)

    def _combine(self, operator: str, numbers: list[int]) -> int:
        if len(numbers) == 1:
            return numbers[0]
        return self._add(self.dialect.combination(operator, numbers))

    def _restrict(self, last: int, part: Node) -> int:
        line = self.dialect.reference.format(last)
        if isinstance(part, Not):
            count = len(self.lines)
            try:
                excluded = self._concept(part.child, is_exact=True)
            except InexpressibleError:
                del self.lines[count:]
                raise
            return self._add(
                f"{line} {self.dialect.word('NOT')} {self.dialect.reference.format(excluded)}"
            )
        if limit := self.dialect.limit_line(line, part):
            if self.dialect.limit_note:
                self.notes[self.dialect.limit_note] = None
            return self._add(limit)
        return self._add(f"{line} {self.dialect.word('AND')} {self._expression(part)}")

    def _concept(self, node: Node, *, is_exact: bool = False) -> int:
        """Write a concept on lines of its own, one for each heading and run of one field."""
        if not isinstance(node, Or):
            text = self._expression(node, is_exact=is_exact)
            return self._add(text[1:-1] if is_wrapped(text) else text)
        texts = [self._alternatives(run, is_exact=is_exact) for run in _runs(node)]
        numbers = [self._add(text[1:-1] if is_wrapped(text) else text) for text in texts if text]
        if not numbers:
            raise InexpressibleError(render(node))
        return self._combine("OR", numbers)

    def _alternatives(self, run: Or, *, is_exact: bool) -> str:
        """Return those alternatives that can be expressed, on one line."""
        texts = []
        children = []
        for child in run.children:
            try:
                texts.append(self._expression(child, is_exact=is_exact))
                children.append(child)
            except InexpressibleError as error:
                if is_exact:
                    raise
                self.notes[f"this alternative is left out, so less is found: {error}"] = None
        if not children:
            return ""
        if len(children) == len(run.children) > 1 and field_of(run) != SEVERAL:
            return self._expression(run, is_exact=is_exact)
        return f" {self.dialect.word('OR')} ".join(texts)

    def _expression(self, node: Node, *, is_exact: bool = False) -> str:
        """Return a part as an operand."""
        name = field_of(node)
        if name == OWN_WORDS and not self.dialect.has_own_keywords:
            node, name = self._without_own_keywords(node, is_exact=is_exact)
        if name != SEVERAL and not self.dialect.tags_each_leaf:
            return self.dialect.within(name, self._bare(node, is_exact=is_exact))
        match node:
            case Term() | Phrase():
                return self._leaf(node, is_exact=is_exact)
            case YearRange():
                return self.dialect.year_span(node)
            case Near():
                return self._near(node, is_exact=is_exact)
            case Or(children):
                texts = [self._expression(child, is_exact=is_exact) for child in children]
                return self._group("OR", texts)
            case And(children):
                return self._conjunction(children, is_exact=is_exact)
            case Not():
                raise InexpressibleError(f"{render(node)}: nothing to exclude it from")

    def _without_own_keywords(self, node: Node, *, is_exact: bool) -> tuple[Node, str]:
        """Widen author keywords to index terms; an exclusion gets title and abstract only."""
        reason = f"{self.dialect.name} does not separate author keywords from subject headings"
        if is_exact:
            note = f"{reason}: the exclusion uses title and abstract only, so more is found"
            self.notes[note] = None
            return in_field(node, "tiab"), "tiab"
        self.notes[f"{reason}: both are searched, so more is found"] = None
        return node, OWN_WORDS

    def _conjunction(self, children: tuple[Node, ...], *, is_exact: bool) -> str:
        first = [child for child in children if not isinstance(child, Not)]
        if not first:
            raise InexpressibleError("a part has only exclusions")
        rest = [child for child in children if child is not first[0]]
        text = self._expression(first[0], is_exact=is_exact)
        for number, child in enumerate(rest):
            is_not = isinstance(child, Not)
            side = child.child if isinstance(child, Not) else child
            clause = self._expression(side, is_exact=is_exact or is_not)
            whole = f"({text})" if number else text
            text = f"{whole} {self.dialect.word('NOT' if is_not else 'AND')} {clause}"
        return f"({text})"

    def _leaf(self, leaf: Term | Phrase, *, is_exact: bool) -> str:
        if leaf.field in HEADINGS and leaf.field != "substance":
            if note := self.dialect.heading_note:
                if is_exact and heading_words(leaf) != heading_as_listed(leaf):
                    raise InexpressibleError(f"{render(leaf)}: {note}")
                self.notes[f"{render(leaf)}: {note}"] = None
            return self.dialect.heading(leaf)
        if leaf.field in INDEXED or leaf.field == "substance":
            return self.dialect.index_term(leaf)
        texts = [
            self.dialect.within(leaf.field, self.dialect.leaf(form))
            for form in self._spellings(leaf)
        ]
        return self._group("OR", texts)

    def _spellings(self, leaf: Term | Phrase) -> list[Term | Phrase]:
        forms = self.dialect.spellings(leaf)
        if len(forms) > 1:
            note = f"{render(leaf)}: {self.dialect.name} has no such wildcard; spelled out"
            self.notes[note] = None
        return forms

    def _bare(self, node: Node, *, is_exact: bool) -> str:
        """Return a part without the field that all of it has."""
        match node:
            case Term() | Phrase():
                return self._group("OR", list(map(self.dialect.leaf, self._spellings(node))))
            case And(children) | Or(children):
                operator = "AND" if isinstance(node, And) else "OR"
                return self._group(
                    operator, [self._bare(child, is_exact=is_exact) for child in children]
                )
            case Near(left, right):
                if sign := self.dialect.distance(node):
                    sides = [self._bare(side, is_exact=is_exact) for side in (left, right)]
                    return f"({f' {sign} '.join(sides)})"
                return self._group(
                    "OR", [self.dialect.leaf(one) for one in self._phrases(node, is_exact=is_exact)]
                )
            case _:
                raise InexpressibleError(render(node))

    def _group(self, operator: str, texts: list[str]) -> str:
        text = f" {self.dialect.word(operator)} ".join(texts)
        return text if len(texts) == 1 else f"({text})"

    def _near(self, near: Near, *, is_exact: bool) -> str:
        name = field_of(near)
        if name == SEVERAL:
            raise InexpressibleError(f"{render(near)}: the sides are in different fields")
        pairs = self.dialect.pairs(near, name)
        if pairs is not None:
            if name in {None, OWN_WORDS} and is_exact:
                raise InexpressibleError(f"{render(near)}: distances only in title and abstract")
            if name in {None, OWN_WORDS}:
                self.notes[f"{render(near)}: searched in title and abstract only"] = None
            return self._group("OR", pairs)
        leaves = self._phrases(near, is_exact=is_exact)
        return self._group(
            "OR", [self.dialect.within(name, self.dialect.leaf(one)) for one in leaves]
        )

    def _phrases(self, near: Near, *, is_exact: bool) -> list[Phrase]:
        if near.distance or not near.is_ordered:
            if is_exact:
                raise InexpressibleError(f"{render(near)}: the distance")
            self.notes[
                f"{render(near)}: {self.dialect.name} cannot express this distance; written as"
                " phrases, which find less"
            ] = None
        phrases = []
        for left, right in product(list(_leaves(near.left)), list(_leaves(near.right))):
            for one, other in [(left, right), (right, left)][: 1 if near.is_ordered else 2]:
                phrase = leaf_of((*words_of(one), *words_of(other)), one.field)
                forms = self.dialect.spellings(phrase)
                phrases += [form for form in forms if isinstance(form, Phrase)]
        if len(phrases) > _MOST_PHRASES:
            raise InexpressibleError(f"{render(near)}: the distance")
        return phrases


def is_limit(node: Node) -> bool:
    if isinstance(node, Or):
        return all(map(is_limit, node.children))
    return isinstance(node, YearRange) or (
        isinstance(node, Term | Phrase) and node.field in INDEXED
    )


def _runs(group: Or) -> Iterator[Or]:
    """Group consecutive alternatives of the same field; headings stay single."""
    run: list[Node] = []
    for child in group.children:
        if run and (field_of(child) == SEVERAL or field_of(child) != field_of(run[0])):
            yield Or(tuple(run))
            run = []
        run.append(child)
    yield Or(tuple(run))


def _leaves(node: Node) -> Iterator[Term | Phrase]:
    match node:
        case Term() | Phrase():
            yield node
        case Or(children):
            for child in children:
                yield from _leaves(child)
        case _:
            raise InexpressibleError(f"{render(node)}: distances inside each other")
