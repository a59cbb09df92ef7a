"""Reviews that are kept up to date."""

from __future__ import annotations

from paper_search.config import current_person
from paper_search.models import PaperCollection
from paper_search.workflow.checkpoints import Checkpoint
from paper_search.workflow.engine import SearchWorkflow
from paper_search.workflow.results import empty_collection


async def update_review(
    workflow: SearchWorkflow, thread_id: str, *, by: str | None = None, is_quiet: bool = False
) -> Checkpoint | PaperCollection:
    """Search the approved strategy of a search that is done again, for what is new.

    Both questions are asked, and only works that no earlier round found are asked about. With
    `is_quiet`, nobody is asked if every source has as many hits as before. Returns the question
    about the strategy, or the result as it was.

    Raises:
        ThreadNotFoundError: there is no such thread.
        ThreadBusyError: another process drives it.
        ThreadNotWaitingError: it is not done.
        InputError: it has no approved strategy that sources could be asked.
    """
    async with workflow.hold(thread_id) as session:
        await session.update(by or current_person(), is_quiet=is_quiet)
        result = await session.result() or empty_collection(thread_id)
    return await workflow.pending(thread_id) or result
