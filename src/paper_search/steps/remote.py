"""A graph that another process serves: started, read and asked on behalf of, across restarts."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from paper_search.errors import DispatchError
from paper_search.steps.types import Remote


class Relay:
    """Passes the questions of a remote graph on, each once, however often the step is repeated.

    A step that waits is repeated from its beginning when its answer is there. The store keeps which
    question was asked as which, so that an answer never goes to another question.

    Args:
        store: of the run.
        ask: puts a question, given with the schema of its answers, and returns the answer.
    """

    def __init__(self, store: Any, ask: Callable[[Any, Any], Any]) -> None:
        self._store = store
        self.ask = ask

    async def question(
        self, run_id: str, index: int, pending: Mapping[str, Any] | None
    ) -> dict[str, Any] | None:
        """Return the question that was asked at that place, or else the pending one."""
        namespace = ("relayed", run_id)
        asked = await self._store.aget(namespace, str(index))
        if asked is not None or pending is None:
            known: dict[str, Any] | None = asked.value if asked is not None else None
            return known
        schema = pending.get("response_schema")
        question = {"id": pending["id"], "value": pending["value"], "schema": schema}
        await self._store.aput(namespace, str(index), question)
        return question


class RemoteRun:
    """One run on a server; its thread is named by the visit, so that a restart finds it again.

    Args:
        remote: where, and which graph.
        graph: runs it; has `ainvoke`.
        client: makes the thread and reads it.
        visit: names this visit of the step.
        refusal: what the graph raises when the server refuses what it was given.
    """

    def __init__(
        self,
        remote: Remote,
        graph: Any,
        client: Any,
        *,
        visit: str,
        refusal: type[Exception],
    ) -> None:
        self.thread_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{remote.url}/{remote.graph}/{visit}"))
        self._remote = remote
        self._graph = graph
        self._client = client
        self._refusal = refusal
        self._config: Any = {"configurable": {"thread_id": self.thread_id}}

    async def to_the_end(
        self,
        given: Mapping[str, Any],
        params: Mapping[str, Any],
        *,
        relay: Relay,
        resume: Callable[[str, Any], Any],
    ) -> Mapping[str, Any]:
        """Return what the run leaves; its questions are relayed.

        Args:
            given: the input.
            params: the settings.
            relay: passes questions on.
            resume: makes of a question's id and an answer what the graph goes on with.

        Raises:
            DispatchError: the server cannot be reached, or the run failed there.
        """
        snapshot, index = await self._begun(given, params), 0
        while True:
            pending = _open(snapshot)
            question = await relay.question(self.thread_id, index, pending)
            if question is None:
                values: Mapping[str, Any] = snapshot["values"]
                return values
            answer = relay.ask(question["value"], question["schema"])
            if pending is not None and pending["id"] == question["id"]:
                command = resume(question["id"], answer)
                snapshot = await self._answered(question["id"], command)
            index += 1

    async def _begun(self, given: Mapping[str, Any], params: Mapping[str, Any]) -> Any:
        """Start, or go on after a restart, up to the first question or the end."""
        threads = self._client.threads
        await self._reach(threads.create(thread_id=self.thread_id, if_exists="do_nothing"))
        snapshot = await self._snapshot()
        is_new = not snapshot["values"] and not snapshot["next"]
        if _open(snapshot) is not None or not (is_new or snapshot["next"]):
            return snapshot
        started = dict(given) if is_new else None
        context = dict(params) or None
        await self._reach(self._graph.ainvoke(started, self._config, context=context))
        return await self._snapshot()

    async def _answered(self, question: str, command: Any) -> Any:
        """Give an answer; one that the server refuses leaves the question open."""
        try:
            await self._reach(self._graph.ainvoke(command, self._config))
        except DispatchError as error:
            snapshot = await self._snapshot()
            pending = _open(snapshot)
            is_open = pending is not None and pending["id"] == question
            if is_open and isinstance(error.__cause__, self._refusal):
                return snapshot
            raise
        return await self._snapshot()

    async def _snapshot(self) -> Any:
        # `RemoteGraph.aget_state` cannot read a thread on which nothing has run.
        return await self._reach(self._client.threads.get_state(self.thread_id))

    async def _reach(self, call: Awaitable[Any]) -> Any:
        try:
            return await call
        except Exception as error:
            raise DispatchError(
                f"the graph {self._remote.graph!r} at {self._remote.url!r} could not be run: "
                f"{type(error).__name__}; the thread can be resumed when it can be reached"
            ) from error


def _open(snapshot: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the question that a thread of a server waits with."""
    interrupts: list[Mapping[str, Any]] = snapshot.get("interrupts") or []
    return interrupts[0] if interrupts else None
