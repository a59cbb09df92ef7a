"""The names of `skills.lib.workflow.core` of seed 004, for programs written against it."""

from paper_search.steps.step import StepDef
from paper_search.steps.types import Arg, Outcome, StepContext, StepOutput
from paper_search.steps.workflow import Workflow

__all__ = ["Arg", "Outcome", "StepContext", "StepDef", "StepOutput", "Workflow"]
