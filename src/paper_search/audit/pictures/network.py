"""Who cites whom among the works of a result, as far as the records say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from paper_search.audit.fates import Fate, RecordFate
from paper_search.bibliography.names import parts_of
from paper_search.models import Paper, RawPaper
from paper_search.report.outputs.figures import BLUE, INK, PALE, canvas

_MOST, _MOST_NAMED = 60, 14
"""Works that are drawn, and those of them that are named: the most linked ones."""
_SWEEPS = 12
_TRAIL = re.compile(r"\b(references|citations) of (\S+)$")
_SHOWN = frozenset({Fate.INCLUDED, Fate.UNDECIDED, Fate.NOT_JUDGED})

_ARROW: Mapping[str, Any] = MappingProxyType(
    {
        "arrowstyle": "-|>",
        "color": "#9aa9b2",
        "linewidth": 0.7,
        "shrinkA": 4,
        "shrinkB": 5,
        "connectionstyle": "arc3,rad=0.12",
    }
)

Edge = tuple[str, str]
"""The work that cites and the one that is cited."""


def citations(records: Sequence[RecordFate]) -> set[Edge]:
    """Return the citations between works of the result, by their ids.

    They come from the references in OpenAlex's records, and from where snowballing found a record.
    """
    shown = {record.kept_as for record in records if record.fate in _SHOWN}
    named = {
        name: record.kept_as
        for record in records
        if record.kept_as in shown
        for name in _names(record.record)
    }
    edges = {
        (named.get(one, ""), named.get(other, ""))
        for record in records
        if record.kept_as in shown
        for one, other in _cited(record)
    }
    return {(one, other) for one, other in edges if one and other and one != other}


def citation_network(records: Sequence[RecordFate]) -> Any:
    """Return the works that cite each other, by year; None: none is known to cite another."""
    edges = citations(records)
    papers = {record.kept_as: record.paper for record in records if record.fate in _SHOWN}
    degree = Counter(work for edge in edges for work in edge if papers[work].year)
    chosen = sorted(degree, key=lambda work: (-degree[work], work))[:_MOST]
    drawn = {(one, other) for one, other in edges if one in chosen and other in chosen}
    if not drawn:
        return None
    figure, axes = canvas(5.2)
    places = _places(chosen, papers, drawn)
    for one, other in sorted(drawn):
        axes.annotate("", places[other], places[one], arrowprops=dict(_ARROW), zorder=1)
    included = {record.kept_as for record in records if record.fate is Fate.INCLUDED}
    for work in chosen:
        colour = BLUE if work in included else PALE
        size = 24 + 16 * degree[work]
        axes.scatter(*places[work], s=size, color=colour, edgecolor="white", zorder=2)
    for work in chosen[:_MOST_NAMED]:
        _name(axes, places[work], papers[work])
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    axes.margins(0.08)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("year; an arrow leads to the work that is cited; dark: included")
    return figure


def _name(axes: Any, place: tuple[float, float], paper: Paper) -> None:
    from matplotlib.patheffects import withStroke  # noqa: PLC0415  # an extra

    above = {"textcoords": "offset points", "xytext": (0, 8), "ha": "center"}
    halo = [withStroke(linewidth=2.5, foreground="white")]
    said = _label(paper)
    axes.annotate(said, place, fontsize=7, color=INK, zorder=3, path_effects=halo, **above)


def _names(record: RawPaper) -> Iterator[str]:
    """Yield what others call a record in their references."""
    if record.openalex_id:
        yield record.openalex_id
    if record.s2_id:
        yield record.s2_id
    if record.doi:
        yield record.doi.lower()
        yield f"doi:{record.doi.lower()}"
    yield record.id


def _cited(record: RecordFate) -> Iterator[Edge]:
    """Yield citations that a record tells of, by any names."""
    own = record.record.id
    given = record.record.raw_data.get("references")
    for other in given if isinstance(given, list) else []:
        yield own, str(other)
    for seen in record.record.sightings:
        trail = _TRAIL.search(seen.query or "")
        if trail is not None:
            way, name = trail.groups()
            seed = name if name.isupper() else name.lower()
            yield (seed, own) if way == "references" else (own, seed)


def _places(
    chosen: Sequence[str], papers: Mapping[str, Paper], edges: set[Edge]
) -> dict[str, tuple[float, float]]:
    """Return where each work stands: by its year, and near to what it is linked with."""
    columns: dict[int, list[str]] = {}
    for work in sorted(chosen):
        columns.setdefault(papers[work].year or 0, []).append(work)
    linked: dict[str, list[str]] = {work: [] for work in chosen}
    for one, other in sorted(edges):
        linked[one].append(other)
        linked[other].append(one)
    height = {work: _spread(column)[work] for column in columns.values() for work in column}

    def wish(work: str) -> tuple[float, str]:
        near = [height[other] for other in linked[work]] or [height[work]]
        return sum(near) / len(near), work

    for _ in range(_SWEEPS):
        for column in columns.values():
            column.sort(key=wish)
            height.update(_spread(column))
    return {work: (papers[work].year or 0, height[work]) for work in chosen}


def _spread(column: Sequence[str]) -> dict[str, float]:
    """Return heights between 0 and 1, evenly apart."""
    step = 1 / (len(column) + 1)
    return {work: step * (place + 1) for place, work in enumerate(column)}


def _label(paper: Paper) -> str:
    family = parts_of(paper.authors[0]).family if paper.authors else ""
    return f"{family or paper.title[:18]} {paper.year}".replace("$", "＄")
