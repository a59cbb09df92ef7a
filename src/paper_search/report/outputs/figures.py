"""Figures of a report: the flow from records to cited sources, and their years.

matplotlib draws them once for SVG (pages), PNG (Word) and PDF (LaTeX).
"""

import io
import textwrap
from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Literal

from paper_search.errors import ConfigError, how_to_install
from paper_search.models.source_report import quantity
from paper_search.report.document import Report

CAPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "flow": "From the records found to the sources cited",
        "years": "Sources by year of publication, and those of them that are cited",
    }
)
Format = Literal["svg", "png", "pdf"]
INK, BLUE, PALE = "#1c1c1a", "#1f5673", "#c9d6de"
_LINE = 44
"""Characters of a label in one line."""
_WIDTH = 7.2
"""Inches; the width of the text on a page."""


def is_available() -> bool:
    return find_spec("matplotlib") is not None


def figures(report: Report, kind: Format = "svg") -> dict[str, bytes]:
    """Return the non-empty figures by name; errors as for `canvas`."""
    drawings = {"flow": _flow(report), "years": _years(report)}
    return {name: saved(drawing, kind) for name, drawing in drawings.items() if drawing is not None}


def _years(report: Report) -> Any:
    counts = Counter(source.year for source in report.sources if source.year is not None)
    if len(counts) < 2:  # noqa: PLR2004  # one bar shows nothing
        return None
    cited = Counter(report.evidence.by_key[key].year for key in report.cited)
    figure, axes = canvas(2.2)
    years = list(range(min(counts), max(counts) + 1))
    axes.bar(years, [counts[year] for year in years], 0.7, color=PALE, label="collected")
    axes.bar(years, [cited[year] for year in years], 0.7, color=BLUE, label="cited")
    axes.set_ylabel("sources")
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1), borderpad=0)
    return figure


def _flow(report: Report) -> Any:
    runs = report.searches
    if not runs or not report.sources:
        return None
    records = sum(row.kept for row in runs)
    places = len({row.source for row in runs})
    total, cited = len(report.sources), len(report.cited)
    withdrawn = len(report.sources) - len(report.evidence.usable)
    where = report.place_of_sources
    searches = quantity(len(runs), "search", "searches")
    steps = [
        (quantity(records, "record"), f"from {searches} of {quantity(places, 'source')}"),
        (quantity(total, "source"), f"{max(0, records - total):,} repeated or left out"),
        (f"{total - withdrawn:,} usable", f"{withdrawn:,} withdrawn"),
        (f"{cited:,} {where}", f"{total - withdrawn - cited:,} not {where}"),
    ]
    figure, axes = canvas(1.2)
    axes.set_axis_off()
    axes.set_xlim(0, len(steps))
    axes.set_ylim(0, 1)
    box = {"boxstyle": "round,pad=0.5", "facecolor": "#f6f4ec", "edgecolor": BLUE}
    for number, (count, note) in enumerate(steps):
        middle = number + 0.5
        axes.text(middle, 0.68, count, ha="center", va="center", bbox=box, weight="bold")
        axes.text(middle, 0.12, note, ha="center", va="center", fontsize=8, color="#5d5b54")
        if number:
            arrow = {"arrowstyle": "->", "color": INK}
            axes.annotate("", (middle - 0.36, 0.68), (middle - 0.62, 0.68), arrowprops=arrow)
    return figure


def canvas(height: float) -> tuple[Any, Any]:
    """Return a figure of that height in inches, and its axes.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # an extra
    except ImportError:
        raise ConfigError(
            f"figures need matplotlib: {how_to_install('figures')}, or leave them out"
        ) from None
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0, labelsize=8.5)
    return figure, axes


def saved(figure: Any, kind: Format) -> bytes:
    """Return the bytes of a figure's file, which are reproducible."""
    from matplotlib import rc_context  # noqa: PLC0415  # as above

    buffer = io.BytesIO()
    dates = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}, "png": {}}
    with rc_context({"svg.hashsalt": "paper-search", "svg.fonttype": "none", "font.size": 9}):
        figure.savefig(buffer, format=kind, dpi=150, metadata=dates[kind])
    return buffer.getvalue()


def short(text: str) -> str:
    plain = text.replace("$", "＄")  # matplotlib reads text between dollar signs as mathematics
    return "\n".join(textwrap.wrap(plain, _LINE, max_lines=2, placeholder=" …"))
