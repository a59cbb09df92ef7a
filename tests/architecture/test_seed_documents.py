"""The seed documents hold: every name is in the program or on the page, and their code runs."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from scripts.seeds import BLOCK, missing

from paper_search.steps import Dispatch, Outcome, StepContext, StepDef, Workflow, run_workflow
from paper_search.steps.workflow import DEFAULT_BOUND

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"
needs_seeds = pytest.mark.skipif(not SEEDS.is_dir(), reason="the seed documents are not here")


@needs_seeds
def test_every_name_of_the_documents_is_in_the_program_or_on_the_page():
    assert missing(SEEDS) == []


def test_a_step_context_takes_the_three_arguments_of_the_document():
    ctx = StepContext("a", {}, {})
    assert (ctx.step_id, ctx.workflow_params, ctx.step_state, ctx.services) == ("a", {}, {}, None)


def blocks_with_steps() -> list[Any]:
    """Return the code blocks of document 004 that make steps, under our module names."""
    if not SEEDS.is_dir():
        return []
    (path,) = SEEDS.glob("004-*.md")
    text = path.read_text(encoding="utf-8").replace("skills.lib.workflow", "paper_search.steps")
    blocks = [textwrap.dedent(body) for kind, body in BLOCK.findall(text) if kind == "python"]
    return [
        pytest.param(body, id=str(number))
        for number, body in enumerate(blocks)
        if re.search(r"\bStepDef\(", body) and "handler=step_analyze, ...)" not in body
    ]


def steps_of(body: str) -> list[StepDef]:
    """Run a block; a step that it names and does not define ends the workflow."""
    steps: list[StepDef] = []

    def collect(**fields: Any) -> StepDef:
        steps.append(StepDef(**fields))
        return steps[-1]

    code = re.sub(r"(?ms)^from paper_search.steps.core import \(.*?\)$", "", body)
    code = code.replace("WORKFLOW = Workflow(", "WORKFLOW = collected(")
    names: dict[str, Any] = {
        "StepDef": collect,
        "collected": lambda *_steps, **_fields: None,
        "StepContext": StepContext,
        "Outcome": Outcome,
        "Dispatch": Dispatch,
        "MAX_ITERATIONS": 5,
        "step_handler": lambda _ctx: (Outcome.OK, {}),
    }
    exec(code, names)  # noqa: S102  # the document's own code
    ids = {step.id for step in steps}
    targets = dict.fromkeys(to for step in steps for to in step.next.values() if to not in ids)
    return steps + [StepDef(id=to, next={Outcome.OK: None}) for to in targets if to is not None]


@pytest.mark.parametrize("body", blocks_with_steps())
async def test_the_code_of_the_document_makes_a_workflow_that_runs(body):
    steps = [
        step if step.next else StepDef(id=step.id, handler=step.handler, next={Outcome.OK: None})
        for step in steps_of(body)
    ]
    workflow = Workflow("document", *steps)
    if any(isinstance(step.handler, Dispatch) for step in steps):
        assert workflow.run().outcome is None  # its script is the reader's own
        return
    run = await run_workflow(workflow)
    assert run.trace[0][0] == workflow.entry_point
    assert run.trace[-1][0] in {step.id for step in steps if None in step.next.values()}


@needs_seeds
async def test_confidence_driven_iteration_loops_as_printed_with_the_default_bound():
    (loop,) = {
        body.values[0]
        for body in blocks_with_steps()
        if "def step_investigate" in body.values[0] and "loop" in body.values[0]
    }
    workflow = Workflow("document", *steps_of(loop))
    assert workflow["investigate"].bound == DEFAULT_BOUND
    run = await run_workflow(workflow)
    assert [step for step, _ in run.trace] == ["investigate"] * 5 + ["formulate"]
    assert run.result["confidence"] == "capped"
