"""Pictures show every outcome of a table."""

import json

from paper_search.steps import Dispatch, Outcome, StepDef, Workflow, to_json, to_mermaid
from paper_search.workflow.graph import WORKFLOW

TABLE = {
    step.id: {outcome.value: target for outcome, target in step.next.items()}
    for step in WORKFLOW.steps
}


def test_mermaid_has_an_edge_for_every_outcome_also_two_to_one_step():
    lines = [line.strip() for line in to_mermaid(WORKFLOW).splitlines()]
    edges = [
        f"{step} -- {outcome} --> {target or '__end__'}"
        for step, targets in TABLE.items()
        for outcome, target in targets.items()
    ]
    assert [line for line in lines if " -- " in line] == edges
    assert "confirm_strategy -- approve --> search" in lines
    assert "confirm_strategy -- edit --> search" in lines
    assert "__start__([start]) --> parse_intent" in lines
    assert lines[0] == "flowchart TD"


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


def test_mermaid_dashes_the_loops_and_frames_the_steps_with_a_bound():
    lines = to_mermaid(WORKFLOW).splitlines()
    (style,) = [line for line in lines if "linkStyle" in line]
    links = [line for line in lines if "-->" in line]
    dashed = [links[int(number)].strip() for number in style.split()[1].split(",")]
    assert dashed == [
        "confirm_strategy -- reject --> build_strategy",
        "review_results -- edit --> build_strategy",
        "review_results -- reject --> build_strategy",
        "review_results -- iterate --> search",
    ]
    assert "    class build_strategy,search bounded" in lines
