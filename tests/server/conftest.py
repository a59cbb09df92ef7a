"""Threads in a file: searches that wait, ended or failed."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search.persistence import Persistence, open_persistence

Begin = Callable[..., Awaitable[str]]


@pytest.fixture
async def persistence(tmp_path) -> AsyncIterator[Persistence]:
    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as persistence:
        yield persistence


@pytest.fixture
def begin(persistence: Persistence) -> Begin:
    async def begin(*answers: str, question: str = "what is known of glass") -> str:
        """Begin a search, give it answers, and return its id."""
        thread_id = str(uuid.uuid4())
        flow = workflow(persistence=persistence)
        await flow.start(question, thread_id=thread_id)
        for answer in answers:
            await reply_to(flow, thread_id, answer)
        return thread_id

    return begin
