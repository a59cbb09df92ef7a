"""Workflows as data: steps, outcomes and the transitions between them.

Only `paper_search.steps.compiler` knows LangGraph; everything here is plain data.
"""

from paper_search.steps.core import StepDef, Transitions, Workflow
from paper_search.steps.discovery import Discovery, compare_langgraph_json, discover_workflows
from paper_search.steps.domains import BoundedInt, ChoiceSet, Constant, Domain
from paper_search.steps.drawing import to_json, to_mermaid
from paper_search.steps.gates import Finding, QualityGate, Severity, blocking_severities
from paper_search.steps.inputs import (
    extract_schema,
    generate_inputs,
    generate_params,
    generate_paths,
)
from paper_search.steps.relay import Option, Question, QuestionSheet, ask_questions
from paper_search.steps.types import (
    AgentRole,
    Arg,
    Dispatch,
    Handler,
    Outcome,
    Remote,
    Run,
    StepContext,
    StepUpdate,
    Untracked,
)

__all__ = [
    "AgentRole",
    "Arg",
    "BoundedInt",
    "ChoiceSet",
    "Constant",
    "Discovery",
    "Dispatch",
    "Domain",
    "Finding",
    "Handler",
    "Option",
    "Outcome",
    "QualityGate",
    "Question",
    "QuestionSheet",
    "Remote",
    "Run",
    "Severity",
    "StepContext",
    "StepDef",
    "StepUpdate",
    "Transitions",
    "Untracked",
    "Workflow",
    "ask_questions",
    "blocking_severities",
    "compare_langgraph_json",
    "discover_workflows",
    "extract_schema",
    "generate_inputs",
    "generate_params",
    "generate_paths",
    "to_json",
    "to_mermaid",
]
