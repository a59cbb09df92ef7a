"""Admission of runs: what is asked of a thread, checked against how the thread stands."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from paper_search.errors import (
    InvalidDecisionError,
    RequestRefusedError,
    StaleDecisionError,
    ThreadBusyError,
    ThreadError,
    ThreadNotFoundError,
)
from paper_search.persistence import Persistence
from paper_search.server.rules import named_checkpoints, without_checkpoints
from paper_search.workflow.checkpoints import reference
from paper_search.workflow.decisions import check_decision
from paper_search.workflow.session import OpenQuestion, ThreadSession, search_graph
from paper_search.workflow.threads import ThreadCatalog

_INTERRUPT = re.compile(r"[0-9a-f]{32}")


class ThreadAdmission:
    """Refuses a run before it starts, so that the thread stays as it is.

    Args:
        persistence: where threads live.
        keeper: whose the threads are that nobody began over the server.
    """

    def __init__(self, persistence: Persistence, keeper: str) -> None:
        self._persistence = persistence
        self._keeper = keeper
        self._graph = search_graph(persistence)
        self._catalog = ThreadCatalog(persistence)

    async def run(self, thread_id: str, payload: dict[str, Any], owner: str) -> dict[str, Any]:
        """Return the run as it may be started: an answer names its question and is a decision.

        Raises:
            RequestRefusedError: the thread does not take it now.
        """
        session = ThreadSession(self._graph, self._persistence, thread_id)
        is_new = not await self._is_visible(session, owner)
        command = payload.get("command") or {}
        given = command.get("resume") if isinstance(command, dict) else None
        if is_new:
            if payload.get("input") is None:
                raise _not_found(thread_id)
            return without_checkpoints(payload)
        try:
            if await session.is_driven():
                raise ThreadBusyError(f"thread {thread_id!r} is being driven; wait, then try again")
            await self._check_head(session, payload)
            if given is not None:
                resume = await self._answer(session, given)
                return {**without_checkpoints(payload), "command": {"resume": resume}}
            return await self._begin(session, payload)
        except InvalidDecisionError as error:
            raise RequestRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
        except ThreadError as error:
            raise RequestRefusedError(HTTPStatus.CONFLICT, str(error)) from None

    async def deletion(self, thread_id: str, owner: str) -> None:
        """Let a thread be deleted that nobody drives.

        Raises:
            RequestRefusedError: somebody does, or it is somebody else's.
        """
        session = ThreadSession(self._graph, self._persistence, thread_id)
        if await self._is_visible(session, owner) and await session.is_driven():
            raise RequestRefusedError(
                HTTPStatus.CONFLICT, f"thread {thread_id!r} is being driven; it is not deleted"
            )

    async def forget(self, thread_id: str) -> None:
        """Delete what the server does not know of: records, index, ledger."""
        try:
            await self._catalog.delete(thread_id)
        except ThreadNotFoundError:
            return  # it never ran

    async def _is_visible(self, session: ThreadSession, owner: str) -> bool:
        """Whether the thread has run; one of somebody else is as good as none.

        Raises:
            RequestRefusedError: it is somebody else's.
        """
        try:
            snapshot = await session.snapshot()
        except ThreadNotFoundError:
            return False
        if (snapshot.metadata or {}).get("owner", self._keeper) != owner:
            raise _not_found(snapshot.config["configurable"]["thread_id"])
        return True

    async def _check_head(self, session: ThreadSession, payload: dict[str, Any]) -> None:
        """A run goes on from the latest checkpoint: no earlier decision is changed in secret."""
        named = named_checkpoints(payload)
        if not named:
            return
        snapshot = await session.snapshot()
        if named != {snapshot.config["configurable"]["checkpoint_id"]}:
            raise StaleDecisionError(
                "the run names a checkpoint that is not the latest; `paper-search fork` takes "
                "another decision on an earlier one"
            )

    async def _answer(self, session: ThreadSession, given: Any) -> dict[str, Any]:
        question = await session.require_question()
        answer = _for(question, given)
        known, records = question.markable_ids, question.record_ids
        valid = check_decision(question.checkpoint, answer, known, records)
        named = valid.model_copy(update={"checkpoint": reference(question.checkpoint)})
        return {question.interrupt_id: named.model_dump(mode="json")}

    async def _begin(self, session: ThreadSession, payload: dict[str, Any]) -> dict[str, Any]:
        state = await session.state()
        if not state.is_complete and await session.open_question() is not None:
            raise ThreadError("the thread waits for a decision: answer it with command.resume")
        if not state.is_complete and payload.get("input") is not None:
            raise ThreadError(
                "the thread stopped in the middle of its steps: run it without an input to go on"
            )
        if state.is_complete and payload.get("input") is None:
            raise ThreadError("the thread is done; there is nothing to resume")
        return without_checkpoints(payload)


def _for(question: OpenQuestion, given: Any) -> Any:
    """Return the decision in a map of answers by interrupt.

    Raises:
        StaleDecisionError: the map answers other questions.
    """
    if not isinstance(given, dict) or not given or not all(map(_INTERRUPT.fullmatch, given)):
        return given
    if set(given) != {question.interrupt_id}:
        raise StaleDecisionError(
            "the answer is to a question that is not open; the thread waits with "
            f"{question.interrupt_id}"
        )
    return given[question.interrupt_id]


def _not_found(thread_id: str) -> RequestRefusedError:
    return RequestRefusedError(HTTPStatus.NOT_FOUND, f"no thread {thread_id!r}")
