"""What a checkpoint handler decided, in the form that the graph takes."""

from __future__ import annotations

import contextlib
import logging

from pydantic import ValidationError

from paper_search.models import PaperCollection, UserFeedback
from paper_search.workflow.checkpoints import Checkpoint, Decision, DecisionAction, ResultPayload
from paper_search.workflow.state import WorkflowState

logger = logging.getLogger(__name__)


def coerced(decision: Decision, checkpoint: Checkpoint) -> Decision:
    """Return what a handler decided in the form that the graph takes.

    A handler's feedback is taken as far as it can be (seed REQ-17); answers from elsewhere are
    refused instead, so that a slip of the pen never counts as "no feedback".
    """
    if not isinstance(checkpoint.payload, ResultPayload):
        if decision.action is DecisionAction.REJECT:
            return _with(decision, coerce_feedback(decision))
        return decision
    if decision.action is DecisionAction.APPROVE and decision.revised_data is None:
        return decision
    feedback = coerce_feedback(decision)
    shown = {paper.id for paper in checkpoint.payload.collection.papers}
    shown |= {paper.id for paper in checkpoint.payload.accumulated_papers}
    for name in ("marked_relevant", "marked_irrelevant"):
        marked = getattr(feedback, name)
        if unknown := [each for each in marked if each not in shown]:
            logger.warning("%s: no such papers in this result: %s", name, ", ".join(unknown))
        setattr(feedback, name, [each for each in marked if each in shown])
    return _with(decision, feedback)


def _with(decision: Decision, feedback: UserFeedback) -> Decision:
    return decision.model_copy(update={"revised_data": feedback.model_dump(mode="json")})


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
