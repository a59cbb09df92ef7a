"""Reports that need no network, models that err, and what happens to a process."""

import contextlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.report.answers import good_answer
from tests.workflow.doubles import Crash

from paper_search.report.models import now
from paper_search.report_workflow import ReportWorkflow, reviews
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.testing.llm import LLMCall
from paper_search.testing.reports import FakeSearch, report_services


class Steps(list[str]):
    """The names of the steps that ran, for whoever is told of progress."""

    def __call__(self, name: str, details: dict[str, object]) -> None:
        if "step" in details:
            self.append(name)


def report_workflow(
    llm: Any = None,
    handler: Any = None,
    steps: Steps | None = None,
    *,
    search: FakeSearch | None = None,
    **settings: Any,
) -> ReportWorkflow:
    """Return a report of the length that the fake model writes, or code without a model."""
    settings = {"target_length": 150 if llm else 1000, **settings}
    return ReportWorkflow(report_services(llm, search=search), handler, steps, **settings)


def inventing(call: LLMCall) -> Any:
    """Answer as a good model that cites a work which nobody wrote."""
    answer = good_answer(call)
    if call.schema["title"] == "DraftAnswer":
        answer["sections"][1]["content"] = "Trees cool by magic (Merlin, 1985)."
    return answer


@contextlib.contextmanager
def dying(step_id: str) -> Iterator[None]:
    """Let a step do its work and die before anybody knows, for the length of a `with` block."""
    step = WORKFLOW[step_id]
    handler: Any = step.handler

    async def crash(ctx: Any) -> Any:
        result = handler(ctx)
        if hasattr(result, "__await__"):
            await result
        raise Crash

    object.__setattr__(step, "handler", crash)
    try:
        yield
    finally:
        object.__setattr__(step, "handler", handler)


@contextlib.contextmanager
def later(**time: int) -> Iterator[None]:
    """Let so much time have passed for whoever drives a report."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reviews, "now", lambda: now() + timedelta(**time))
        yield
