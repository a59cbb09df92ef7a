"""What a checkpoint handler decided, in the form that the graph takes."""

from __future__ import annotations

import contextlib
import logging
from typing import Any

from pydantic import ValidationError

from paper_search.models import PaperCollection, UserFeedback
from paper_search.workflow.checkpoints import Checkpoint, Decision, DecisionAction, ResultPayload
from paper_search.workflow.state import WorkflowState

logger = logging.getLogger(__name__)


def coerced(decision: Any, checkpoint: Checkpoint, known_ids: frozenset[str]) -> Any:
    """Return what a handler decided in the form that the graph takes.

    A handler's feedback is taken as far as it can be (seed REQ-17); answers from elsewhere are
    refused instead, so that a slip of the pen never counts as "no feedback".

    Args:
        decision: what the handler gave; what is no `Decision` is left to the decoder.
        checkpoint: what it was asked.
        known_ids: papers that may be marked.
    """
    if not isinstance(decision, Decision):
        return decision
    at_strategy = not isinstance(checkpoint.payload, ResultPayload)
    if at_strategy and decision.action is DecisionAction.APPROVE:
        return decision.model_copy(update={"revised_data": None})
    if at_strategy and decision.action is DecisionAction.EDIT:
        return decision
    if decision.action is DecisionAction.APPROVE and decision.revised_data is None:
        return decision
    feedback = coerce_feedback(decision)
    marks = {
        name: _known(getattr(feedback, name), known_ids)
        for name in ("marked_relevant", "marked_irrelevant")
    }
    plain = feedback.model_copy(update=marks).model_dump(mode="json")
    return decision.model_copy(update={"revised_data": plain})


def _known(marked: list[str], known_ids: frozenset[str]) -> list[str]:
    if unknown := [each for each in marked if each not in known_ids]:
        logger.warning("marks are left out, no such papers in this result: %s", unknown)
    return [each for each in marked if each in known_ids]


def coerce_feedback(decision: Decision) -> UserFeedback:
    """Return the feedback in a decision: its `revised_data` if that is one, else its note."""
    if isinstance(decision.revised_data, UserFeedback):
        return decision.revised_data
    if isinstance(decision.revised_data, dict):
        with contextlib.suppress(ValidationError):
            return UserFeedback.model_validate(decision.revised_data)
    return UserFeedback(free_text_feedback=decision.note or "")


def accumulate_relevant(
    state: WorkflowState, collection: PaperCollection, feedback: UserFeedback
) -> None:
    """Add the papers of a collection that were marked relevant to the accumulated ones."""
    marked = set(feedback.marked_relevant)
    state.add_accumulated([paper for paper in collection.papers if paper.id in marked])
