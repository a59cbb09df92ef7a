"""Pictures of a workflow as text: Mermaid and JSON, with the outcome on every edge."""

import json

from paper_search.steps.toolkit.dispatch import Dispatch
from paper_search.steps.workflow import Workflow

START = "__start__"
END = "__end__"


def to_mermaid(workflow: Workflow) -> str:
    """Return the workflow as a Mermaid flowchart with an edge for each outcome.

    Edges of loops are dashed; steps with a bound have a thick frame; steps that hand over to
    another workflow have a double one.
    """
    order = {step.id: number for number, step in enumerate(workflow.steps)}
    lines = ["flowchart TD", f"    {START}([start]) --> {workflow.entry_point}"]
    for step in workflow.steps:
        is_double = isinstance(step.handler, Dispatch)
        lines.append(f"    {step.id}[[{step.id}]]" if is_double else f"    {step.id}[{step.id}]")
    edges = [(s.id, outcome.value, to) for s in workflow.steps for outcome, to in s.next.items()]
    lines += [f"    {source} -- {outcome} --> {to or END}" for source, outcome, to in edges]
    lines.append(f"    {END}([end])")
    if loops := [
        str(number)
        for number, (source, _, to) in enumerate(edges, start=1)
        if to is not None and order[to] <= order[source]
    ]:
        lines.append(f"    linkStyle {','.join(loops)} stroke-dasharray:5")
    if bounded := [step.id for step in workflow.steps if step.bound is not None]:
        lines.append("    classDef bounded stroke-width:3px")
        lines.append(f"    class {','.join(bounded)} bounded")
    return "\n".join(lines) + "\n"


def to_json(workflow: Workflow, *, indent: int | None = 2) -> str:
    """Return the workflow as JSON: name, description, entry point, steps, transitions."""
    document = {
        "name": workflow.name,
        "description": workflow.description,
        "entry_point": workflow.entry_point,
        "steps": [
            {
                "id": step.id,
                "title": step.title,
                "actions": list(step.actions),
                "bound": step.bound,
                "agent": step.handler.agent.value if isinstance(step.handler, Dispatch) else None,
            }
            for step in workflow.steps
        ],
        "transitions": [
            {"from": step.id, "outcome": outcome.value, "to": target}
            for step in workflow.steps
            for outcome, target in step.next.items()
        ],
    }
    return json.dumps(document, indent=indent, ensure_ascii=False)
