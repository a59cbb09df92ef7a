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
        taken.add(("review", Outcome.SKIP))
    assert taken == {(step.id, outcome) for step in workflow.steps for outcome in step.next}


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
