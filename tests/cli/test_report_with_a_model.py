"""`paper-search report` with a model: what it costs is said before and after."""

from typing import Any

import pytest
from tests.report.answers import REPORT_ANSWERS

pytestmark = pytest.mark.usefixtures("model")
ASK = ("report", "Do graph neural networks predict the properties of molecules?")
SAMPLE = ("--source", "sample", "--depth", "quick", "--words", "300")


@pytest.fixture
def model_answers() -> dict[str, Any]:
    return dict(REPORT_ANSWERS)


def test_the_cost_of_a_report_is_said_at_its_plan_and_at_its_draft(cli):
    planned = cli(*ASK, *SAMPLE, "--budget", "0.50", code=3)
    assert "will cost  about" in planned.stderr
    assert "with one draft and 100 papers to judge (prices of 20" in planned.stderr
    assert "at most  about" in planned.stderr
    assert "with 3 drafts and 2 more searches" in planned.stderr
    assert "budget  $0.50" in planned.stderr
    [listed] = cli("threads", "--json").document
    thread = listed["thread_id"]
    shown = cli("show", thread, "--json").document
    estimate = shown["open_review"]["shows"]["estimate"]
    drafted = cli("resume", thread, "--approve", "--json").document
    usage = [step for step in drafted["review"]["shows"]["usage"] if step["step"] != "planner"]
    assert {step["step"] for step in usage} == {"searcher", "analyst", "writer", "reviewer"}
    for name in ("calls", "input_tokens", "output_tokens", "money"):
        assert 0 < sum(step[name] for step in usage) <= estimate["at_most"][name]
    asked = cli("show", thread)
    assert asked.stdout.count("writer of round 1") == 1
    assert "spent  " in asked.stdout
