"""What models cost, in lines at a checkpoint and under a thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from paper_search.models.usage import total

if TYPE_CHECKING:
    from paper_search.models.usage import StepSpending
    from paper_search.workflow.checkpoints import StrategyPayload

_STEPS = {
    "parse_intent": "question",
    "build_strategy": "strategy",
    "deduplicate": "duplicates",
    "score": "judging",
    "judge": "judging again",
}
"""What steps are called where their cost is shown, if not as they are."""

Fact = tuple[str, object]


def step_name(step: str) -> str:
    """Return what a step is called for a person."""
    return _STEPS.get(step, step)


def estimate_facts(payload: StrategyPayload) -> Iterator[Fact]:
    """Yield what the models will cost, and what they may; nothing where none is asked."""
    if payload.estimate is not None:
        papers = f" for up to {payload.estimate.papers:,} papers" if payload.estimate.papers else ""
        dated = f" (prices of {payload.estimate.priced_at})" if payload.estimate.priced_at else ""
        yield "will cost", f"about {payload.estimate}{papers}{dated}"
    yield from usage_facts(payload.usage)
    if payload.budget is not None and (payload.estimate or payload.usage):
        yield "budget", str(payload.budget)


def usage_facts(usage: Sequence[StepSpending]) -> Iterator[Fact]:
    """Yield what was spent, in all and by step; nothing where no model was asked."""
    if not usage:
        return
    yield "spent", str(total(usage))
    for part in usage:
        where = f"{step_name(part.step)} of round {part.iteration + 1}"
        yield "", f"{where}: {part}"
