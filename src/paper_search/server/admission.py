"""Admission of runs: what is asked of a thread, checked against how the thread stands."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any

from pydantic import ValidationError

from paper_search.errors import (
    InvalidDecisionError,
    QuestionError,
    RequestRefusedError,
    StaleDecisionError,
    ThreadBusyError,
    ThreadError,
    ThreadNotFoundError,
)
from paper_search.persistence import Persistence
from paper_search.report_workflow.catalog import EveryThread
from paper_search.server.authentication import thread_owner
from paper_search.server.rules import (
    named_checkpoints,
    named_sources,
    named_threads,
    without_checkpoints,
)
from paper_search.threads.decisions import listed
from paper_search.threads.questions import OpenQuestion
from paper_search.threads.session import ThreadSession

_INTERRUPT = re.compile(r"[0-9a-f]{32}")
_ASSISTANTS = uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
"""The namespace in which LangGraph's server makes the ids of assistants from names of graphs."""

Session = ThreadSession[Any, Any, Any]


class ThreadAdmission:
    """Refuses a run before it starts, so that the thread stays as it is.

    Args:
        persistence: where threads are kept.
        owners: who has a token.
        sources: those that the runs of a graph may name, by its name.
    """

    def __init__(
        self,
        persistence: Persistence,
        owners: Collection[str],
        sources: Mapping[str, Collection[str]],
    ) -> None:
        self._owners, self._sources = owners, sources
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
            self._check_input(payload)
            return without_checkpoints(payload)
        graph, session = found
        _check_assistant(thread_id, graph, payload)
        try:
            if await session.is_driven():
                raise ThreadBusyError(f"thread {thread_id!r} is running; wait, then try again")
            await self._check_head(session, payload)
            if given is not None:
                resume = await self._answer(session, given, owner)
                return {**without_checkpoints(payload), "command": {"resume": resume}}
            self._check_input(payload)
            return await self._begin(session, payload)
        except InvalidDecisionError as error:
            raise _unfit(str(error)) from None
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

    async def require_visible(self, thread_id: str, owner: str) -> None:
        """Let somebody at a thread of theirs.

        Raises:
            RequestRefusedError: there is none of this id, or it is somebody else's.
        """
        await self._visible(thread_id, owner, is_required=True)

    async def forget(self, thread_id: str) -> None:
        """Delete what the server does not know of: records, index, ledger."""
        try:
            await self._every.delete(thread_id)
        except ThreadNotFoundError:
            return  # it never ran

    async def _visible(
        self, thread_id: str, owner: str, *, is_required: bool = False
    ) -> tuple[str, Session] | None:
        """Return the graph of a thread and what reads it; None: it never ran.

        Raises:
            RequestRefusedError: it is somebody else's, answered as if it were absent; or another
                program's.
        """
        graph = await self._every.graph_of(thread_id)
        if graph is None:
            if is_required or await self._every.searches.session(thread_id).exists():
                raise _not_found(thread_id)
            return None
        catalog = self._every.by_graph[graph]
        if thread_owner(await catalog.begun_by(thread_id), self._owners) != owner:
            raise _not_found(thread_id)
        session = catalog.session(thread_id)
        return (graph, session) if await session.exists() else None

    def _check_input(self, payload: Mapping[str, Any]) -> None:
        """Refuse a run that asks for nothing, or for sources that are not there.

        Raises:
            RequestRefusedError: its input lacks the question of its graph, or has none that can be
                asked; or it names a source that this server does not have enabled.
        """
        graph = next((name for name in self._every.by_graph if _is(name, payload)), None)
        given = payload.get("input")
        if graph is None or given is None:
            return
        self._check_sources(graph, payload)
        session = self._every.by_graph[graph].session("")
        try:
            request = session.workflow.request.model_validate(given)
            session.check_input(getattr(request, session.begins_with))
        except ValidationError as error:
            raise _unfit(f"the input: {listed(error)}") from None
        except QuestionError as error:
            raise _unfit(f"the input: {session.begins_with}: {error}") from None

    def _check_sources(self, graph: str, payload: Mapping[str, Any]) -> None:
        accepted = self._sources.get(graph, ())
        if unknown := [name for name in named_sources(payload) if name not in accepted]:
            raise _unfit(
                f"sources: {', '.join(unknown)[:200]}: not enabled on this server, which has "
                f"{', '.join(accepted) or 'none'}; PAPER_SEARCH_SOURCES enables others"
            )

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

    async def _answer(self, session: Session, given: Any, owner: str) -> dict[str, Any]:
        question = await session.require_question()
        answer = _for(question, given)
        if answer is given:
            if await session.answers.is_replay(answer, owner):
                raise StaleDecisionError(
                    "this decision was given before and counts; the thread waits with the next "
                    f"question: {question.question.reference} (token {question.question.token})"
                )
            await session.answers.require_meant(question, answer, owner)
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
    if not _is(graph, payload):
        raise RequestRefusedError(
            HTTPStatus.CONFLICT,
            f"thread {thread_id!r} goes on with the assistant {graph!r}, which began it, and not "
            f"with {str(payload.get('assistant_id'))[:100]!r}",
        )


def _is(graph: str, payload: Mapping[str, Any]) -> bool:
    """Whether a run names the assistant of a graph, by its name or its id."""
    return str(payload.get("assistant_id")) in {graph, str(uuid.uuid5(_ASSISTANTS, graph))}


def _unfit(text: str) -> RequestRefusedError:
    return RequestRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, text)


def _not_found(thread_id: str) -> RequestRefusedError:
    return RequestRefusedError(HTTPStatus.NOT_FOUND, f"no thread {thread_id!r}")
