"""The paper-search graph comes to an end, whatever its settings."""

import pytest

from paper_search.steps import BoundedInt, Constant, generate_params
from paper_search.steps.running import run_workflow
from paper_search.steps.toolkit.inputs import input_id
from paper_search.testing.skills import FakeSkills
from paper_search.workflow.graph import WORKFLOW

SOME = {
    "max_iterations": BoundedInt(1, 2),
    "preview_papers": Constant(20),
    "max_results": Constant(1),
}


@pytest.mark.parametrize(
    "params", list(generate_params(WORKFLOW, SOME)), ids=lambda params: input_id(WORKFLOW, params)
)
async def test_every_combination_of_settings_comes_to_an_end(params):
    answers = [{"action": "reject", "note": "again"}] * 4
    run = await run_workflow(
        WORKFLOW, {"question": "q"}, params=params, answers=answers, services=FakeSkills().skills
    )
    assert not run.is_waiting
