"""A graph whose runs hold the lease on their thread and write decisions into the ledger."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any, cast

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from paper_search.errors import RequestRefusedError, ThreadExistsError, ThreadNotFoundError
from paper_search.persistence import LedgerEntry, LedgerStatus, Persistence, open_persistence
from paper_search.threads.session import ThreadSession
from paper_search.workflow.session import SearchSession

Parts = asyncio.Queue[Any]
Session = ThreadSession[Any, Any, Any]
_END = object()


class SharedPersistence:
    """The saver, store and tables that all runs of a server share.

    Opened once for the life of a server; a run outside of one opens them for itself.

    Args:
        url: where threads are kept.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._persistence: Persistence | None = None

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[Persistence]:
        """Keep them open for the length of a `with` block."""
        async with open_persistence(self._url) as persistence:
            self._persistence = persistence
            try:
                yield persistence
            finally:
                self._persistence = None

    @contextlib.asynccontextmanager
    async def use(self) -> AsyncIterator[Persistence]:
        """Use them: only leases and ledger, which belong to no event loop."""
        if self._persistence is not None:
            yield self._persistence
            return
        async with open_persistence(self._url) as persistence:
            yield persistence


class LeasedGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph that any server may run, and whose threads take no harm from it.

    A run takes the lease on its thread. An answer is checked, counts once, and is in the ledger
    before the graph is told. An input does not pass over an open question.

    Args:
        shared: where threads are kept.
        session_type: what drives the threads of this graph.
        parts: the attributes of the graph that it is made from.
    """

    def __init__(
        self, *, shared: SharedPersistence, session_type: type[Session], **parts: Any
    ) -> None:
        super().__init__(**parts)
        self.shared = shared
        self.session_type = session_type

    async def astream(
        self,
        input: Any,  # noqa: A002  # named by LangGraph
        config: Any = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """Run the graph under the lease; arguments and parts as LangGraph has them.

        Raises:
            ThreadBusyError: another process drives the thread.
            ThreadError: it is not in the state that the run needs.
            InvalidDecisionError: the answer cannot be used; the question stays open.
            RequestRefusedError: the run tells the graph where to go.
        """
        settings = _settings(config)
        if not settings.get("thread_id") or self.checkpointer is None:
            async for part in super().astream(input, config, **options):
                yield part
            return
        # A task of its own: the lease belongs to the task that works under it, and the server
        # takes each part of a stream in another one.
        parts: Parts = asyncio.Queue()
        work = asyncio.create_task(self._work(parts, input, config, options))
        work.add_done_callback(lambda _work: parts.put_nowait(_END))
        try:
            while (part := await parts.get()) is not _END:
                yield part
            await work
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def _work(self, parts: Parts, given: Any, config: Any, options: dict[str, Any]) -> None:
        settings = _settings(config)
        thread_id = str(settings["thread_id"])
        async with self.shared.use() as persistence, persistence.leases.hold(thread_id):
            session = self.session_type(self, persistence, thread_id)
            person = settings.get("langgraph_auth_user_id")
            await self._note_who_begins(session, given, person)
            entry = await _decided(session, given, person)
            told = given
            if entry is not None:
                told = session.resuming(entry)
            running = cast("AsyncGenerator[Any]", super().astream(told, config, **options))
            async with contextlib.aclosing(running) as stream:
                async for part in stream:
                    parts.put_nowait(part)
            await _mark(persistence, entry)

    async def _note_who_begins(self, session: Session, given: Any, person: str | None) -> None:
        """Note whose a new thread is: later answers come from anywhere and do not change that."""
        if not person or self.store is None or not isinstance(given, Mapping):
            return
        if not await session.exists():
            records = session.records_type(self.store, session.thread_id)
            await records.index(str(given.get(session.begins_with, "")), person)


async def _decided(session: Session, given: Any, person: str | None) -> LedgerEntry | None:
    """Return the decision that the run applies; None: it begins or goes on.

    Raises:
        ThreadError, InvalidDecisionError, RequestRefusedError: see `LeasedGraph.astream`.
    """
    if isinstance(given, Command):
        if given.goto or given.update or given.graph:
            raise RequestRefusedError(
                403, "steps follow each other as the graph says; answer the open question"
            )
        question = await session.require_question()
        answer = answer_to(question.interrupt_id, given.resume)
        if answer is given.resume:
            await session.answers.require_meant(question, answer, person)
        return await session.decide(question, answer, person)
    try:
        state = await session.state()
    except ThreadNotFoundError:
        if given is None or await session.exists():
            raise
        if isinstance(given, Mapping):
            session.check_input(str(given.get(session.begins_with, "")))
        return None
    if given is None:
        return await session.decided()
    if not state.is_complete:
        raise ThreadExistsError(
            f"the thread is in the middle of a {session.noun}: answer its question, or run it "
            f"without an input to go on; another {session.noun} needs another thread"
        )
    return None


def answer_to(interrupt_id: str, given: Any) -> Any:
    """Return the answer to one question in a map of answers by interrupt; others are returned."""
    is_map = isinstance(given, Mapping) and set(given) == {interrupt_id}
    return given[interrupt_id] if is_map else given


async def _mark(persistence: Persistence, entry: LedgerEntry | None) -> None:
    if entry is not None:
        await persistence.ledger.mark(entry, LedgerStatus.APPLIED)


def leased(
    graph: Any, shared: SharedPersistence, session_type: type[Session] = SearchSession
) -> LeasedGraph:
    """Return a compiled graph that takes its leases where threads are kept."""
    return LeasedGraph(shared=shared, session_type=session_type, **vars(graph))


def _settings(config: Any) -> Mapping[str, Any]:
    return (config or {}).get("configurable") or {}
