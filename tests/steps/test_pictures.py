"""Pictures: every outcome on an edge of its own, loops and ends to be seen, nothing hidden."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest

from paper_search.steps import (
    Dispatch,
    Outcome,
    StepDef,
    Workflow,
    discover_workflows,
    to_mermaid,
    to_png,
    to_svg,
)
from paper_search.steps.layout import LETTER, Arrow, edges_of, lay_out
from paper_search.workflow.graph import WORKFLOW

SVG = "{http://www.w3.org/2000/svg}"
OK, FAIL, ITERATE, SKIP = Outcome.OK, Outcome.FAIL, Outcome.ITERATE, Outcome.SKIP
INNER = Workflow("inner", StepDef("x", next={OK: None}))
TOY = Workflow(
    "toy <&>",
    StepDef("first", "One & <two>", next={OK: "last", FAIL: "last", SKIP: None}),
    StepDef("last", handler=Dispatch(workflow=INNER), next={OK: None, ITERATE: "last"}, bound=2),
)
EXAMPLES = discover_workflows(Path(__file__).parents[2] / "docs" / "examples")
ALL = [WORKFLOW, TOY, *EXAMPLES.values()]
each_workflow = pytest.mark.parametrize("workflow", ALL, ids=lambda each: each.name)


@each_workflow
def test_every_outcome_has_an_arrow_with_its_name(workflow: Workflow):
    arrows = [each for each in lay_out(workflow).arrows if each.label]
    assert sorted(each.label for each in arrows) == sorted(
        outcome.value for step in workflow.steps for outcome in step.next
    )
    texts = [each.text for each in ET.fromstring(to_svg(workflow)).iter(f"{SVG}text")]  # noqa: S314  # our own
    for arrow in arrows:
        assert arrow.label in texts


@each_workflow
def test_loops_are_dashed_and_nothing_else(workflow: Workflow):
    root = ET.fromstring(to_svg(workflow))  # noqa: S314  # our own
    dashed = [each for each in root.iter(f"{SVG}polyline") if each.get("stroke-dasharray")]
    assert len(dashed) == sum(edge.is_back for edge in edges_of(workflow))


@each_workflow
def test_no_label_lies_on_another_or_outside_of_the_picture(workflow: Workflow):
    layout = lay_out(workflow)
    areas = [_area(each) for each in layout.arrows if each.label]
    for left, top, right, bottom in areas:
        assert left >= 0
        assert top >= 0
        assert right <= layout.width
        assert bottom <= layout.height
    for one, other in combinations(areas, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def _area(arrow: Arrow) -> tuple[float, float, float, float]:
    width, (x, y) = len(arrow.label) * LETTER, arrow.label_at
    left = x - width if arrow.is_label_left else x
    return left, y - 6, left + width, y + 6


@each_workflow
def test_no_two_arrows_share_a_lane(workflow: Workflow):
    lanes = [
        (arrow.points[1][0], *sorted((arrow.points[1][1], arrow.points[2][1])))
        for arrow in lay_out(workflow).arrows
        if len(arrow.points) == 4
    ]
    for one, other in combinations(lanes, 2):
        assert one[0] != other[0] or one[2] < other[1] or other[2] < one[1]


def test_both_ends_are_round_a_bound_is_written_and_a_sub_workflow_has_bars():
    boxes = {each.lines[0]: each for each in lay_out(TOY).boxes}
    assert [name for name, box in boxes.items() if box.is_terminal] == ["start", "end"]
    assert boxes["last"].lines == ("last", "at most 2 times")
    assert boxes["last"].is_bounded
    assert boxes["last"].is_dispatch
    assert not boxes["first"].is_dispatch


def test_titles_cannot_break_the_picture():
    root = ET.fromstring(to_svg(TOY))  # noqa: S314  # our own
    assert root.findtext(f"{SVG}title") == "toy <&>"
    assert "One & <two>" in [each.text for each in root.iter(f"{SVG}text")]


@each_workflow
def test_a_png_is_the_same_picture_at_twice_the_size(workflow: Workflow):
    from PIL import Image

    image = Image.open(io.BytesIO(to_png(workflow)))
    root = ET.fromstring(to_svg(workflow))  # noqa: S314  # our own
    assert image.format == "PNG"
    for length, name in zip(image.size, ("width", "height"), strict=True):
        assert abs(length - 2 * int(root.attrib[name])) <= 2
    assert len(image.getcolors(maxcolors=1 << 16) or []) > 3


def test_the_same_table_gives_the_same_picture():
    assert to_svg(WORKFLOW) == to_svg(WORKFLOW)
    assert to_png(TOY) == to_png(TOY)


def test_mermaid_dashes_the_loops_and_frames_the_steps_with_a_bound():
    lines = to_mermaid(WORKFLOW).splitlines()
    (style,) = [each for each in lines if "linkStyle" in each]
    links = [each for each in lines if "-->" in each]
    dashed = [links[int(number)].strip() for number in style.split()[1].split(",")]
    assert dashed == [
        "confirm_strategy -- reject --> build_strategy",
        "review_results -- edit --> build_strategy",
        "review_results -- reject --> build_strategy",
    ]
    assert "    class build_strategy bounded" in lines


def test_mermaid_has_two_edges_for_two_outcomes_to_one_step_and_a_frame_for_a_sub_workflow():
    drawn = to_mermaid(TOY)
    assert "first -- ok --> last" in drawn
    assert "first -- fail --> last" in drawn
    assert "last[[last]]" in drawn


def test_an_entry_point_that_is_not_first_is_drawn_on_top():
    steps = [StepDef("a", next={OK: None}), StepDef("b", next={OK: "a"})]
    layout = lay_out(Workflow("w", *steps, entry_point="b"))
    assert [each.lines[0] for each in layout.boxes] == ["start", "b", "a", "end"]
