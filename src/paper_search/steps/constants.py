"""The names of `skills.lib.workflow.constants` of seed 004, for programs written against it."""

from paper_search.steps.toolkit.relay import QUESTION_RELAY_HANDLER, SUB_AGENT_QUESTION_FORMAT

__all__ = ["QUESTION_RELAY_HANDLER", "SUB_AGENT_QUESTION_FORMAT"]
