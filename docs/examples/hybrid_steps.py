# ruff: noqa: INP001  # an example, loaded by path
"""Hybrid steps: most of a long list are constant text, few are made from the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from paper_search.steps import Arg, Outcome, StepContext, StepDef, StepUpdate, Workflow

Ok = Literal[Outcome.OK]
Depth = Annotated[str, Arg("How sure the result has to be", choices=("likely", "certain"))]
Formatter = Callable[[str, int], tuple[str, str]]

STATIC: dict[str, tuple[str, str]] = {
    "clarify": ("Clarify", "Write down what the question means, and what it does not."),
    "abstract": ("Abstract", "Name the general problem behind it."),
    "compare": ("Compare", "Set the strongest papers against each other."),
    "conclude": ("Conclude", "Say what follows, and what would change it."),
}
"""Id to title and instruction, in order; the steps that are made go between."""


def format_search(depth: str, papers: int) -> tuple[str, str]:
    """Return title and instruction of the search."""
    return "Search", f"Find at least {papers * (2 if depth == 'certain' else 1)} papers."


def format_verify(depth: str, papers: int) -> tuple[str, str]:
    """Return title and instruction of the verification."""
    suffix = " twice" if depth == "certain" else ""
    return f"Verify{suffix}", f"Check each of the {papers} claims{suffix}."


DYNAMIC: dict[str, Formatter] = {"search": format_search, "verify": format_verify}
ORDER = ("clarify", "abstract", "search", "compare", "verify", "conclude")


def write(
    ctx: StepContext[dict[str, Any], Any, None],
    depth: Depth = "likely",
    papers: Annotated[int, Arg("How many papers", min=1, max=3)] = 2,
) -> tuple[Ok, StepUpdate]:
    """Add the step's title and instruction to the sheet."""
    made = DYNAMIC.get(ctx.step_id)
    title, text = made(depth, papers) if made is not None else STATIC[ctx.step_id]
    return Outcome.OK, {"sheet": [*ctx.step_state.get("sheet", []), f"{title}: {text}"]}


WORKFLOW = Workflow(
    "hybrid_steps",
    *(
        StepDef(step_id, STATIC.get(step_id, ("",))[0], handler=write, next={Outcome.OK: following})
        for step_id, following in zip(ORDER, [*ORDER[1:], None], strict=True)
    ),
    description="An instruction sheet for a deep reading",
)
