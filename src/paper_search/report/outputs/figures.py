"""Figures of a report as SVG: the evidence map, the years, the themes."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

from paper_search.errors import ConfigError
from paper_search.report.document import Report

_SHADES = {"strong": "#1b6b3a", "moderate": "#5aa469", "weak": "#c9d8b6", "gap": "#eeeeee"}
_LONGEST = 60


def figures(report: Report) -> dict[str, str]:
    """Return the figures by caption, as SVG; those that there is nothing to show for are left out.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    drawn = {
        "Findings for each sub-question, by the grade of their evidence": _evidence(report),
        "Sources by year of publication": _years(report),
        "Themes, by how many sources share them": _themes(report),
    }
    return {caption: svg for caption, svg in drawn.items() if svg}


def _evidence(report: Report) -> str:
    questions = report.provenance.get("sub_questions") or []
    if report.analysis is None or not questions:
        return ""
    counts = [
        Counter(f.grade for f in report.analysis.findings if f.question == index)
        for index in range(len(questions))
    ]
    figure, axes = _canvas(len(questions))
    left = [0] * len(questions)
    for grade in ("strong", "moderate", "weak"):
        widths = [count[grade] for count in counts]
        axes.barh(range(len(questions)), widths, left=left, color=_SHADES[grade], label=grade)
        left = [one + other for one, other in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(questions)), [_short(question) for question in questions])
    axes.invert_yaxis()
    axes.set_xlabel("findings")
    axes.legend(frameon=False, fontsize=8)
    return _svg(figure)


def _years(report: Report) -> str:
    counts = Counter(source.year for source in report.sources if source.year is not None)
    if len(counts) < 2:  # noqa: PLR2004  # one bar shows nothing
        return ""
    figure, axes = _canvas(4)
    years = list(range(min(counts), max(counts) + 1))
    axes.bar(years, [counts[year] for year in years], color="#22557a")
    axes.set_ylabel("sources")
    axes.locator_params(axis="both", integer=True)
    return _svg(figure)


def _themes(report: Report) -> str:
    themes = report.analysis.theme_details if report.analysis else []
    if not themes:
        return ""
    figure, axes = _canvas(len(themes))
    axes.barh(range(len(themes)), [len(theme.sources) for theme in themes], color="#b8a04a")
    axes.set_yticks(range(len(themes)), [_short(theme.label) for theme in themes])
    axes.invert_yaxis()
    axes.set_xlabel("sources")
    axes.locator_params(axis="x", integer=True)
    return _svg(figure)


def _canvas(rows: int) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # an extra
    except ImportError:
        raise ConfigError(
            "figures need matplotlib: pip install 'paper-search[figures]', or leave them out"
        ) from None
    figure = Figure(figsize=(8, 1.4 + 0.45 * rows), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Any) -> str:
    from matplotlib import rc_context  # noqa: PLC0415  # as above

    buffer = io.StringIO()
    # The same report gives the same bytes.
    with rc_context({"svg.hashsalt": "paper-search", "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def _short(text: str) -> str:
    plain = text.replace("$", "＄")  # matplotlib reads mathematics between dollars
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
