"""Parser for search strings of other systems."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn, Protocol

from paper_search.query.ast import (
    LETTER,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Refusal,
    Term,
    join,
    words_of,
)
from paper_search.query.footers import command_of, meaning_of, split_footers
from paper_search.query.lines import LABEL
from paper_search.query.normal_form import merge_conditions
from paper_search.query.operators import MAX_DISTANCE, OperatorReader, Part, Reading
from paper_search.query.systems import (
    EBSCO,
    EBSCO_TAGS,
    EMBASE,
    OVID,
    PUBMED,
    SCOPUS,
    WEB_OF_SCIENCE,
    System,
)
from paper_search.query.systems import YEAR as YEAR_FIELD
from paper_search.query.tagged import EXPECTED
from paper_search.query.tokens import Token, labels_of, tokens_of, with_names_in_front

_CUT_WORD = re.compile(
    r"(?<![^\W\d_])[^\W\d_]+-(?=\s+(?!(?:and|or|to|not|und|oder)\b)[^\W\d_])", re.IGNORECASE
)
_SEARCH = re.compile(r"\s{0,9}Search:?\s")
_LINKS = re.compile(r"(?:/\w+_[\w,]+)+$")
_SEARCH_COLON = re.compile(r"\s{0,9}Search:\s")
"""Printed by PubMed before a query."""


class EarlierLines(Protocol):
    """The lines of a strategy that a line may refer to."""

    def knows(self, label: str) -> bool:
        """Whether any line of the strategy has the label."""

    def tree(self, label: str, refuse: Callable[[str], NoReturn]) -> Node:
        """Return the tree of an earlier line; refuse any other label."""


class SentenceReader(OperatorReader):
    """Parses one search string, or one line of a strategy, which may refer to earlier `lines`."""

    def __init__(
        self, text: str, system: System, refuse: Refusal, lines: EarlierLines | None = None
    ) -> None:
        if system is PUBMED and (before := (_SEARCH if lines else _SEARCH_COLON).match(text)):
            text = " " * before.end() + text[before.end() :]
        query, self._footers = split_footers(text, system)
        if cut := _CUT_WORD.search(query):
            refuse(
                cut.start(), f"{cut[0]!r} is cut at the hyphen: join it with the rest of the word"
            )
        tokens = with_names_in_front(tokens_of(query, system), system)
        super().__init__(tokens, system, refuse, query)
        self._lines = lines
        self._has_tags = any(token.kind == "prefix" for token in self._tokens)
        self._is_naming = self._is_exact = False

    def reading(self) -> Reading:
        limits: list[Node] = []
        for footer in self._footers:
            nodes, notes = meaning_of(footer, self._system, self._refuse)
            limits += nodes
            self.notes += notes
        rest = self._without_ignored_limits(self._whole())
        if rest is None:
            self._refuse(0, "only limits that have no counterpart here are left: add search terms")
        is_own = self._system in {PUBMED, WEB_OF_SCIENCE}
        tree = merge_conditions(And((rest, *limits)) if limits else rest, has_own_keywords=is_own)
        return self._reading(tree)

    def _whole(self) -> Node:
        """Return the tree without the limits printed after the query."""
        if self._system is OVID and (command := command_of(self._text, self._refuse)):
            base = self._line(command.line, command.start)
            self.notes += command.notes
            return And((base, *command.conditions)) if command.conditions else base
        unknown = next((token for token in self._tokens if token.kind == "unknown"), None)
        if unknown is not None:
            self._refuse_sign(unknown)
        return self._whole_of(0).node

    def _refuse_sign(self, token: Token) -> NoReturn:
        if token.text == '"' or (token.text == "'" and self._system is EMBASE):
            self._refuse(token.start, "this quote is never closed")
        rest = self._text[token.start :].split()[0]
        self._refuse(
            token.start,
            f"{rest!r} is not valid in {self._system.name}: correct it, or delete it",
        )

    def _closeness(self, left: Part | None = None) -> Part:
        """Parse operands joined by proximity operators, and the tags after them."""
        left = super()._closeness(left)
        while self._is("suffix"):
            token = self._take()
            text = f"{left.within('')}{token.text.strip()}"
            tags = token.match["behind"].strip("()")
            self._leaves.check_field(tags, token)
            left = Part(self._leaves.within(tags, left.node), text)
            if self._leaves.widens_keywords(tags):
                note = "author keywords are searched together with subject headings"
                self.notes.append((token.start, f"{token.text.strip()}: {note}"))
            if links := _LINKS.search(token.text):
                self.notes.append((token.start, f"the subheadings {links[0]} are left out"))
        return left

    def _near(self, left: Node, token: Token, right: Node) -> Node:
        number = token.match["distance"]
        distance = int(number) if number else self._system.default_distance
        is_ordered = token.match["ordered"] is not None
        if not number and is_ordered:
            distance = self._system.adjacent  # NEXT and adj mean adjacent words
        if distance > MAX_DISTANCE:
            self._refuse(
                token.start,
                f"expected a distance from 0 to {MAX_DISTANCE} but found {token.text!r}",
            )
        distance = max(distance - self._system.adjacent, 0)
        self._check_distance(left, token, right)
        match left, right:
            case Term() | Phrase(), Term() | Phrase() if (
                is_ordered and not distance and left.field == right.field
            ):
                words = (*words_of(left), *words_of(right))
                return self._leaves.locate(Phrase(words, left.field), token.start)
        return Near(left, right, distance, is_ordered)

    def _operand(self) -> Part:  # noqa: PLR0911  # one case per kind of token
        token = self._peek()
        if token is None or token.kind in {")", "AND", "OR", "NOT", "near"}:
            self._refuse_next(EXPECTED)
        match token.kind:
            case "(":
                return self._parenthesis()
            case "prefix":
                return self._prefix_operand()
            case "heading":
                self._next += 1
                return Part(self._leaves.heading(token), token.text)
            case "pubmed_dates":
                self._next += 1
                return Part(self._leaves.pubmed_dates(token), token.text)
            case "dates":
                self._next += 1
                return Part(self._leaves.dates(token), token.text)
            case "limit":
                self._next += 1
                return self._limit(token)
            case "set" | "sets":
                self._next += 1
                nodes = [self._line(label, token.start) for label in labels_of(token, self._refuse)]
                is_and = token.kind == "sets" and token.match["how_many"].upper() == "AND"
                return Part(join(And if is_and else Or, nodes), token.text)
            case "suffix" | "named":
                self._refuse(token.start, f"{EXPECTED} before {token.text.strip()}")
        return self._words()

    def _joins(self, before: Token, token: Token) -> bool:
        are_words = {before.kind, token.kind} <= {"word", "quoted"}
        are_lines = not {before.kind, token.kind}.isdisjoint({"set", "sets"})
        if are_lines or not (
            self._system.joins == "all" or (are_words and self._system.joins == "words")
        ):
            return False
        if before.end == token.start and token.kind == "(" and before.kind == "word":
            name = self._system.name
            self._refuse(token.start, f"{before.text} is not a field of {name}: '('")
        return super()._joins(before, token)

    def _limit(self, token: Token) -> Part:
        """Parse a limit in brackets; ignore limits to one of the databases."""
        name = token.match["limits"].strip("[]").lower()
        if name in self._system.availability:
            self.notes.append((token.start, f"the limit {token.text} is left out"))
            return Part(_ANYTHING, token.text)
        return Part(self._leaves.limit(token), token.text)

    def _parenthesis(self) -> Part:
        part = super()._parenthesis()
        if self._system is PUBMED and self._is("suffix"):
            token = self._take()
            self._refuse(
                token.start,
                f'expected a word or a "phrase" before {token.text}: repeat the tag after'
                " every word of the group",
            )
        return part

    def _prefix_operand(self) -> Part:
        token = self._take()
        tags = token.match["before"]
        if tags.lower() in self._system.availability:
            self._depth_of_tags += 1
            operand = self._closeness()
            self._depth_of_tags -= 1
            text = f"{token.text}{operand.within('')}"
            self.notes.append((token.start, f"the limit {text} is left out"))
            return Part(_ANYTHING, text)
        self._leaves.check_field(tags, token)
        fields = self._leaves.fields(tags)
        is_years = self._system is WEB_OF_SCIENCE and self._is("(")  # a list of years
        if fields & {YEAR_FIELD, "entered"} and not is_years:
            self._refuse(token.start, f"expected years as in {tags.upper()}=2015-2019")
        self._deeper(token.start)
        was_naming, self._is_naming = self._is_naming, "author" in fields
        was_exact, self._is_exact = self._is_exact, fields <= {"type", "language", "venue"}
        self._depth_of_tags += 1
        if self._is("("):
            part = self._parenthesis()
            part = self._closeness(part) if self._is("near") else part
        else:
            part = self._closeness()
            while self._continues("word", "quoted", "("):
                self._operators[-1].add("AND")
                part = self._combine(part, "AND", self._closeness())
        self._is_naming, self._is_exact = was_naming, was_exact
        self._depth_of_tags -= 1
        self._depth -= 1
        return Part(self._leaves.within(tags, part.node), f"{token.text}{part.within('')}")

    def _pieces(self) -> list[Token]:
        pieces = [self._take()]
        while self._continues("word", "quoted", "span") or self._is_word_like_a_tag():
            pieces.append(self._take())
        return pieces

    def _is_word_like_a_tag(self) -> bool:
        """Whether two capitals in a phrase are not an EBSCO field: "TI patients with MS"."""
        token = self._peek()
        if token is None or token.kind != "prefix" or self._system is not EBSCO:
            return False
        return token.match["before"] not in EBSCO_TAGS

    def _words(self) -> Part:
        pieces = self._pieces()
        text = " ".join(piece.text for piece in pieces)
        if pieces[0].kind == "span" and len(pieces) == 1:
            return Part(self._leaves.locate(Term(text), pieces[0].start), text)
        if self._is_line(pieces):
            return Part(self._line(pieces[0].text, pieces[0].start), text)
        for piece in pieces:
            self._leaves.check(piece)
        if self._has_tags and not self._depth_of_tags and self._system in {SCOPUS, WEB_OF_SCIENCE}:
            self._refuse(pieces[0].start, f"{text!r} has no field: put one before it")
        lettered = [piece for piece in pieces if LETTER.search(piece.text)]
        if not lettered:
            self._refuse(pieces[0].start, f"{EXPECTED} but found {pieces[0].text!r}")
        if self._is_naming or self._is_named_behind():
            return Part(self._leaves.author(lettered), text)
        if self._system.is_phrase or self._is_exact:
            return Part(self._leaves.phrase(lettered), text)
        if self._system is PUBMED and self._is("suffix"):
            token = self._take()
            text = f"{text}{token.text.strip()}"
            leaves = self._tagged_leaves(lettered, token)
        else:
            leaves = [self._leaves.phrase([piece]) for piece in lettered]
        if len(leaves) > 1:
            self._operators[-1].add("AND")
            return Part(And(tuple(leaves)), text, "AND")
        return Part(leaves[0], text)

    def _tagged_leaves(self, pieces: list[Token], token: Token) -> list[Node]:
        leaves = self._leaves.with_tag(pieces, token)
        match leaves[-1]:
            case Term(field="subset") | Phrase(field="subset") as limit:
                name = " ".join(words_of(limit))
                if name.lower() in self._system.availability:
                    self.notes.append((token.start, f"the limit {name}{token.text} is left out"))
                    leaves[-1] = _ANYTHING
        return leaves

    def _is_named_behind(self) -> bool:
        token = self._peek()
        if token is None or token.kind != "suffix" or self._system is PUBMED:
            return False
        return self._leaves.fields(token.match["behind"]) == {"author"}

    def _is_line(self, pieces: list[Token]) -> bool:
        if self._lines is None or len(pieces) != 1 or pieces[0].kind != "word":
            return False
        is_named = LABEL.fullmatch(pieces[0].text) or self._lines.knows(pieces[0].text)
        return bool(is_named) and not self._is("suffix", "near")

    def _line(self, label: str, start: int) -> Node:
        if self._lines is None:
            self._refuse(
                start, f"the line {label.strip()} is not known here: paste the whole strategy"
            )
        return self._lines.tree(label, lambda reason: self._refuse(start, reason))

    def _without_ignored_limits(self, node: Node) -> Node | None:
        """Remove ignored limits; None if nothing else is in the tree."""
        match node:
            case And(children) | Or(children):
                parts = [self._without_ignored_limits(child) for child in children]
                rest = tuple(child for child in parts if child is not None)
                if isinstance(node, Or) and 0 < len(rest) < len(parts):
                    self._refuse(0, "a limit without a counterpart here is joined by OR")
                is_same = all(one is other for one, other in zip(parts, children, strict=True))
                return node if is_same else replace(node, children=rest) if rest else None
            case Not(child):
                inner = self._without_ignored_limits(child)
                return node if inner is child else None if inner is None else Not(inner)
            case _:
                return None if node is _ANYTHING else node


_ANYTHING = Term("*", is_prefix=True)
"""Placeholder for an ignored limit until the tree is complete."""
