"""A graph that another process serves: started, read and asked on behalf of, across restarts."""

import functools
import itertools
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
    step_input: Mapping[str, Any],
    params: Mapping[str, Any],
    *,
    ctx: StepContext[Any, Any, Any],
    visit: str,
    connect: Callable[[str], Any] | None = None,
) -> Mapping[str, Any]:
    """Return what a graph of a server leaves, run on a thread there that belongs to this visit.

    The thread of the step that hands over is asked the questions. `visit` names the visit of that
    step, so that a restart finds the thread again. `connect` makes a langgraph-sdk client of an
    address; None means one without a key.

    Raises:
        DispatchError: the server cannot be reached, or the run failed there.
    """
    from paper_search.steps.compiler import ask_json, resume  # noqa: PLC0415  # slow import

    name = f"{remote.url}/{remote.graph}/{ctx.thread_id}/{visit}"
    thread_id = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    async with (connect or _client)(remote.url) as client:
        thread = _RemoteThread(remote, client, thread_id)
        snapshot = await thread.begin(step_input, params)
        for index in itertools.count():
            pending = _open_question(snapshot)
            question = await _question_at(index, thread_id, pending, ctx.store)
            if question is None:
                break
            answer = ask_json(functools.partial(question.get, "value"), question["schema"])
            if pending is not None and pending["id"] == question["id"]:
                snapshot = await thread.answer(question["id"], resume(question["id"], answer))
        values: Mapping[str, Any] = snapshot["values"]
        return values


def _client(url: str) -> Any:
    from langgraph_sdk import get_client  # noqa: PLC0415  # only where a graph is remote

    return get_client(url=url, api_key=None)  # None: no key of this machine is sent anywhere


async def _question_at(
    index: int, thread_id: str, pending: Mapping[str, Any] | None, store: Any
) -> dict[str, Any] | None:
    """Return the question that was asked at that position, or else the pending one.

    A step that waits is repeated from its beginning when its answer is there. The store keeps which
    question was asked as which, so that an answer never goes to another question.
    """
    namespace = ("relayed", thread_id)
    earlier = await store.aget(namespace, str(index))
    if earlier is not None or pending is None:
        stored_question: dict[str, Any] | None = earlier.value if earlier is not None else None
        return stored_question
    schema = pending.get("response_schema")
    question = {"id": pending["id"], "value": pending["value"], "schema": schema}
    await store.aput(namespace, str(index), question)
    return question


class _RemoteThread:
    def __init__(self, remote: Remote, client: Any, thread_id: str) -> None:
        from langgraph.pregel.remote import RemoteGraph  # noqa: PLC0415  # rare

        self._remote = remote
        self._graph: Any = RemoteGraph(remote.graph, client=client)
        self._threads = client.threads
        self._id = thread_id
        self._config: Any = {"configurable": {"thread_id": thread_id}}

    async def begin(self, step_input: Mapping[str, Any], params: Mapping[str, Any]) -> Any:
        await self._reach(self._threads.create(thread_id=self._id, if_exists="do_nothing"))
        snapshot = await self._snapshot()
        is_new = not snapshot["values"] and not snapshot["next"]
        if _open_question(snapshot) is not None or not (is_new or snapshot["next"]):
            return snapshot
        first = dict(step_input) if is_new else None
        await self._reach(self._graph.ainvoke(first, self._config, context=dict(params) or None))
        return await self._snapshot()

    async def answer(self, question_id: str, command: Any) -> Any:
        """Give an answer; one that the server refuses leaves the question open."""
        from langgraph.pregel.remote import RemoteException  # noqa: PLC0415  # rare

        try:
            await self._reach(self._graph.ainvoke(command, self._config))
        except DispatchError as error:
            snapshot = await self._snapshot()
            is_open = (_open_question(snapshot) or {}).get("id") == question_id
            if is_open and isinstance(error.__cause__, RemoteException):
                return snapshot
            raise
        return await self._snapshot()

    async def _snapshot(self) -> Any:
        # `RemoteGraph.aget_state` cannot read a thread on which nothing has run.
        return await self._reach(self._threads.get_state(self._id))

    async def _reach(self, call: Awaitable[Any]) -> Any:
        try:
            return await call
        except Exception as error:
            raise DispatchError(
                f"the graph {self._remote.graph!r} at {self._remote.url!r} could not be run: "
                f"{type(error).__name__}; the thread can be resumed when it can be reached"
            ) from error


def _open_question(snapshot: Mapping[str, Any]) -> Mapping[str, Any] | None:
    interrupts: list[Mapping[str, Any]] = snapshot.get("interrupts") or []
    return interrupts[0] if interrupts else None
