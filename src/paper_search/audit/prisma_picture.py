"""The flow diagram of PRISMA 2020: what is kept goes down, what is removed to the right."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from paper_search.audit.flow import PrismaFlow
from paper_search.report.outputs.figures import BLUE, INK, canvas

_LINE_IN, _PAD_IN, _GAP_IN = 0.165, 0.16, 0.3
"""Inches: height of a line, padding of a box, space between two rows."""
_LEAST_IN = {"Identification": 1.0, "Included": 0.66}
"""Inches: least height of a phase with one row, so that its name fits."""
_LEFT, _RIGHT = (0.55, 3.35), (4.05, 7.1)
"""Inches from the left edge: the two columns of boxes."""
_LETTERS = 47
_MOST = 8
"""Sources or reasons that are listed; the others are summed."""
_PHASES = {"Identification": "#dfe9ef", "Screening": "#ece7d6", "Included": "#dcebdf"}
_PREVIOUS_IN = 2.9
"""Inches: width of the column of previous studies."""


@dataclass(frozen=True)
class _Row:
    """What is kept at one stage of the flow, and what is removed there."""

    phase: str
    main: list[str]
    """Lines of its box, the first one bold."""
    side: list[str]

    @property
    def height(self) -> float:
        return max(_height(self.main), _height(self.side), _LEAST_IN.get(self.phase, 0))


def prisma_flow(flow: PrismaFlow) -> Any:
    """Return the flow as a figure, for an updated review in the form for updates.

    That has a separate column for previous studies, and counts the last update.
    """
    rows, previous = _rows(flow.parts[-1] if flow.parts else flow), flow.previous_included
    if previous is not None:
        rows[-1].main[:] = _lines("New works included", flow.included_last - previous)
        rows.append(
            _Row("Included", _lines("Works included in the review", flow.included_last), [])
        )
    height = sum(row.height for row in rows) + _GAP_IN * (len(rows) - 1) + 0.1
    figure, axes = canvas(height)
    axes.set_axis_off()
    axes.set_xlim(0 if previous is None else -_PREVIOUS_IN, 7.2)
    axes.set_ylim(height, 0)
    if previous is not None:
        figure.set_figwidth(figure.get_figwidth() * (7.2 + _PREVIOUS_IN) / 7.2)
        _previous_studies(axes, previous, rows, height)
    top, spans = 0.05, dict[str, tuple[float, float]]()
    for number, row in enumerate(rows):
        start, _ = spans.get(row.phase, (top, top))
        spans[row.phase] = (start, top + row.height)
        level = top + row.height / 2
        _box(axes, _LEFT, (top, row.height), row.main)
        if row.side:
            own = _height(row.side)
            _box(axes, _RIGHT, (level - own / 2, own), row.side)
            _arrow(axes, (_LEFT[1], level), (_RIGHT[0], level))
        if number:
            middle = sum(_LEFT) / 2
            _arrow(axes, (middle, top - _GAP_IN), (middle, top))
        top += row.height + _GAP_IN
    for phase, span in spans.items():
        _phase(axes, phase, span)
    return figure


def _previous_studies(axes: Any, count: int, rows: list[_Row], height: float) -> None:
    """Draw the column of previous studies, which leads to the last box."""
    across = (-_PREVIOUS_IN + 0.05, -0.15)
    lines = [*_lines("Previous studies", count), "included before this update"]
    _box(axes, across, (0.05, max(rows[0].height, _height(lines))), lines)
    middle, end = sum(across) / 2, height - 0.05 - rows[-1].height / 2
    axes.plot([middle, middle], [0.05 + rows[0].height, end], color=INK, linewidth=0.9)
    _arrow(axes, (middle, end), (_LEFT[0], end))


def _rows(flow: PrismaFlow) -> list[_Row]:
    removed = [
        ("duplicates", flow.duplicates - flow.given_again),
        ("the same record given again", flow.given_again),
        *((f"not kept: {why}", count) for why, count in flow.removal_reasons.items()),
    ]
    aside = [
        ("set aside by score or number", flow.set_aside),
        ("of earlier rounds, not decided on", flow.not_carried_over),
        ("not processed yet", flow.pending),
    ]
    removals = flow.duplicates + flow.removed_by_checks
    open_ = flow.undecided + flow.not_judged
    return [
        _Row(
            "Identification",
            _lines("Records identified", flow.identified, flow.by_source.items()),
            _lines("Removed before screening", removals, removed),
        ),
        _Row(
            "Screening",
            _lines("Works", flow.works),
            _lines("Not put up for screening", flow.works - flow.for_screening, aside),
        ),
        _Row(
            "Screening",
            _lines("Works for screening", flow.for_screening),
            _lines("Not decided yet", open_, [("not judged", flow.not_judged)]),
        ),
        _Row(
            "Screening",
            _lines("Works screened", flow.screened),
            _lines("Excluded", flow.excluded, flow.exclusion_reasons.items()),
        ),
        *_full_text_rows(flow),
        _Row("Included", _lines("Works included", flow.included_last), []),
    ]


def _full_text_rows(flow: PrismaFlow) -> list[_Row]:
    if (texts := flow.full_texts) is None:
        return []
    waiting = [("not looked for yet", texts.waiting), ("not assessed yet", texts.unassessed)]
    return [
        _Row(
            "Screening",
            _lines("Full texts sought", texts.sought),
            _lines("Full texts not retrieved", texts.not_retrieved, waiting),
        ),
        _Row(
            "Screening",
            _lines("Full texts assessed", texts.assessed),
            _lines("Excluded", texts.excluded, texts.exclusion_reasons.items()),
        ),
    ]


def _lines(what: str, total: int, parts: Iterable[tuple[str, int]] = ()) -> list[str]:
    """Return a total and its parts that are not 0; the smallest are summed in one line."""
    counts = sorted((part for part in parts if part[1]), key=lambda part: (-part[1], part[0]))
    lines = [
        f"{textwrap.shorten(name, _LETTERS - 12, placeholder=' …') or name[: _LETTERS - 12]} "
        f"(n = {count:,})"
        for name, count in counts[:_MOST]
    ]
    rest = sum(count for _, count in counts[_MOST:])
    others = [f"{len(counts) - _MOST} others (n = {rest:,})"] if rest else []
    return [f"{what} (n = {total:,})", *lines, *others]


def _height(lines: list[str]) -> float:
    return len(lines) * _LINE_IN + 2 * _PAD_IN


def _shape(axes: Any, corner: tuple[float, float], size: tuple[float, float], **look: Any) -> None:
    from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415  # an extra

    style = "round,pad=0,rounding_size=0.06"
    axes.add_patch(FancyBboxPatch(corner, *size, boxstyle=style, **look))


def _box(
    axes: Any, across: tuple[float, float], down: tuple[float, float], lines: list[str]
) -> None:
    (left, right), (top, height) = across, down
    size = (right - left, height)
    _shape(axes, (left, top), size, facecolor="white", edgecolor=BLUE, linewidth=1)
    middle = top + height / 2 - (len(lines) - 1) * _LINE_IN / 2
    for number, line in enumerate(lines):
        look = {"fontsize": 8 if number else 8.5, "weight": "normal" if number else "bold"}
        level, text = middle + number * _LINE_IN, line.replace("$", "＄")
        axes.text(left + 0.14, level, text, va="center", color=INK, **look)


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    arrow = {"arrowstyle": "-|>", "color": INK, "shrinkA": 0, "shrinkB": 1, "linewidth": 0.9}
    axes.annotate("", end, start, arrowprops=arrow)


def _phase(axes: Any, phase: str, span: tuple[float, float]) -> None:
    top, bottom = span
    size = (0.28, bottom - top)
    _shape(axes, (0.05, top), size, facecolor=_PHASES[phase], edgecolor="none")
    look = {"ha": "center", "va": "center", "fontsize": 8, "color": INK, "weight": "bold"}
    axes.text(0.19, (top + bottom) / 2, phase, rotation=90, **look)
