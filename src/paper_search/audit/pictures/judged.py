"""What became of the works: by year, by score, and while they were screened."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

from paper_search.audit.fates import Fate, Work
from paper_search.audit.reading import ReviewThread
from paper_search.report.outputs.figures import BLUE, INK, PALE, canvas

_RUST, _GREY = "#b5532f", "#d9d8d2"
_SHOWN = {
    Fate.INCLUDED: ("included", BLUE),
    Fate.UNDECIDED: ("not decided", PALE),
    Fate.NOT_JUDGED: ("not judged", "#e6d9a8"),
    Fate.EXCLUDED: ("excluded", _RUST),
}
_SCORED = {**_SHOWN, Fate.SET_ASIDE: ("set aside", _GREY)}


def papers_by_year(works: Sequence[Work]) -> Any:
    """Return the works for screening by year; None: they are of no two years."""
    counts = Counter((work.fate, work.paper.year) for work in works if work.paper.year)
    years = sorted({year for fate, year in counts if fate in _SHOWN and year is not None})
    if len(years) < 2:  # noqa: PLR2004  # one bar shows nothing
        return None
    span = range(years[0], years[-1] + 1)
    figure, axes = canvas(2.4)
    bottom = [0] * len(span)
    for fate, (label, colour) in _SHOWN.items():
        heights = [counts[fate, year] for year in span]
        if any(heights):
            axes.bar(span, heights, 0.74, bottom, color=colour, label=label)
        bottom = [one + other for one, other in zip(bottom, heights, strict=True)]
    axes.set_ylabel("works")
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1), borderpad=0)
    return figure


def scores(thread: ReviewThread, works: Sequence[Work]) -> Any:
    """Return the scores, those of the result before its line; None: there is no result."""
    fates = {work.paper.id: work.fate for work in works}
    collection = thread.collection
    if collection is None or len(fates) < 2:  # noqa: PLR2004  # no order
        return None
    every = sorted(
        [*collection.papers, *collection.set_aside],
        key=lambda paper: (fates.get(paper.id) is Fate.SET_ASIDE, -paper.relevance_score, paper.id),
    )
    figure, axes = canvas(2.6)
    for fate, (label, colour) in _SCORED.items():
        places = [n for n, paper in enumerate(every, start=1) if fates.get(paper.id) is fate]
        if places:
            is_decided = fate in {Fate.INCLUDED, Fate.EXCLUDED}
            heights = [every[n - 1].relevance_score for n in places]
            size, order = (15, 3) if is_decided else (9, 2)
            points = {"s": size, "color": colour, "label": label, "zorder": order}
            axes.scatter(places, heights, edgecolor="none", **points)
    aside = sum(fates.get(paper.id) is Fate.SET_ASIDE for paper in every)
    if aside:
        line = len(every) - aside + 0.5
        axes.axvline(line, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        label = f" set aside: {aside:,}"
        axes.text(line, 1.0, label, va="top", fontsize=8, color=INK)
    axes.set_ylim(-0.03, 1.05)
    axes.set_xlabel("works of the result, then works set aside, by score")
    axes.set_ylabel("score")
    spaces = {"borderpad": 0, "columnspacing": 1.2, "handletextpad": 0.1}
    axes.legend(frameon=False, ncols=5, loc="lower left", bbox_to_anchor=(0, 1), **spaces)
    return figure


def recall(thread: ReviewThread, works: Sequence[Work]) -> Any:
    """Return how many relevant works were found by how much screening; None: too few decisions."""
    verdicts = verdicts_in_order(thread, works)
    if len(verdicts) < 2 or not any(verdicts):  # noqa: PLR2004  # no curve
        return None
    count = [0, *itertools.accumulate(int(verdict) for verdict in verdicts)]
    figure, axes = canvas(2.8)
    axes.fill_between(range(len(count)), count, step="post", color=PALE, alpha=0.45, linewidth=0)
    axes.step(range(len(count)), count, where="post", color=BLUE, linewidth=2, label="found")
    even = {"color": INK, "linewidth": 1, "linestyle": (0, (4, 3)), "label": "in a random order"}
    axes.plot([0, len(verdicts)], [0, count[-1]], **even)
    last = f" {count[-1]:,} of {len(verdicts):,}"
    axes.text(len(verdicts), count[-1], last, va="center", fontsize=8, color=INK)
    axes.set_xlabel("works screened")
    axes.set_ylabel("relevant works found")
    axes.set_xlim(0, len(verdicts) * 1.1)
    axes.set_ylim(0, max(count) * 1.1)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1), borderpad=0)
    return figure


def verdicts_in_order(thread: ReviewThread, works: Sequence[Work]) -> list[bool]:
    """Return the verdicts that hold in the order in which the works were decided on.

    Of independent reviewers, the first to decide counts: what they agree on is entered later, all
    at once. What one answer says at once is taken by score, as it was shown.
    """
    first: dict[str, str] = {}
    for mark in itertools.chain.from_iterable(thread.independent.values()):
        if mark.is_relevant is not None:
            first[mark.paper_id] = min(mark.said_at, first.get(mark.paper_id, mark.said_at))
    decided = [work for work in works if work.fate in {Fate.INCLUDED, Fate.EXCLUDED}]

    def when(work: Work) -> tuple[str, float, str]:
        decision, paper = work.paper.screening, work.paper
        entered = (decision.decided_at or "") if decision else ""
        return first.get(paper.id, entered), -paper.relevance_score, paper.id

    return [work.fate is Fate.INCLUDED for work in sorted(decided, key=when)]
