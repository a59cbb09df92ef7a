"""Operator precedence, shared by the parsers of all query languages."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NoReturn

from paper_search.query.ast import And, Node, Not, Or, Refusal
from paper_search.query.normal_form import is_near_side
from paper_search.query.systems import SCOPUS, System
from paper_search.query.tagged import Leaves
from paper_search.query.tokens import Token

MAX_DEPTH = 100
MAX_DISTANCE = 100
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Part:
    """A parsed part: its tree, its text with all parentheses, and its outermost operator."""

    node: Node
    text: str
    operator: str | None = None

    def within(self, operator: str) -> str:
        """Return the text as an operand of an operator, in parentheses where needed."""
        is_same = self.operator in {None, operator} and operator != "NOT"
        return self.text if self.operator is None or is_same else f"({self.text})"


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed query before normalisation.

    Attributes:
        columns: columns of leaves and NOTs by `id()` of the node, which `node` keeps alive.
        notes: columns and remarks on what was left out or how it was interpreted.
        system: the system whose language it was in; None for our own.
        line: the query alone, if it was given as a numbered line.
    """

    node: Node
    columns: dict[int, int]
    notes: tuple[tuple[int, str], ...] = ()
    system: str | None = None
    line: str | None = None


class OperatorReader(ABC):
    """Recursive descent parser; operators of equal precedence are left-associative."""

    def __init__(self, tokens: list[Token], system: System, refuse: Refusal, text: str) -> None:
        self._tokens, self._system, self._refuse, self._text = tokens, system, refuse, text
        self._next = self._depth = self._depth_of_tags = 0
        self._operators: list[set[str]] = []
        self._leaves = Leaves(system, refuse)
        self.notes: list[tuple[int, str]] = []

    @abstractmethod
    def _operand(self) -> Part:
        """Parse one operand."""

    @abstractmethod
    def _near(self, left: Node, token: Token, right: Node) -> Node:
        """Return the tree of a proximity operator."""

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _is(self, *kinds: str) -> bool:
        token = self._peek()
        return token is not None and token.kind in kinds

    def _continues(self, *kinds: str) -> bool:
        """Whether the next token is one of these and belongs to the one before it."""
        token = self._peek()
        if token is None or token.kind not in kinds:
            return False
        return OperatorReader._joins(self, self._tokens[self._next - 1], token)

    def _take(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _refuse_next(self, reason: str) -> NoReturn:
        token = self._peek()
        if token is None:
            self._refuse(len(self._text), f"{reason} but found the end")
        if token.kind == "quote":
            self._refuse(token.start, "this quote is never closed")
        rest = ", which closes nothing" if token.kind == ")" and not self._depth else ""
        self._refuse(token.start, f"{reason} but found {token.text!r}{rest}")

    def _whole_of(self, start: int) -> Part:
        part = self._group_of(start)
        if self._peek() is not None:
            self._refuse_next("expected AND, OR or the end")
        return part

    def _reading(self, node: Node) -> Reading:
        notes = tuple((offset + 1, note) for offset, note in self.notes)
        return Reading(node, self._leaves.columns, notes)

    def _deeper(self, start: int) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._refuse(start, f"parentheses are nested deeper than {MAX_DEPTH}")

    def _parenthesis(self) -> Part:
        start = self._take().start
        self._deeper(start)
        part = self._group_of(start)
        if not self._is(")"):
            self._refuse_next(f"expected ')' for the '(' in column {start + 1}")
        self._take()
        self._depth -= 1
        return Part(part.node, f"({part.text})")

    def _closeness(self, left: Part | None = None) -> Part:
        part, count = left or self._operand(), 0
        while self._is("near"):
            token, count = self._take(), count + 1
            if count > MAX_DEPTH:
                self._refuse(token.start, f"more than {MAX_DEPTH} NEAR in a row")
            right = self._operand()
            near = self._near(part.node, token, right.node)
            text = f"{part.within('')} {token.text} {right.within('')}"
            part = Part(near, text)
        return part

    def _check_distance(self, left: Node, token: Token, right: Node) -> None:
        if not (is_near_side(left) and is_near_side(right)):
            self._refuse(token.start, f"{token.text} joins words, phrases or OR-groups of them")

    def _group_of(self, start: int) -> Part:
        """Parse the whole text or a group; note how operators of mixed precedence were read."""
        self._operators.append(set())
        part = self._operation(0)
        operators = self._operators.pop()
        is_ordered = len(set(self._system.levels.values())) > 1 and self._system.levels["NOT"] == 1
        if (
            {"AND", "OR"} <= operators
            or {"OR", "NOT"} <= operators
            or (is_ordered and {"AND", "NOT"} <= operators)
        ):
            text = part.text if len(part.text) <= _SHOWN else f"{part.text[:_SHOWN]}…"
            mixture = " and ".join(sorted(operators))
            note = f"{mixture} are mixed without parentheses: read as {text}"
            self.notes.append((start, note))
        return part

    def _operation(self, least: int) -> Part:
        left = self._inversion()
        while (name := self._operator()) is not None:
            level = self._system.levels[name]
            if level < least:
                break
            if self._is("AND", "OR", "NOT"):
                token = self._take()
                if name == "NOT" and token.kind == "AND":
                    self._take()
            self._operators[-1].add(name)
            left = self._combine(left, name, self._operation(level + 1))
        return left

    def _operator(self) -> str | None:
        """Return the next operator; adjacent operands are joined by AND."""
        token = self._peek()
        if token is None or token.kind in {")", "suffix", "near"}:
            return None
        if token.kind == "AND":
            after = self._tokens[self._next + 1 : self._next + 2]
            return "NOT" if after and after[0].kind == "NOT" else "AND"
        if token.kind in {"SAME", "XOR"}:
            self._refuse(token.start, f"{token.kind} has no counterpart here: write NEAR/n or AND")
        if token.kind not in {"OR", "NOT"}:
            if not self._joins(self._tokens[self._next - 1], token):
                self._refuse(token.start, f"expected AND, OR or NOT before {token.text.strip()!r}")
            return "AND"
        return token.kind

    def _joins(self, before: Token, token: Token) -> bool:
        """Whether a missing operator between operands means AND; not between rows."""
        is_inside = self._depth > self._depth_of_tags
        return is_inside or "\n" not in self._text[before.end : token.start]

    def _combine(self, left: Part, name: str, right: Part) -> Part:
        text = f"{left.within(name)} {name} {right.within(name)}"
        if name == "NOT":
            excluded = right.node.child if isinstance(right.node, Not) else Not(right.node)
            self._leaves.locate(excluded, self._leaves.columns.get(id(right.node), 1) - 1)
            right = Part(excluded, right.text)
        if self._system is SCOPUS and right.text.startswith("EXCLUDE"):
            name = "AND"  # a paper that any of them excludes is excluded
        kind = Or if name == "OR" else And
        parts: tuple[Node, ...] = (left.node,)
        if left.operator == name and isinstance(left.node, And | Or):
            parts = left.node.children
        return Part(kind((*parts, right.node)), text, name)

    def _inversion(self) -> Part:
        nots: list[Token] = []
        while self._is("NOT"):
            nots.append(self._take())
        part = self._closeness()
        if len(nots) % 2:
            node = self._leaves.locate(Not(part.node), nots[0].start)
            return Part(node, f"NOT {part.within('NOT')}", "NOT")
        return part
