"""Which of some known papers each line of a strategy finds, and which each concept loses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from paper_search.query.ast import And, Node, alternatives
from paper_search.query.evaluation import judge
from paper_search.query.normal_form import identity
from paper_search.query.strategy import Strategy

Document = Mapping[str, str | int | None]
_Z = 1.96


@dataclass(frozen=True, slots=True)
class LineContribution:
    """What a line finds of the known papers.

    Attributes:
        label: of the line.
        text: the line as it was written.
        matches: places of the papers that it finds.
        unique: those that no other line of its concept finds.
    """

    label: str
    text: str
    matches: frozenset[int]
    unique: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ConceptContribution:
    """What a part of a strategy, all of which have to match, finds of the known papers.

    Attributes:
        lines: of its lines, in their order; none: it is written in a line with other parts.
        matches: places of the papers that it finds.
        misses: those that it does not find.
        unknown: those whose text is not complete enough to tell.
    """

    lines: tuple[LineContribution, ...]
    matches: frozenset[int]
    misses: frozenset[int]
    unknown: frozenset[int]


def contributions(strategy: Strategy, papers: Sequence[Document]) -> list[ConceptContribution]:
    """Return what each concept of a strategy finds of some papers, and each of its lines.

    Raises:
        QuerySyntaxError: a line cannot be read.
    """
    tree = strategy.node
    parts = tree.children if isinstance(tree, And) else (tree,)
    return [_concept(part, strategy, papers) for part in parts]


def _concept(part: Node, strategy: Strategy, papers: Sequence[Document]) -> ConceptContribution:
    verdicts = [judge(part, paper) for paper in papers]
    lines = []
    targets = set(map(identity, alternatives(part)))
    for read in strategy.lines:
        node = read.node
        if node is not None and {*map(identity, alternatives(node))} <= targets:
            matches = frozenset(n for n, paper in enumerate(papers) if judge(node, paper))
            lines.append((read.line, node, matches))
    # A line that only joins others of the concept finds nothing by itself.
    own = [entry for entry in lines if identity(entry[1]) != identity(part)] or lines
    shares = tuple(
        LineContribution(
            line.label,
            line.text,
            matches,
            matches.difference(*(other for one, _, other in own if one is not line)),
        )
        for line, _, matches in own
    )
    return ConceptContribution(
        shares,
        *(
            frozenset(n for n, verdict in enumerate(verdicts) if verdict is value)
            for value in (True, False, None)
        ),
    )


def interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of Wilson for a share."""
    share, z = count / total, _Z
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total**2)) / (1 + z * z / total)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def report(concepts: Sequence[ConceptContribution], names: Sequence[str]) -> Iterator[str]:
    """Yield what each line contributes, and the relative recall of all concepts together."""
    for number, concept in enumerate(concepts, start=1):
        labels = ", ".join(line.label for line in concept.lines) or "in the last line"
        recall = f": finds {len(concept.matches)} of {len(names)} known papers" if names else ""
        yield (
            f"concept {number} (lines {labels}){recall}"
            if concept.lines
            else (f"concept {number} ({labels}){recall}")
        )
        for line in concept.lines if names else ():
            yield f"  line {line.label}: {len(line.matches)}, {len(line.unique)} by it alone"
        yield from (f"  loses {names[place]}" for place in sorted(concept.misses))
        if concept.unknown:
            yield f"  {len(concept.unknown)} cannot be told: abstract or headings are not known"
    if names:
        common = frozenset(range(len(names))).intersection(*(one.matches for one in concepts))
        low, high = interval(len(common), len(names))
        yield (
            f"relative recall: {len(common)} of {len(names)} known papers"
            f" ({len(common) / len(names):.0%}, 95 % interval {low:.0%} to {high:.0%})"
        )
