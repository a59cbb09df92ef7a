"""Admission of runs: what is asked of a thread, checked against how the thread stands."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
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
from paper_search.report_workflow.catalog import EveryThread
from paper_search.server.rules import named_checkpoints, named_threads, without_checkpoints
from paper_search.threads.reading import OpenQuestion
from paper_search.threads.session import ThreadSession

_INTERRUPT = re.compile(r"[0-9a-f]{32}")
_ASSISTANTS = uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
"""The namespace in which LangGraph's server makes the ids of assistants from names of graphs."""

Session = ThreadSession[Any, Any, Any]


class ThreadAdmission:
    """Refuses a run before it starts, so that the thread stays as it is.

    Args:
        persistence: where threads are kept.
        default_owner: whose the threads are that nobody began over the server.
    """

    def __init__(self, persistence: Persistence, default_owner: str) -> None:
        self._persistence = persistence
        self._default_owner = default_owner
        self._every = EveryThread(persistence)

    async def run(self, thread_id: str, payload: dict[str, Any], owner: str) -> dict[str, Any]:
        """Return the run as it may be started: an answer names its question and is a decision.

        Raises:
            RequestRefusedError: the thread does not take it now.
        """
        for name in named_threads(payload):
            await self._visible(name, owner, is_required=True)
        found = await self._visible(thread_id, owner)
        command = payload.get("command") or {}
        given = command.get("resume") if isinstance(command, dict) else None
        if found is None:
            if payload.get("input") is None:
                raise _not_found(thread_id)
            return without_checkpoints(payload)
        graph, session = found
        _check_assistant(thread_id, graph, payload)
        try:
            if await session.is_driven():
                raise ThreadBusyError(f"thread {thread_id!r} is running; wait, then try again")
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
        found = await self._visible(thread_id, owner)
        if found is not None and await found[1].is_driven():
            raise RequestRefusedError(
                HTTPStatus.CONFLICT, f"thread {thread_id!r} is running; it is not deleted"
            )

    async def forget(self, thread_id: str) -> None:
        """Delete what the server does not know of: records, index, ledger."""
        try:
            catalog = await self._every.catalog_of(thread_id)
            await catalog.delete(thread_id)
        except ThreadNotFoundError:
            return  # it never ran

    async def _visible(
        self, thread_id: str, owner: str, *, is_required: bool = False
    ) -> tuple[str, Session] | None:
        """Return the graph of a thread and what reads it; None: it never ran.

        Raises:
            RequestRefusedError: it is somebody else's, which is as good as not there; or another
                program's.
        """
        graph = await self._every.graph_of(thread_id)
        if graph is None:
            if is_required or await self._every.searches.session(thread_id).exists():
                raise _not_found(thread_id)
            return None
        session = self._every.by_graph[graph].session(thread_id)
        try:
            snapshot = await session.snapshot()
        except ThreadNotFoundError:  # what a deletion left behind
            return None
        if (snapshot.metadata or {}).get("owner", self._default_owner) != owner:
            raise _not_found(thread_id)
        return graph, session

    async def _check_head(self, session: Session, payload: dict[str, Any]) -> None:
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

    async def _answer(self, session: Session, given: Any) -> dict[str, Any]:
        question = await session.require_question()
        answer = _for(question, given)
        return {question.interrupt_id: session.checked(question, answer)}

    async def _begin(self, session: Session, payload: dict[str, Any]) -> dict[str, Any]:
        state = await session.state()
        if not state.is_complete and await session.open_question() is not None:
            raise ThreadError("the thread waits for a decision: answer it with command.resume")
        if not state.is_complete and payload.get("input") is not None:
            raise ThreadError(
                "the thread stopped in the middle of its steps: run it without an input to continue"
            )
        if state.is_complete and payload.get("input") is None:
            raise ThreadError("the thread is done; there is nothing to resume")
        return without_checkpoints(payload)


def _for(question: OpenQuestion[Any], given: Any) -> Any:
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


def _check_assistant(thread_id: str, graph: str, payload: Mapping[str, Any]) -> None:
    """Let a thread be driven by the graph only that began it.

    Raises:
        RequestRefusedError: the run names another one.
    """
    named = str(payload.get("assistant_id"))
    if named not in {graph, str(uuid.uuid5(_ASSISTANTS, graph))}:
        raise RequestRefusedError(
            HTTPStatus.CONFLICT,
            f"thread {thread_id!r} goes on with the assistant {graph!r}, which began it, and not "
            f"with {named[:100]!r}",
        )


def _not_found(thread_id: str) -> RequestRefusedError:
    return RequestRefusedError(HTTPStatus.NOT_FOUND, f"no thread {thread_id!r}")
