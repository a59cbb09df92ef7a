"""State: read in its own version only, and changed by nothing but what a step returns."""

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search.errors import PersistenceError
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow import graph as report
from paper_search.steps import StepDef, Workflow
from paper_search.testing.reports import QUESTION, report_services
from paper_search.threads.questions import load_state
from paper_search.workflow import graph as search


class Versioned(BaseModel):
    """A state with a version."""

    schema_version: int = 3
    word: str = ""


class Plain(BaseModel):
    """A state without a version."""

    word: str = ""


def test_a_state_is_read_from_the_channels_it_has():
    values = {"schema_version": 3, "word": "a", "other": 1}
    assert load_state(Versioned, values, "look 't'") == Versioned(word="a")
    assert load_state(Versioned, {"word": "a"}, "look 't'") == Versioned(word="a")
    assert load_state(Plain, values, "look 't'") == Plain(word="a")


@pytest.mark.parametrize("version", [2, 4, None, "3"])
def test_a_state_of_another_version_is_refused_by_name(version):
    with pytest.raises(PersistenceError, match=rf"look 't'.*version {version}, this program.*3"):
        load_state(Versioned, {"schema_version": version}, "look 't'")


@contextlib.contextmanager
def watched(table: Workflow, seen: list[str]) -> Iterator[None]:
    """Compare the state of every step before and after it."""
    handlers = {step.id: step.handler for step in table.steps}

    def watching(step: StepDef) -> Any:
        handler: Any = step.handler

        @functools.wraps(handler)
        async def run(ctx: Any) -> Any:
            before = ctx.step_state.model_copy(deep=True)
            with pytest.raises(ValidationError):
                ctx.step_state.is_complete = True
            result = await handler(ctx)
            assert ctx.step_state == before, step.id
            seen.append(step.id)
            return result

        return run

    for step in table.steps:
        object.__setattr__(step, "handler", watching(step))
    try:
        yield
    finally:
        for step in table.steps:
            object.__setattr__(step, "handler", handlers[step.id])


async def test_no_step_of_a_search_changes_its_state_in_place():
    seen: list[str] = []
    with watched(search.WORKFLOW, seen):
        flow = workflow()
        await flow.start("glass", thread_id="t")
        for answer in ("reject: no", "approve", "reject: no", "approve", "approve"):
            await reply_to(flow, "t", answer)
    assert set(seen) == {step.id for step in search.WORKFLOW.steps}


async def test_no_step_of_a_report_changes_its_state_in_place():
    seen: list[str] = []
    asks = {"hitl_after_planning": True, "hitl_before_output": True}
    with watched(report.WORKFLOW, seen):
        flow = ReportWorkflow(report_services(), **asks)
        await flow.start(QUESTION, thread_id="t")
        for answer in ("approve", "modify: more", "approve"):
            await reply_to(flow, "t", answer)
        await flow.start(QUESTION, thread_id="u")
        await flow.answer("u", "reject: no")
    assert set(seen) == {step.id for step in report.WORKFLOW.steps}
