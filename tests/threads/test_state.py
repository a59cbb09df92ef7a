"""State: read in its own version only, and frozen."""

import pytest
from pydantic import BaseModel

from paper_search.errors import PersistenceError
from paper_search.report_workflow import graph as report
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


@pytest.mark.parametrize("workflow", [search.WORKFLOW, report.WORKFLOW])
def test_the_state_that_a_step_is_given_is_frozen(workflow):
    assert workflow.state.model_config["frozen"]
