"""Doctored skills, and short ways to say what a test's person answers."""

from collections.abc import Callable
from typing import Any

from paper_search.models import Paper, UserFeedback
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import Checkpoint, Decision, DecisionAction, SearchWorkflow

STEPS = ["parse", "build", "search", "deduplicate", "score", "organize"]


def workflow(skills: FakeSkills | None = None, handler: Any = None, **options: Any):
    """Return a workflow with one object in all six roles."""
    return SearchWorkflow(*[skills or FakeSkills()] * 6, handler, **options)


def edit(data: Any = None, note: str | None = None) -> Decision:
    return Decision(action=DecisionAction.EDIT, revised_data=data, note=note)


def reject(note: str | None = None, data: Any = None) -> Decision:
    return Decision(action=DecisionAction.REJECT, revised_data=data, note=note)


def mark_last(checkpoint: Checkpoint) -> Decision:
    """Mark the last paper shown as relevant and ask for another round."""
    return edit(
        UserFeedback(marked_relevant=[checkpoint.payload.collection.papers[-1].id]).model_dump()
    )


def unmarked(papers: list[Paper]) -> list[Paper]:
    """Return papers without what a person decided, which the seeds' algorithm does not show."""
    return [paper.model_copy(update={"screening": None}) for paper in papers]


class FailingSkills(FakeSkills):
    """Skills of which one raises, until it is repaired.

    Args:
        method: which one.
        error: what it raises.
    """

    def __init__(self, method: str, error: BaseException) -> None:
        super().__init__()
        self.is_broken = True
        inner: Callable[..., Any] = getattr(self, method)

        async def broken(*args: Any) -> Any:
            if self.is_broken:
                raise error
            return await inner(*args)

        setattr(self, method, broken)
