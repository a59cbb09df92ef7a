"""What a run may begin with, from Python and as LangGraph's own context, config and input."""

import pytest

from paper_search.errors import ConfigError, QuestionError
from paper_search.steps import Outcome, StepDef, Workflow
from paper_search.steps.compiler import compile_in_memory
from paper_search.testing.skills import FakeSkills
from paper_search.threads.engine import admit, check_begin, open_memory
from paper_search.workflow.session import SearchSession
from paper_search.workflow.state import SearchParams

ACCEPTED = "max_iterations, enable_strategy_checkpoint"
PLACE = {"thread_id": "t"}
MISSPELT = {"max_iteratons": 2}


@pytest.mark.parametrize(
    ("within", "config", "context"),
    [
        ({"workflow_params": MISSPELT}, PLACE, None),
        ({}, PLACE, MISSPELT),
        ({}, {**PLACE, **MISSPELT}, None),
    ],
    ids=["input", "context", "configurable"],
)
async def test_a_graph_refuses_an_unknown_setting_and_says_which_there_are(within, config, context):
    graph = SearchSession.graph(await open_memory(), FakeSkills().skills)
    with pytest.raises(ConfigError, match=f"max_iteratons; it has: {ACCEPTED}"):
        await graph.ainvoke(
            {"question": "bees", **within}, {"configurable": config}, context=context
        )


def test_python_refuses_the_same_in_the_same_words():
    with pytest.raises(ConfigError, match=f"max_iteratons; it has: {ACCEPTED}"):
        admit(SearchParams, MISSPELT, "search")


def test_a_question_that_is_no_use_is_refused_with_its_reason_alone():
    with pytest.raises(QuestionError, match=r"^the question is empty; describe"):
        check_begin(SearchSession, {"question": " "})


@pytest.mark.parametrize("settings", [[1], "fast", {"max_iterations": "many"}])
def test_settings_that_cannot_be_used_are_a_sentence(settings):
    with pytest.raises(ConfigError, match=r"a search|max_iterations"):
        admit(SearchParams, settings, "search")


async def test_a_workflow_without_settings_takes_no_notice_of_the_config():
    step = StepDef("only", "Do it", handler=lambda _: (Outcome.OK, {}), next={Outcome.OK: None})
    graph = compile_in_memory(Workflow("plain", step))
    result = await graph.ainvoke({"step_state": {}}, {"configurable": {**PLACE, "mine": 1}})
    assert result["last_outcome"] == "ok"
