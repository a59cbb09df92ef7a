"""What models cost, in lines at a checkpoint and under a thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paper_search.models.usage import StepSpending, total

if TYPE_CHECKING:
    from paper_search.cli.tables import Fact

_STEPS = {
    "parse_intent": "question",
    "build_strategy": "strategy",
    "deduplicate": "duplicates",
    "score": "judging",
    "judge": "judging again",
}
"""What steps are called where their cost is shown, if not as they are."""


def step_name(step: str) -> str:
    """Return what a step is called for a person."""
    return _STEPS.get(step, step)


def report_estimate_facts(shows: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield what a report will cost by its plan, and what it may; nothing without a model."""
    if not shows.get("estimate"):
        return
    from paper_search.report_workflow.state import ReportEstimate

    estimate = ReportEstimate.model_validate(shows["estimate"])
    once, most = estimate.one_draft, estimate.at_most
    dated = f" (prices of {once.priced_at})" if once.priced_at else ""
    yield "will cost", f"about {once} with one draft{dated}"
    more = [_number_of(estimate.drafts, "draft", "drafts")]
    if estimate.gap_searches:
        more.append(_number_of(estimate.gap_searches, "more search", "more searches"))
    if most != once:
        yield "at most", f"about {most} with {' and '.join(more)}"
    if shows.get("budget"):
        yield "budget", shows["budget"]


def usage_facts(usage: Sequence[StepSpending | Mapping[str, Any]]) -> Iterator[Fact]:
    """Yield what was spent, in all and by step; nothing where no model was asked."""
    if not usage:
        return
    parts = [StepSpending.model_validate(part) for part in usage]
    yield "spent", str(total(parts))
    for part in parts:
        where = f"{step_name(part.step)} of round {part.iteration + 1}"
        yield "", f"{where}: {part}"


def _number_of(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
