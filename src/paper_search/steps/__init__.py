"""Workflows as data: steps, outcomes and the transitions between them.

The modules here are the engine that runs the graphs of this project; `toolkit` is for workflows of
others only. Only `paper_search.steps.compiler` depends on LangGraph; the rest is plain data.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paper_search.steps.step import StepDef
from paper_search.steps.toolkit.discovery import (
    Discovery,
    compare_langgraph_json,
    discover_workflows,
)
from paper_search.steps.toolkit.dispatch import Dispatch
from paper_search.steps.toolkit.drawing import to_json, to_mermaid
from paper_search.steps.toolkit.gates import Finding, QualityGate, Severity, blocking_severities
from paper_search.steps.toolkit.inputs import (
    every_input,
    extract_schema,
    generate_inputs,
    generate_params,
)
from paper_search.steps.toolkit.relay import Option, Question, QuestionSheet, ask_questions
from paper_search.steps.types import (
    AgentRole,
    Arg,
    BoundedInt,
    ChoiceSet,
    Constant,
    Domain,
    Handler,
    Outcome,
    Run,
    StepContext,
    StepOutput,
    StepUpdate,
    Untracked,
)
from paper_search.steps.workflow import Workflow

if TYPE_CHECKING:
    from paper_search.steps.compiler import compile_workflow, resume
    from paper_search.steps.running import resume_workflow, run_workflow

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
    "Run",
    "Severity",
    "StepContext",
    "StepDef",
    "StepOutput",
    "StepUpdate",
    "Untracked",
    "Workflow",
    "ask_questions",
    "blocking_severities",
    "compare_langgraph_json",
    "compile_workflow",
    "discover_workflows",
    "every_input",
    "extract_schema",
    "generate_inputs",
    "generate_params",
    "resume",
    "resume_workflow",
    "run_workflow",
    "to_json",
    "to_mermaid",
]

_WITH_LANGGRAPH = {
    "compile_workflow": "compiler",
    "resume": "compiler",
    "resume_workflow": "running",
    "run_workflow": "running",
}
"""The module of each name that needs LangGraph, which is slow to import."""


def __getattr__(name: str) -> Any:
    """Import names that need LangGraph on first use (PEP 562)."""
    if name not in _WITH_LANGGRAPH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WITH_LANGGRAPH[name]}"), name)
