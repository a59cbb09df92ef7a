"""A strategy of numbered lines: its tree, and how many known papers each line finds."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from paper_search.errors import QuerySyntaxError
from paper_search.query.ast import INDEXED, Node, Not, alternatives, conjuncts, straighten
from paper_search.query.evaluation import evaluate, judge, unknown_fields
from paper_search.query.lines import NAMES_LINES, STRAY, Line, Lines, is_combined, lines_of, order
from paper_search.query.normal_form import identity, normalise
from paper_search.query.reader import SentenceReader
from paper_search.query.systems import PUBMED, System, detect_system
from paper_search.query.writer import is_limit


@dataclass(slots=True)
class ReadLine:
    """A line of a strategy, its tree or an error, and remarks by column."""

    line: Line
    node: Node | None = None
    notes: tuple[tuple[int, str], ...] = ()
    error: QuerySyntaxError | None = None


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy, whose last line is the query; no line refers to those in `unused`."""

    system: System
    lines: tuple[ReadLine, ...]
    unused: tuple[str, ...]
    headings: tuple[str, ...] = ()

    @property
    def node(self) -> Node:
        """The tree of the last line; raises the error of the first line that has one."""
        for entry in self.lines:
            if entry.error is not None:
                raise entry.error
        last = self.lines[-1].node
        assert last is not None  # noqa: S101  # a line has a tree or an error
        return last

    def remarks(self) -> Iterator[tuple[int, str]]:
        for entry in self.lines:
            for column, note in entry.notes:
                yield column, f"line {entry.line.label}: {note}"
        for text in self.headings:
            yield 1, f"read as a heading and left out: {text!r}"
        if self.unused:
            yield 1, f"no line refers to line {', '.join(self.unused)}: it is not searched"


def parse_strategy(text: str) -> Strategy | None:
    """Parse a strategy; None if the text is a single query or not a query.

    Syntax errors are in `ReadLine.error`.

    Raises:
        QuerySyntaxError: no line combines the other lines.
    """
    lines = lines_of(straighten(text))
    system = detect_system("\n".join(line.text for line in lines.lines))
    if not lines.is_strategy or (system is None and not lines.is_combined):
        if system is not None:
            _refuse_uncombined(lines, system, text)
        return None
    reader = _LineReader(system or PUBMED, text, lines.lines)
    entries = tuple(map(reader.parse, lines.lines))
    unused = {line.label for line in lines.lines[:-1]} - reader.used
    return Strategy(reader.system, entries, tuple(sorted(unused, key=order)), tuple(lines.headings))


def _refuse_uncombined(lines: Lines, system: System, text: str) -> None:
    """Refuse several queries without a line that combines them."""
    foreign = [line for line in lines.lines if system.marks.search(line.text)]
    if len(foreign) > 1 and (lines.is_numbered or len(foreign) == len(lines.lines)):
        last = lines.lines[-1]
        raise QuerySyntaxError(
            f"line {last.row}, column {last.column}: no line combines the others: add"
            f" a last line such as {lines.lines[0].label} AND {last.label}",
            query=text,
            column=last.column,
            line=last.row,
        )


class _LineReader:
    def __init__(self, system: System, text: str, lines: list[Line]) -> None:
        self.system, self._text = system, text
        self.used: set[str] = set()
        self._labels = {line.label.upper() for line in lines}
        self._entries: dict[str, ReadLine] = {}

    def parse(self, line: Line) -> ReadLine:
        """Parse a line; a syntax error is part of the result."""
        refuse = partial(self._refuse, line)
        name = line.label.upper()
        try:
            if name in self._entries:
                refuse(0, f"two lines are numbered {line.label}: renumber one of them")
            # Between line numbers, operators may be lower case in every system.
            text = line.text.upper() if is_combined(line.text, self._labels) else line.text
            if line.label.startswith(STRAY) and not NAMES_LINES.search(line.text):
                refuse(0, "this row has no number and names no line: number it, or delete it")
            sentence = SentenceReader(text, self.system, refuse, self).reading()
            node = normalise(sentence.node)
            notes = tuple((line.column - 1 + column, note) for column, note in sentence.notes)
            entry = ReadLine(line, node, notes)
        except QuerySyntaxError as error:
            entry = ReadLine(line, error=error)
        self._entries.setdefault(name, entry)
        return entry

    def knows(self, label: str) -> bool:
        return _bare(label) in self._labels

    def tree(self, label: str, refuse: Callable[[str], NoReturn]) -> Node:
        name = _bare(label)
        entry = self._entries.get(name)
        if entry is None and name in self._labels:
            refuse(f"line {name} is not before this one: a line can only refer to earlier lines")
        if entry is None:
            labels = ", ".join(sorted(self._entries, key=order)[-3:])
            refuse(
                f"there is no line {name}: the last lines before this one are {labels or 'none'}"
            )
        self.used.add(entry.line.label)
        if entry.node is None:
            refuse(f"line {name} could not be read: correct it first")
        return entry.node

    def _refuse(self, line: Line, offset: int, reason: str) -> NoReturn:
        row, column = line.place(offset)
        raise QuerySyntaxError(
            f"line {row}, column {column}: {reason}", query=self._text, column=column, line=row
        )


def _bare(label: str) -> str:
    return label.strip("[] ").upper().lstrip("#SL ") or label.strip().upper()


Document = Mapping[str, str | int | None]
_Z = 1.96


@dataclass(frozen=True, slots=True)
class LineContribution:
    """Indices of the known papers that a line finds, and that only it finds in its concept."""

    label: str
    text: str
    matches: frozenset[int]
    unique: frozenset[int]


@dataclass(frozen=True, slots=True)
class ConceptContribution:
    """The known papers that one AND-ed part of a strategy finds, by their indices.

    Attributes:
        lines: its lines, in order; none if it shares a line with other parts.
        label: the label of the line that ANDs it with the others.
        is_restriction: whether it is a limit or an exclusion.
        matches: the papers that it finds or keeps.
        unknown: undecidable papers, with the missing fields.
        unindexed: papers in `matches` that a source with index data may exclude.
    """

    lines: tuple[LineContribution, ...]
    label: str
    is_restriction: bool
    matches: frozenset[int]
    misses: frozenset[int]
    unknown: Mapping[int, frozenset[str]]
    unindexed: frozenset[int]

    @property
    def where(self) -> str:
        labels = [line.label for line in self.lines] or [self.label]
        return f"line{'s' * (len(labels) > 1)} {', '.join(labels)}"


def contributions(strategy: Strategy, papers: Sequence[Document]) -> list[ConceptContribution]:
    """Return which papers each concept of a strategy and each of its lines find.

    As in a search, limits and exclusions on index fields keep papers without index data.
    """
    return [_concept(part, strategy, papers) for part in conjuncts(strategy.node)]


def _concept(part: Node, strategy: Strategy, papers: Sequence[Document]) -> ConceptContribution:
    targets = set(map(identity, alternatives(part)))
    lines = [
        (entry.line, node, frozenset(n for n, paper in enumerate(papers) if judge(node, paper)))
        for entry in strategy.lines
        if (node := entry.node) is not None and {*map(identity, alternatives(node))} <= targets
    ]
    # A line that only combines lines of the concept finds nothing of its own.
    own = [entry for entry in lines if identity(entry[1]) != identity(part)] or lines
    shares = []
    for line, _, matches in own:
        unique = matches.difference(*(other for one, _, other in own if one is not line))
        shares.append(LineContribution(line.label, line.text, matches, unique))
    verdicts = [judge(part, paper) for paper in papers]
    unknown = {
        n: frozenset(unknown_fields(part, papers[n]))
        for n, verdict in enumerate(verdicts)
        if verdict is None
    }
    unindexed = frozenset(
        n
        for n, fields in unknown.items()
        if (is_limit(part) and fields <= {*INDEXED})
        or (isinstance(part, Not) and not fields & _OF_RECORDS and evaluate(part, papers[n]))
    )
    return ConceptContribution(
        tuple(shares),
        next(entry.line.label for entry in strategy.lines if entry.node and _has(entry.node, part)),
        isinstance(part, Not) or is_limit(part),
        unindexed.union(n for n, verdict in enumerate(verdicts) if verdict),
        frozenset(n for n, verdict in enumerate(verdicts) if verdict is False),
        {n: fields for n, fields in unknown.items() if n not in unindexed},
        unindexed,
    )


_OF_RECORDS = {"abstract", "author", "venue", "year"}
"""Fields that do not depend on indexing."""


def _has(node: Node, part: Node) -> bool:
    return identity(part) in map(identity, conjuncts(node))


def interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a proportion."""
    share, z = count / total, _Z
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total**2)) / (1 + z * z / total)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def report(concepts: Sequence[ConceptContribution], names: Sequence[str]) -> Iterator[str]:
    """Yield each line's contribution and the relative recall, a range if papers are undecidable."""
    for number, concept in enumerate(concepts, start=1):
        count = len(concept.matches)
        is_limit = concept.is_restriction
        kind, verb = ("restriction", "keeps") if is_limit else ("concept", "finds")
        recall = f": {verb} {count} of {len(names)} known papers" if names else ""
        yield f"{kind} {number} ({concept.where}){recall}"
        for line in concept.lines if names else ():
            yield f"  line {line.label}: {len(line.matches)}, {len(line.unique)} by it alone"
        yield from (f"  loses {names[place]}" for place in sorted(concept.misses))
        for fields, papers in Counter(concept.unknown.values()).items():
            yield f"  {papers} undecided; missing: {', '.join(sorted(fields))}"
        if concept.unindexed:
            yield (
                f"  {len(concept.unindexed)} kept without index data: a source that has it may"
                " exclude them"
            )
    if names:
        yield _recall(concepts, len(names))


def _recall(concepts: Sequence[ConceptContribution], total: int) -> str:
    everything = frozenset(range(total))
    least = len(everything.intersection(*(one.matches for one in concepts)))
    most = len(everything.difference(*(one.misses for one in concepts)))
    low, high = interval(least, total)[0], interval(most, total)[1]
    is_span = least < most
    counts = f"{least} to {most}" if is_span else f"{least}"
    shares = f"{least / total:.0%}" + f" to {most / total:.0%}" * is_span
    return (
        f"relative recall: {counts} of {total} known papers"
        f" ({shares}, 95 % interval {low:.0%} to {high:.0%})"
    )
