"""Where the parts of a picture go: steps in one column, each edge on a lane of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from paper_search.steps.core import StepDef, Workflow
from paper_search.steps.types import Dispatch

START = "__start__"
END = "__end__"

LETTER = 7.4
"""Width of a letter at the size of the pictures, on the safe side; pixels, as all here."""
LINE = 18
PORT = 20
LANE = 18
GAP = 34
MARGIN = 16
PAD = 14


@dataclass(frozen=True)
class Edge:
    """One outcome of one step."""

    source: str
    outcome: str
    target: str
    is_back: bool
    """Whether it leads back to a step at or above its own: a loop."""


@dataclass(frozen=True)
class Box:
    """A step, or a round end."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    is_terminal: bool = False
    is_bounded: bool = False
    is_dispatch: bool = False


@dataclass(frozen=True)
class Arrow:
    """An edge: its corners, and its outcome with where that is written."""

    points: tuple[tuple[float, float], ...]
    is_back: bool
    label: str = ""
    label_at: tuple[float, float] = (0.0, 0.0)
    is_label_left: bool = False
    """Whether the label ends at its place instead of beginning there."""


@dataclass(frozen=True)
class Layout:
    """All parts of a picture, and its size."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def edges_of(workflow: Workflow) -> list[Edge]:
    """Return every outcome of every step, in the order of the table."""
    order = {step.id: number for number, step in enumerate(workflow.steps)}
    return [
        Edge(
            step.id,
            outcome.value,
            END if target is None else target,
            target is not None and order[target] <= order[step.id],
        )
        for step in workflow.steps
        for outcome, target in step.next.items()
    ]


def lay_out(workflow: Workflow) -> Layout:
    """Return the picture's parts: loops on the left, ways past other steps on the right."""
    return _Column(workflow).layout()


@dataclass
class _Side:
    """The ports and lanes on one side of the column."""

    ports: dict[str, int] = field(default_factory=dict)
    lanes: list[list[tuple[float, float]]] = field(default_factory=list)

    def port(self, step_id: str) -> int:
        """Return the next free port of a box on this side."""
        self.ports[step_id] = self.ports.get(step_id, 0) + 1
        return self.ports[step_id] - 1

    def lane(self, one: float, other: float) -> int:
        """Return the first lane that is free between two heights."""
        low, high = sorted((one, other))
        for number in count():
            if number == len(self.lanes):
                self.lanes.append([])
            if all(high < start or low > end for start, end in self.lanes[number]):
                self.lanes[number].append((low, high))
                return number
        raise AssertionError("count() does not end")


class _Column:
    def __init__(self, workflow: Workflow) -> None:
        self._steps = {step.id: step for step in workflow.steps}
        ids = [workflow.entry_point, *(i for i in self._steps if i != workflow.entry_point)]
        self._ids = [START, *ids, END]
        place = {step_id: number for number, step_id in enumerate(self._ids)}
        entry = Edge(START, "", workflow.entry_point, is_back=False)
        self._straight: dict[tuple[str, str], Edge] = {}
        self._around: list[Edge] = []
        for edge in [entry, *edges_of(workflow)]:
            is_next = place[edge.target] == place[edge.source] + 1
            if is_next and (edge.source, edge.target) not in self._straight:
                self._straight[edge.source, edge.target] = edge
            else:
                self._around.append(edge)
        self._sides = {False: _Side(), True: _Side()}
        self._ports = [
            (
                self._sides[each.is_back].port(each.source),
                self._sides[each.is_back].port(each.target),
            )
            for each in self._around
        ]
        words = [line for each in self._ids for line in self._lines(each)]
        self._width = max(len(each) for each in words) * LETTER + 2 * PAD
        labels = [len(each.outcome) for each in self._around]
        self._gutter = max(labels, default=0) * LETTER + 2 * PAD

    def layout(self) -> Layout:
        """Return everything, moved so that nothing is left of the margin."""
        boxes, y = {}, float(MARGIN)
        for step_id in self._ids:
            boxes[step_id] = self._box(step_id, y)
            y += boxes[step_id].height + GAP
        around = [
            self._bend(edge, boxes, ports)
            for edge, ports in zip(self._around, self._ports, strict=True)
        ]
        straight = [self._drop(edge, boxes) for edge in self._straight.values()]
        arrows = [*straight, *around]
        left = min(x for arrow in arrows for x, _ in arrow.points)
        left = min(left, *(box.x for box in boxes.values())) - MARGIN
        right = max(x for arrow in arrows for x, _ in arrow.points)
        right = max(right, *(box.x + box.width for box in boxes.values())) + MARGIN
        return Layout(
            right - left,
            y - GAP + MARGIN,
            tuple(_moved_box(each, -left) for each in boxes.values()),
            tuple(_moved_arrow(each, -left) for each in arrows),
        )

    def _lines(self, step_id: str) -> tuple[str, ...]:
        step = self._steps.get(step_id)
        if step is None:
            return (step_id.strip("_"),)
        lines = [step.id, step.title, _bound_text(step)]
        return tuple(each for each in lines if each)

    def _box(self, step_id: str, y: float) -> Box:
        lines = self._lines(step_id)
        ports = max(side.ports.get(step_id, 0) for side in self._sides.values())
        height = max(len(lines) * LINE + PAD, (ports + 1) * PORT)
        step = self._steps.get(step_id)
        width = self._width if step else self._width / 2
        return Box(
            x=-width / 2,
            y=y,
            width=width,
            height=height,
            lines=lines,
            is_terminal=step is None,
            is_bounded=step is not None and step.bound is not None,
            is_dispatch=step is not None and isinstance(step.handler, Dispatch),
        )

    def _drop(self, edge: Edge, boxes: dict[str, Box]) -> Arrow:
        """Return the arrow to the next step."""
        top = boxes[edge.source].y + boxes[edge.source].height
        bottom = boxes[edge.target].y
        middle = (top + bottom) / 2
        return Arrow(
            ((0, top), (0, bottom)), is_back=False, label=edge.outcome, label_at=(6, middle)
        )

    def _bend(self, edge: Edge, boxes: dict[str, Box], ports: tuple[int, int]) -> Arrow:
        """Return the arrow around the steps between."""
        side = self._sides[edge.is_back]
        sign = -1 if edge.is_back else 1
        source, target = boxes[edge.source], boxes[edge.target]
        out, into = source.y + (ports[0] + 1) * PORT, target.y + (ports[1] + 1) * PORT
        x = self._width / 2 + self._gutter + side.lane(out, into) * LANE
        points = (
            (sign * source.width / 2, out),
            (sign * x, out),
            (sign * x, into),
            (sign * target.width / 2, into),
        )
        label_at = (sign * (source.width / 2 + 6), out - 7)
        return Arrow(points, edge.is_back, edge.outcome, label_at, is_label_left=edge.is_back)


def _bound_text(step: StepDef) -> str:
    return "" if step.bound is None else f"at most {step.bound} times"


def _moved_box(box: Box, by: float) -> Box:
    return Box(**{**box.__dict__, "x": box.x + by})


def _moved_arrow(arrow: Arrow, by: float) -> Arrow:
    points = tuple((x + by, y) for x, y in arrow.points)
    at = (arrow.label_at[0] + by, arrow.label_at[1])
    return Arrow(points, arrow.is_back, arrow.label, at, arrow.is_label_left)
