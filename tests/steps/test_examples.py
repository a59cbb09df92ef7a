"""The five examples run, keep to their tables, and show in their pages what they are."""

import re
import shlex
from typing import Any

import pytest
from scripts.docs import EXAMPLES, with_picture
from typer.testing import CliRunner

from paper_search.cli.app import app
from paper_search.steps import Outcome, discover_workflows, generate_params
from paper_search.steps.running import run_workflow

OK, SKIP, FAIL, ITERATE = Outcome.OK, Outcome.SKIP, Outcome.FAIL, Outcome.ITERATE
FOUND = discover_workflows(EXAMPLES)
PAGES = sorted(EXAMPLES.glob("*.md"))
STATES: dict[str, dict[str, Any]] = {
    "linear": {"title": "On the Origin of Species", "words": ["origin"]},
    "confidence_loop": {"shelf": ["a", "b"]},
    "mode_branching": {"topic": "glass", "plan": ["read"]},
    "quality_gate": {"text": "We measured."},
    "hybrid_steps": {},
}


def test_there_are_five_each_with_a_page():
    assert FOUND.problems == ()
    assert FOUND.names() == sorted(STATES) == [page.stem for page in PAGES]


@pytest.mark.parametrize("workflow", FOUND.values(), ids=FOUND.keys())
async def test_runs_keep_to_the_table_and_take_every_edge_of_it(workflow):
    usual = STATES[workflow.name]
    states = [usual, {**usual, "shelf": []}] if workflow.name == "confidence_loop" else [usual]
    runs = [
        await run_workflow(workflow, state, params=params)
        for params in generate_params(workflow)
        for state in states
    ]
    taken = {edge for run in runs for edge in run.trace}
    if workflow.name == "quality_gate":  # only a must that is never mended uses all rounds up
        taken.add(("review", SKIP))
    assert taken == {(step.id, outcome) for step in workflow.steps for outcome in step.next}


async def test_the_gate_mends_until_nothing_blocks():
    gate = FOUND["quality_gate"]
    complete = await run_workflow(gate, {"text": "Method, result, limitation."})
    assert complete.trace == (("review", OK), ("release", OK))
    poor = await run_workflow(gate, {"text": "We measured."})
    assert [outcome for step, outcome in poor.trace if step == "review"] == [FAIL, FAIL, OK]
    assert "limitation" not in poor.result["text"], "in round 3 what could be better stops nothing"
    assert poor.result["is_released"] is True


async def test_the_dynamic_steps_of_the_hybrid_follow_the_settings():
    hybrid = FOUND["hybrid_steps"]
    likely = (await run_workflow(hybrid)).result["sheet"]
    certain = (await run_workflow(hybrid, params={"depth": "certain", "papers": 3})).result["sheet"]
    assert likely[2] == "Search: Find at least 2 papers."
    assert certain[2] == "Search: Find at least 6 papers."
    assert certain[4].startswith("Verify twice:")
    changed = [one != other for one, other in zip(likely, certain, strict=True)]
    assert changed == [False, False, True, False, True, False]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_picture_of_a_page_is_its_graph(page):
    text = page.read_text(encoding="utf-8")
    assert f"<!-- graph: {page.stem} -->" in text
    assert with_picture(text) == text, "run scripts/docs.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_command_of_a_page_runs(page, monkeypatch):
    monkeypatch.chdir(EXAMPLES.parents[1])
    (block,) = re.findall(r"```sh\npaper-search (.*?)```", page.read_text("utf-8"), re.DOTALL)
    ended = CliRunner().invoke(app, shlex.split(block), prog_name="paper-search")
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.startswith("{")
