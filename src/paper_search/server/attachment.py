"""Attachment: the threads in our file are put into the list that a server keeps in memory."""

import asyncio
import importlib.util
import logging
import uuid
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from paper_search.errors import PaperSearchError
from paper_search.persistence import Persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.server.guard import EVERYBODY
from paper_search.threads.catalog import BriefInfo, Catalog, ThreadStatus
from paper_search.threads.sharing import Role
from paper_search.workflow.reviewers import status_of

STATUS = {
    ThreadStatus.WAITING: "interrupted",
    ThreadStatus.RUNNING: "busy",
    ThreadStatus.DONE: "idle",
    ThreadStatus.FAILED: "error",
    ThreadStatus.DAMAGED: "error",
    ThreadStatus.LOCKED: "error",
}
"""The server's names for the status of a thread."""
READERS = "readers"
"""Who sees a thread in the list besides its owner: reviewers only when all are done."""


_ASSISTANTS = uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
"""The namespace in which LangGraph's server derives ids of assistants from names of graphs."""


def assistant_of(graph: str) -> uuid.UUID:
    """Return the id of the default assistant of a graph."""
    return uuid.uuid5(_ASSISTANTS, graph)


def server_id(thread_id: str) -> uuid.UUID | None:
    """Return the id as a UUID, None if it is not one or the server would spell it otherwise."""
    try:
        parsed_id = uuid.UUID(thread_id)
    except ValueError:
        return None
    return parsed_id if str(parsed_id) == thread_id else None


def threads_here() -> "ServerThreads | None":
    """Return the thread list of this process's server, None if it keeps it in a database."""
    if importlib.util.find_spec("langgraph_runtime_inmem") is None:
        return None
    import langgraph_runtime_inmem.database as own  # noqa: PLC0415  # of the extra `server`

    return ServerThreads(own.GLOBAL_STORE)


class ServerThreads:
    """The thread list of the server, of which a process has one.

    `database`: the server's dictionary of all its data.
    """

    def __init__(self, database: Any) -> None:
        self._database = database

    def statuses(self) -> dict[uuid.UUID, str]:
        return {thread["thread_id"]: thread["status"] for thread in list(self._database["threads"])}

    def assistant(self, assistant_id: uuid.UUID) -> Mapping[str, Any]:
        """Return the data of an assistant, empty if there is none."""
        assistants = list(self._database["assistants"])
        return next((a for a in assistants if a["assistant_id"] == assistant_id), {})

    def owns_running(self, thread_id: uuid.UUID, person: str) -> bool:
        """Whether a run of this server drives the thread, and the list names this owner."""
        owners = (
            thread["metadata"].get("owner")
            for thread in list(self._database["threads"])
            if thread["thread_id"] == thread_id
        )
        return self.is_running(thread_id) and person in owners

    def is_running(self, thread_id: uuid.UUID) -> bool:
        """Whether a run of this server drives the thread, and so updates its status itself."""
        return any(
            run["thread_id"] == thread_id and run["status"] in {"pending", "running"}
            for run in list(self._database["runs"])
        )

    def put(
        self, thread_id: uuid.UUID, info: BriefInfo, snapshot: Any, owner: str, readers: list[str]
    ) -> None:
        """Update the thread in the list; without a snapshot, it is one that cannot be read."""
        records = self._database["threads"]
        record = next((row for row in records if row["thread_id"] == thread_id), None)
        if record is None:
            record = {"thread_id": thread_id, "metadata": {}, "config": {}}
            records.append(record)
        created_at, changed = _time(info.created_at), _time(info.updated_at)
        record.update(
            created_at=created_at,
            updated_at=changed,
            state_updated_at=changed,
            metadata={
                "assistant_id": str(assistant_of(info.graph)),  # `input.respond` needs it
                **record["metadata"],
                "graph_id": info.graph,
                "owner": owner,
                READERS: readers,
                # No text of a person: later runs write this unencrypted into their checkpoints.
            },
            status=STATUS[info.status],
            error={"message": info.error} if info.error else None,
            values=snapshot.values if snapshot else {},
            interrupts={
                task.id: [
                    {"id": question.id, "value": question.value} for question in task.interrupts
                ]
                for task in (snapshot.tasks if snapshot else ())
                if task.interrupts
            },
        )

    def drop(self, thread_id: uuid.UUID) -> None:
        self._database["threads"][:] = [
            thread for thread in self._database["threads"] if thread["thread_id"] != thread_id
        ]


def _time(text: str | None) -> datetime:
    return datetime.fromisoformat(text) if text else datetime.now().astimezone()


POLL_S = 2.0
WHOLE_EVERY = 10
"""Every this many passes, all threads are checked."""
PAGE = 200

logger = logging.getLogger(__name__)


class ThreadAttachment:
    """Keeps the server's list of threads equal to our file."""

    def __init__(
        self, persistence: Persistence, owners: Collection[str], threads: ServerThreads
    ) -> None:
        self._owners = owners
        self._threads = threads
        self._catalogs = list(ThreadCatalogs(persistence).by_graph.values())
        self._unfit: set[str] = set()
        self._states: dict[str, Any] = {}

    async def follow(self) -> None:
        """Attach existing threads, then new and changed ones, while the server runs."""
        passes = 0
        while True:
            try:
                await self.refresh(is_whole=passes % WHOLE_EVERY == 0)
            except PaperSearchError:
                logger.exception("the list of threads could not be read; trying again")
            passes += 1
            await asyncio.sleep(POLL_S)

    async def refresh(self, *, is_whole: bool = True) -> None:
        """Attach threads that changed since the last call, and drop those that were deleted.

        `is_whole`: check all threads; otherwise only the most recent, up to a page without changes.
        """
        present: set[str] = set()
        are_whole = [
            await self._refresh(catalog, present, is_whole=is_whole) for catalog in self._catalogs
        ]
        if not all(are_whole):
            return
        for thread_id in set(self._states) - present:
            del self._states[thread_id]
            self._threads.drop(uuid.UUID(thread_id))

    async def _refresh(
        self, catalog: Catalog[Any, BriefInfo], present: set[str], *, is_whole: bool
    ) -> bool:
        """Attach what changed in one catalog; return whether all of its threads were checked."""
        statuses = self._threads.statuses()
        offset = 0
        while page := await catalog.threads(limit=PAGE, offset=offset):
            present.update(info.thread_id for info in page)
            states = {info.thread_id: await self._state_of(catalog, info) for info in page}
            changed = [i for i in page if self._has_changed(i, statuses, states[i.thread_id])]
            for info in changed:
                await self._update(catalog, info, states[info.thread_id])
            offset += PAGE
            if not changed and not is_whole:
                return False
        return True

    async def _state_of(self, catalog: Catalog[Any, BriefInfo], info: BriefInfo) -> Any:
        """Return a value that changes when the list must; its last item: who may read."""
        roles, last_state = info.shared_with, self._states.get(info.thread_id)
        state = info.updated_at, info.status, roles
        if last_state == (*state, list(roles)):  # everybody reads, and will, which is slow to check
            return last_state
        reviewers = [who for who, role in roles.items() if role == Role.REVIEWER.value]
        session: Any = catalog.session(info.thread_id)
        try:
            are_done = [await status_of(session.records, who) for who in reviewers]
            is_seen = all(are_done) and not (reviewers and await session.is_blind())
        except PaperSearchError:  # the list shows the thread as damaged
            is_seen = False
        return *state, [who for who in roles if is_seen or who not in reviewers]

    def _has_changed(self, info: BriefInfo, statuses: Mapping[uuid.UUID, str], state: Any) -> bool:
        list_id = server_id(info.thread_id)
        if list_id is None and info.thread_id not in self._unfit:
            self._unfit.add(info.thread_id)
            logger.warning("thread %r is not listed: the server takes only UUIDs", info.thread_id)
        if list_id is None:
            return False
        is_same = self._states.get(info.thread_id) == state
        return not (is_same and statuses.get(list_id) == STATUS[info.status])

    async def _update(self, catalog: Catalog[Any, BriefInfo], info: BriefInfo, state: Any) -> None:
        list_id = uuid.UUID(info.thread_id)
        snapshot = await self._snapshot(catalog, info.thread_id)
        if self._threads.is_running(list_id):
            return
        owner = (await catalog.ownership(info.thread_id)).owner(self._owners) or EVERYBODY
        self._threads.put(list_id, info, snapshot, owner, state[-1])
        self._states[info.thread_id] = state

    async def _snapshot(self, catalog: Catalog[Any, BriefInfo], thread_id: str) -> Any:
        try:
            return await catalog.session(thread_id).snapshot()
        except PaperSearchError as error:
            logger.warning("thread %r cannot be read: %s", thread_id, error)
            return None
