"""Workflows as data: steps, outcomes and the transitions between them.

Only `paper_search.steps.compiler` knows LangGraph; everything here is plain data.
"""

from paper_search.steps.core import StepDef, Transitions, Workflow
from paper_search.steps.drawing import to_json, to_mermaid
from paper_search.steps.types import (
    Arg,
    Handler,
    Outcome,
    StepContext,
    StepUpdate,
    Untracked,
)

__all__ = [
    "Arg",
    "Handler",
    "Outcome",
    "StepContext",
    "StepDef",
    "StepUpdate",
    "Transitions",
    "Untracked",
    "Workflow",
    "to_json",
    "to_mermaid",
]
