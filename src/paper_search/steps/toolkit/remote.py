"""A graph that another process serves: started, read and asked on behalf of, across restarts."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paper_search.errors import DispatchError
from paper_search.steps.types import StepContext


@dataclass(frozen=True)
class Remote:
    """A graph that another process serves over the LangGraph server API."""

    url: str
    graph: str
    """Name of the graph, or id of an assistant."""


async def run_remote(  # noqa: PLR0913  # one argument for each thing that only the step has
    remote: Remote,
    given: Mapping[str, Any],
    params: Mapping[str, Any],
    *,
    ctx: StepContext[Any, Any, Any],
    visit: str,
    connect: Callable[[str], Any] | None = None,
) -> Mapping[str, Any]:
    """Return what a graph of a server leaves, run on a thread there that belongs to this visit.

    Args:
        remote: where, and which graph.
        given: the input.
        params: the settings.
        ctx: of the step that hands over; its thread is asked the questions.
        visit: names the visit of the step.
        connect: makes a langgraph-sdk client of an address; None: one without a key.

    Raises:
        DispatchError: the server cannot be reached, or the run failed there.
    """
    from langgraph.pregel.remote import RemoteException, RemoteGraph  # noqa: PLC0415  # rare

    from paper_search.steps.compiler import ask_json, resume  # noqa: PLC0415  # slow import

    async with (connect or _client)(remote.url) as client:
        run = RemoteRun(
            remote,
            RemoteGraph(remote.graph, client=client),
            client,
            visit=f"{ctx.thread_id}/{visit}",
            refusal=RemoteException,
        )
        return await run.to_the_end(given, params, relay=Relay(ctx.store, ask_json), resume=resume)


def _client(url: str) -> Any:
    from langgraph_sdk import get_client  # noqa: PLC0415  # only where a graph is remote

    return get_client(url=url, api_key=None)  # None: no key of this machine is sent anywhere


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
        """Return the question that was asked at that position, or else the pending one."""
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
