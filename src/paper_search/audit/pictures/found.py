"""What the sources and the queries contributed, and where they overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from paper_search.audit.fates import RecordFate
from paper_search.report.outputs.figures import BLUE, INK, PALE, canvas, short

_MOST_SETS = 8
_MOST_COMBINATIONS = 14
_MOST_QUERIES = 12


def works_by(
    records: Sequence[RecordFate], *, is_by_query: bool
) -> dict[str, set[tuple[str, ...]]]:
    """Return which sources found each work, by its id; or which queries of which sources."""
    finders: dict[str, set[tuple[str, ...]]] = {}
    for row in records:
        if row.work is not None:
            came = row.arrival
            name = (came.source, came.query or "") if is_by_query else (came.source,)
            finders.setdefault(row.kept_as, set()).add(name)
    return finders


def source_contribution(records: Sequence[RecordFate]) -> Any:
    """Return works by source: those that it alone found, and the others; None: it is but one."""
    finders = works_by(records, is_by_query=False)
    is_one = len({name for names in finders.values() for name in names}) < 2  # noqa: PLR2004  # to compare
    return None if is_one else _contribution(finders, "this source")


def query_contribution(records: Sequence[RecordFate]) -> Any:
    """Return works by query; None: the records do not say which query found them."""
    return _contribution(works_by(records, is_by_query=True), "this query")


def _contribution(finders: dict[str, set[tuple[str, ...]]], noun: str) -> Any:
    every = Counter(name for names in finders.values() for name in names)
    alone = Counter(next(iter(names)) for names in finders.values() if len(names) == 1)
    chosen = sorted(every, key=lambda name: (-every[name], name))[:_MOST_QUERIES]
    if not chosen:
        return None
    figure, axes = canvas(0.85 + 0.36 * len(chosen))
    own = [alone[name] for name in chosen]
    shared = [every[name] - alone[name] for name in chosen]
    rows = range(len(chosen))
    axes.barh(rows, own, 0.62, color=BLUE, label=f"found by {noun} alone")
    axes.barh(rows, shared, 0.62, own, color=PALE, label="found by others, too")
    for row, name in enumerate(chosen):
        count = f" {every[name]:,}"
        axes.text(every[name], row, count, va="center", fontsize=8, color=INK)
    axes.set_yticks(rows, [short(": ".join(filter(None, name))) for name in chosen])
    axes.invert_yaxis()
    axes.margins(x=0.08)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("works")
    axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1), borderpad=0)
    return figure


def source_overlap(records: Sequence[RecordFate]) -> Any:
    """Return an UpSet plot: works by the combination of sources; None: there is but one source."""
    finders = works_by(records, is_by_query=False)
    every = Counter(name for names in finders.values() for (name,) in names)
    sets = sorted(every, key=lambda name: (-every[name], name))
    if len(sets) > _MOST_SETS:
        # Works of the last sources are those of one set, lest others seem to have found them alone.
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
