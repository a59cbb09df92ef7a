"""Pictures of a workflow that need no other program: SVG, and PNG where Pillow is installed."""

from __future__ import annotations

import io
import math
from html import escape
from typing import TYPE_CHECKING, Any

from paper_search.steps.core import Workflow
from paper_search.steps.layout import LINE, Arrow, Box, Layout, lay_out

if TYPE_CHECKING:
    from PIL import ImageDraw

INK, LOOP, PAPER, FILL = "#1f2933", "#b3541e", "#ffffff", "#eef2f7"
TEXT_SIZE = 12
SCALE = 2
"""Pixels of a PNG for one of an SVG."""
DASH = 5.0
HEAD = 7.0

Point = tuple[float, float]


def to_svg(workflow: Workflow) -> str:
    """Return the workflow as SVG: loops dashed, ends round, the outcome on every edge."""
    layout = lay_out(workflow)
    width, height = math.ceil(layout.width), math.ceil(layout.height)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="{TEXT_SIZE}">'
    )
    lines = [
        opening,
        f"<title>{escape(workflow.name)}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        *(_svg_arrow(each) for each in layout.arrows),
        *(_svg_box(each) for each in layout.boxes),
        *(_svg_label(each) for each in layout.arrows if each.label),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def to_png(workflow: Workflow) -> bytes:
    """Return the workflow as PNG, the same picture as `to_svg`."""
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415  # slow, and rarely wanted

    layout = lay_out(workflow)
    size = (math.ceil(layout.width * SCALE), math.ceil(layout.height * SCALE))
    image = Image.new("RGB", size, PAPER)
    font = ImageFont.load_default(TEXT_SIZE * SCALE)
    _paint(ImageDraw.Draw(image), layout, font)
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _svg_arrow(arrow: Arrow) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in arrow.points)
    colour = LOOP if arrow.is_back else INK
    dashes = f' stroke-dasharray="{DASH:.0f}"' if arrow.is_back else ""
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in _head(arrow))
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}"{dashes}/>'
        f'<polygon points="{head}" fill="{colour}"/>'
    )


def _svg_box(box: Box) -> str:
    radius = box.height / 2 if box.is_terminal else 4
    stroke = 2.5 if box.is_bounded else 1
    shape = (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="{radius:.1f}" fill="{FILL}" stroke="{INK}" stroke-width="{stroke}"/>'
    )
    if box.is_dispatch:
        shape += "".join(
            f'<line x1="{x:.1f}" y1="{box.y:.1f}" x2="{x:.1f}" y2="{box.y + box.height:.1f}" '
            f'stroke="{INK}"/>'
            for x in _bars(box)
        )
    texts = "".join(
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" dominant-baseline="central" '
        f'fill="{INK}"{" font-weight=" + chr(34) + "bold" + chr(34) if not number else ""}>'
        f"{escape(text)}</text>"
        for number, (x, y, text) in enumerate(_texts(box))
    )
    return shape + texts


def _svg_label(arrow: Arrow) -> str:
    x, y = arrow.label_at
    anchor = "end" if arrow.is_label_left else "start"
    colour = LOOP if arrow.is_back else INK
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" '
        f'fill="{colour}">{escape(arrow.label)}</text>'
    )


def _head(arrow: Arrow) -> tuple[Point, Point, Point]:
    """Return the corners of an arrow's head; its last part runs level or down."""
    (from_x, from_y), (x, y) = arrow.points[-2:]
    if from_y == y:
        back = x - math.copysign(HEAD, x - from_x)
        return (x, y), (back, y - HEAD / 2), (back, y + HEAD / 2)
    return (x, y), (x - HEAD / 2, y - HEAD), (x + HEAD / 2, y - HEAD)


def _bars(box: Box) -> tuple[float, float]:
    return box.x + 6, box.x + box.width - 6


def _texts(box: Box) -> list[tuple[float, float, str]]:
    """Return the lines of a box with the middle of each."""
    middle = box.y + box.height / 2
    top = middle - (len(box.lines) - 1) * LINE / 2
    return [
        (box.x + box.width / 2, top + number * LINE, text) for number, text in enumerate(box.lines)
    ]


def _paint(draw: ImageDraw.ImageDraw, layout: Layout, font: Any) -> None:
    for arrow in layout.arrows:
        colour = LOOP if arrow.is_back else INK
        for one, other in _strokes(arrow):
            draw.line([_scaled(one), _scaled(other)], fill=colour, width=SCALE)
        draw.polygon([_scaled(each) for each in _head(arrow)], fill=colour)
    for box in layout.boxes:
        corners = [_scaled((box.x, box.y)), _scaled((box.x + box.width, box.y + box.height))]
        radius = (box.height / 2 if box.is_terminal else 4) * SCALE
        width = SCALE * (2 if box.is_bounded else 1)
        draw.rounded_rectangle(corners, radius, fill=FILL, outline=INK, width=width)
        for x in _bars(box) if box.is_dispatch else ():
            ends = [_scaled((x, box.y)), _scaled((x, box.y + box.height))]
            draw.line(ends, fill=INK, width=SCALE)
        for x, y, text in _texts(box):
            draw.text(_scaled((x, y)), text, fill=INK, font=font, anchor="mm")
    for arrow in layout.arrows:
        anchor = "rm" if arrow.is_label_left else "lm"
        colour = LOOP if arrow.is_back else INK
        draw.text(_scaled(arrow.label_at), arrow.label, fill=colour, font=font, anchor=anchor)


def _scaled(point: Point) -> Point:
    return point[0] * SCALE, point[1] * SCALE


def _strokes(arrow: Arrow) -> list[tuple[Point, Point]]:
    """Return the lines of an arrow; of a loop, its dashes."""
    parts = list(zip(arrow.points, arrow.points[1:], strict=False))
    if not arrow.is_back:
        return parts
    strokes = []
    for (x, y), (to_x, to_y) in parts:
        length = math.hypot(to_x - x, to_y - y)
        for number in range(0, max(1, math.ceil(length / DASH)), 2):
            begin = min(number * DASH / length, 1.0) if length else 0.0
            end = min((number + 1) * DASH / length, 1.0) if length else 1.0
            strokes.append(
                (
                    (x + (to_x - x) * begin, y + (to_y - y) * begin),
                    (x + (to_x - x) * end, y + (to_y - y) * end),
                )
            )
    return strokes
