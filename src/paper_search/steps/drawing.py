"""Pictures of a workflow: Mermaid and JSON, with the outcome on every edge."""

from __future__ import annotations

import json

from paper_search.steps.core import Workflow

START = "__start__"
END = "__end__"


def to_mermaid(workflow: Workflow) -> str:
    """Return the workflow as a Mermaid flowchart; every outcome is an edge of its own."""
    lines = ["flowchart TD", f"    {START}([start]) --> {workflow.entry_point}"]
    lines += [f"    {step.id}[{step.id}]" for step in workflow.steps]
    lines += [
        f"    {source} -- {outcome} --> {target}" for source, outcome, target in _edges(workflow)
    ]
    lines.append(f"    {END}([end])")
    return "\n".join(lines) + "\n"


def to_json(workflow: Workflow, *, indent: int | None = 2) -> str:
    """Return the workflow as JSON: name, description, entry point, steps, transitions."""
    document = {
        "name": workflow.name,
        "description": workflow.description,
        "entry_point": workflow.entry_point,
        "steps": [
            {"id": step.id, "title": step.title, "actions": list(step.actions)}
            for step in workflow.steps
        ],
        "transitions": [
            {"from": source, "outcome": outcome, "to": None if target == END else target}
            for source, outcome, target in _edges(workflow)
        ],
    }
    return json.dumps(document, indent=indent, ensure_ascii=False)


def _edges(workflow: Workflow) -> list[tuple[str, str, str]]:
    return [
        (step.id, outcome.value, target if target is not None else END)
        for step in workflow.steps
        for outcome, target in step.next.items()
    ]
