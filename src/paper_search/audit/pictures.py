"""Pictures of a search: its flow, its sources, its screening. SVG or PNG, without Graphviz."""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from paper_search.audit.flow import PrismaFlow, RecordRow, Status, Work, works_of
from paper_search.audit.prisma_picture import prisma_flow
from paper_search.audit.reading import ReviewThread
from paper_search.report.outputs.figures import (
    BLUE,
    INK,
    PALE,
    Format,
    canvas,
    saved,
    short,
)

CAPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "prisma_flow": "Flow of records through the search (PRISMA 2020)",
        "source_overlap": "Works found by each combination of sources",
        "source_contribution": "Works by the source that found them",
        "query_contribution": "Works by the query that found them",
        "papers_by_year": "Works in the result by year of publication",
        "scores": "Scores of the works, and the line beyond which they are set aside",
        "recall": "Relevant works found while screening",
    }
)


def pictures(
    thread: ReviewThread, records: list[RecordRow], flow: PrismaFlow, kind: Format = "svg"
) -> dict[str, bytes]:
    """Return the pictures by name, without those that would show nothing."""
    records = [row for row in records if row.is_counted]
    works = works_of(records)
    files: dict[str, Callable[[], Any]] = {
        "prisma_flow": lambda: prisma_flow(flow),
        "source_overlap": lambda: source_overlap(records),
        "source_contribution": lambda: source_contribution(records),
        "query_contribution": lambda: query_contribution(records),
        "papers_by_year": lambda: papers_by_year(works),
        "scores": lambda: scores(thread, works),
        "recall": lambda: recall(thread, works),
    }
    figures = {name: draw() for name, draw in files.items()}
    return {name: saved(figure, kind) for name, figure in figures.items() if figure is not None}


_MOST_SETS = 8
_MOST_COMBINATIONS = 14
_MOST_QUERIES = 12


def works_by(records: Sequence[RecordRow], *, is_by_query: bool) -> dict[str, set[tuple[str, ...]]]:
    """Return which sources, or queries of sources, found each work, by its id."""
    finders: dict[str, set[tuple[str, ...]]] = {}
    for row in records:
        if row.work is not None:
            arrival = row.arrival
            name = (arrival.source, arrival.query or "") if is_by_query else (arrival.source,)
            finders.setdefault(row.kept_as, set()).add(name)
    return finders


def source_contribution(records: Sequence[RecordRow]) -> Any:
    """Draw works by source, found by it alone or by others as well; None for a single source."""
    finders = works_by(records, is_by_query=False)
    is_one = len({name for names in finders.values() for name in names}) < 2  # noqa: PLR2004  # to compare
    return None if is_one else _contribution(finders, "this source")


def query_contribution(records: Sequence[RecordRow]) -> Any:
    """Draw works by query; None if the records do not say which query found them."""
    return _contribution(works_by(records, is_by_query=True), "this query")


def _contribution(finders: dict[str, set[tuple[str, ...]]], noun: str) -> Any:
    every = Counter(name for names in finders.values() for name in names)
    alone = Counter(next(iter(names)) for names in finders.values() if len(names) == 1)
    shown_names = sorted(every, key=lambda name: (-every[name], name))[:_MOST_QUERIES]
    if not shown_names:
        return None
    figure, axes = canvas(0.85 + 0.36 * len(shown_names))
    own = [alone[name] for name in shown_names]
    shared = [every[name] - alone[name] for name in shown_names]
    rows = range(len(shown_names))
    axes.barh(rows, own, 0.62, color=BLUE, label=f"found by {noun} alone")
    axes.barh(rows, shared, 0.62, own, color=PALE, label="also found by others")
    for row, name in enumerate(shown_names):
        count = f" {every[name]:,}"
        axes.text(every[name], row, count, va="center", fontsize=8, color=INK)
    axes.set_yticks(rows, [short(": ".join(filter(None, name))) for name in shown_names])
    axes.invert_yaxis()
    axes.margins(x=0.08)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("works")
    axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1), borderpad=0)
    return figure


def source_overlap(records: Sequence[RecordRow]) -> Any:
    """Draw an UpSet plot of works by combination of sources, if there are several."""
    finders = works_by(records, is_by_query=False)
    every = Counter(name for names in finders.values() for (name,) in names)
    sets = sorted(every, key=lambda name: (-every[name], name))
    if len(sets) > _MOST_SETS:
        # The smallest sources become one set, so that their works do not seem found by one alone.
        last = set(sets[_MOST_SETS - 1 :])
        rest = f"{len(last)} other sources"
        finders = {
            work: {(rest,) if name in last else (name,) for (name,) in names}
            for work, names in finders.items()
        }
        every = Counter(name for names in finders.values() for (name,) in names)
        sets = [*sets[: _MOST_SETS - 1], rest]
    if len(sets) < 2:  # noqa: PLR2004  # nothing overlaps
        return None
    count = Counter(tuple(name for name in sets if (name,) in names) for names in finders.values())
    largest = sorted(count, key=lambda names: (-count[names], len(names), names))
    combinations = largest[:_MOST_COMBINATIONS]
    figure, spare = canvas(2.2 + 0.27 * len(sets))
    spare.remove()
    grid = figure.add_gridspec(
        2, 2, width_ratios=(1, 2.9), height_ratios=(1.9, 0.27 * len(sets)), hspace=0.02, wspace=0.02
    )
    bars = figure.add_subplot(grid[0, 1])
    dots = figure.add_subplot(grid[1, 1], sharex=bars)
    sizes = figure.add_subplot(grid[1, 0], sharey=dots)
    _combinations(bars, [count[names] for names in combinations])
    _matrix(dots, sets, combinations)
    _sizes(sizes, [every[name] for name in sets], sets)
    return figure


def _combinations(axes: Any, counts: Sequence[int]) -> None:
    axes.bar(range(len(counts)), counts, 0.62, color=BLUE)
    for place, count in enumerate(counts):
        axes.text(place, count, f"{count:,}", ha="center", va="bottom", fontsize=8, color=INK)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.tick_params(length=0, labelsize=8, labelbottom=False)
    axes.margins(y=0.12)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("works", fontsize=8.5)


def _matrix(axes: Any, sets: Sequence[str], combinations: Sequence[tuple[str, ...]]) -> None:
    for row in range(0, len(sets), 2):
        axes.axhspan(row - 0.5, row + 0.5, color="#f4f3ee", zorder=0)
    for place, names in enumerate(combinations):
        rows = [row for row, name in enumerate(sets) if name in names]
        others = [row for row in range(len(sets)) if row not in rows]
        axes.scatter([place] * len(others), others, s=34, color="#d9d8d2", zorder=1)
        axes.plot([place] * len(rows), rows, "-o", color=BLUE, markersize=6, linewidth=2, zorder=2)
    axes.set_ylim(len(sets) - 0.5, -0.5)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelbottom=False, labelleft=False)
    axes.set_xlim(-0.6, max(len(combinations) - 0.4, 5.5))


def _sizes(axes: Any, counts: Sequence[int], sets: Sequence[str]) -> None:
    axes.barh(range(len(sets)), counts, 0.55, color=PALE)
    axes.set_xlim(max(counts) * 1.5, 0)
    for row, count in enumerate(counts):
        axes.text(count, row, f"{count:,} ", ha="right", va="center", fontsize=8, color=INK)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=8.5, labelbottom=False, labelleft=False, labelright=True)
    axes.yaxis.tick_right()
    axes.set_yticks(range(len(sets)), [short(name) for name in sets])
    axes.tick_params(length=0)


_RUST, _GREY = "#b5532f", "#d9d8d2"
_SHOWN = {
    Status.INCLUDED: ("included", BLUE),
    Status.UNDECIDED: ("not decided", PALE),
    Status.NOT_JUDGED: ("not judged", "#e6d9a8"),
    Status.EXCLUDED: ("excluded", _RUST),
}
_SCORED = {**_SHOWN, Status.SET_ASIDE: ("set aside", _GREY)}


def papers_by_year(works: Sequence[Work]) -> Any:
    """Draw the works for screening by year; None for fewer than two years."""
    counts = Counter((work.status, work.paper.year) for work in works if work.paper.year)
    years = sorted({year for status, year in counts if status in _SHOWN and year is not None})
    if len(years) < 2:  # noqa: PLR2004  # one bar shows nothing
        return None
    span = range(years[0], years[-1] + 1)
    figure, axes = canvas(2.4)
    bottom = [0] * len(span)
    for status, (label, colour) in _SHOWN.items():
        heights = [counts[status, year] for year in span]
        if any(heights):
            axes.bar(span, heights, 0.74, bottom, color=colour, label=label)
        bottom = [one + other for one, other in zip(bottom, heights, strict=True)]
    axes.set_ylabel("works")
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1), borderpad=0)
    return figure


def scores(thread: ReviewThread, works: Sequence[Work]) -> Any:
    """Draw the scores, with a line after those of the result; None without a result."""
    statuses = {work.paper.id: work.status for work in works}
    collection = thread.collection
    if collection is None or len(statuses) < 2:  # noqa: PLR2004  # no order
        return None
    every = sorted(
        [*collection.papers, *collection.set_aside],
        key=lambda one: (statuses.get(one.id) is Status.SET_ASIDE, -one.relevance_score, one.id),
    )
    every = [paper for paper in every if statuses.get(paper.id) in _SCORED]
    if not every:
        return None
    figure, axes = canvas(2.6)
    for status, (label, colour) in _SCORED.items():
        places = [n for n, paper in enumerate(every, start=1) if statuses.get(paper.id) is status]
        if places:
            is_decided = status in {Status.INCLUDED, Status.EXCLUDED}
            heights = [every[n - 1].relevance_score for n in places]
            size, order = (15, 3) if is_decided else (9, 2)
            points = {"s": size, "color": colour, "label": label, "zorder": order}
            axes.scatter(places, heights, edgecolor="none", **points)
    aside = sum(statuses.get(paper.id) is Status.SET_ASIDE for paper in every)
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
    """Draw the relevant works found by screening effort, if there are enough decisions."""
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
    """Return the final verdicts in the order in which the works were decided on.

    With independent reviewers, the time of the first decision counts, since what they agree on is
    entered all at once. Verdicts of one answer are ordered by score, as they were shown.
    """
    first: dict[str, str] = {}
    for mark in itertools.chain.from_iterable(thread.independent.values()):
        if mark.is_relevant is not None:
            first[mark.paper_id] = min(mark.said_at, first.get(mark.paper_id, mark.said_at))
    decided = [work for work in works if work.status in {Status.INCLUDED, Status.EXCLUDED}]

    def when(work: Work) -> tuple[str, float, str]:
        decision, paper = work.paper.screening, work.paper
        entered = (decision.decided_at or "") if decision else ""
        return first.get(paper.id, entered), -paper.relevance_score, paper.id

    return [work.status is Status.INCLUDED for work in sorted(decided, key=when)]
