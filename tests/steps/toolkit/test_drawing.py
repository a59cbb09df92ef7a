"""Pictures show every outcome of a table; docs/architecture.md has those of our own graphs."""

import json

from paper_search.steps import Dispatch, Outcome, StepDef, Workflow, to_json, to_mermaid
from paper_search.workflow.graph import WORKFLOW

TABLE = {
    step.id: {outcome.value: target for outcome, target in step.next.items()}
    for step in WORKFLOW.steps
}


def test_json_has_all_that_the_table_has():
    document = json.loads(to_json(WORKFLOW))
    assert [entry["id"] for entry in document["steps"]] == list(TABLE)
    assert all(record["title"] for record in document["steps"])
    transitions: dict[str, dict[str, str | None]] = {}
    for block in document["transitions"]:
        transitions.setdefault(block["from"], {})[block["outcome"]] = block["to"]
    assert transitions == TABLE
    assert document["entry_point"] == "parse_intent"


def test_a_default_is_drawn_as_such_and_a_sub_workflow_with_a_frame():
    inner = Workflow("inner", StepDef("x", next={Outcome.OK: None}))
    ends = {Outcome.OK: None, Outcome.DEFAULT: "a"}
    step = StepDef("a", title="Ä", handler=Dispatch(workflow=inner), next=ends, bound=2)
    workflow = Workflow("toy", step)
    assert "a -- _default --> a" in to_mermaid(workflow)
    assert "a[[a]]" in to_mermaid(workflow)
    assert '"title": "Ä"' in to_json(workflow, indent=None)
