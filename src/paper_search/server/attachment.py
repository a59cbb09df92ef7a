"""Attachment: threads of the file, put into the list that a server keeps in memory."""

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
"""How the server calls what this program knows of a thread."""
READERS = "readers"
"""Who sees a thread in the list besides its owner: reviewers when all said that they are done."""


def server_id(thread_id: str) -> uuid.UUID | None:
    """Return the id as the server takes it, unless it takes none such or writes it otherwise."""
    try:
        parsed_id = uuid.UUID(thread_id)
    except ValueError:
        return None
    return parsed_id if str(parsed_id) == thread_id else None


def threads_here() -> "ServerThreads | None":
    """Return the list of the server that runs here; None if it keeps its list in a database."""
    if importlib.util.find_spec("langgraph_runtime_inmem") is None:
        return None
    import langgraph_runtime_inmem.database as own  # noqa: PLC0415  # of the extra `server`

    return ServerThreads(own.GLOBAL_STORE)


class ServerThreads:
    """The list, which is one for the process.

    `database`: the server's dictionary of everything.
    """

    def __init__(self, database: Any) -> None:
        self._database = database

    def statuses(self) -> dict[uuid.UUID, str]:
        return {thread["thread_id"]: thread["status"] for thread in list(self._database["threads"])}

    def assistant(self, assistant_id: uuid.UUID) -> Mapping[str, Any]:
        """Return what is known of an assistant; empty: there is none."""
        named = [a for a in list(self._database["assistants"]) if a["assistant_id"] == assistant_id]
        return named[0] if named else {}

    def owns_running(self, thread_id: uuid.UUID, person: str) -> bool:
        """Whether a run of this server drives the thread, which the list says is that person's."""
        owners = (
            thread["metadata"].get("owner")
            for thread in list(self._database["threads"])
            if thread["thread_id"] == thread_id
        )
        return self.is_running(thread_id) and person in owners

    def is_running(self, thread_id: uuid.UUID) -> bool:
        """Whether a run of this server drives the thread, which then says itself how it stands."""
        return any(
            run["thread_id"] == thread_id and run["status"] in {"pending", "running"}
            for run in list(self._database["runs"])
        )

    def put(
        self, thread_id: uuid.UUID, info: BriefInfo, snapshot: Any, owner: str, readers: list[str]
    ) -> None:
        """Make the list say what the file says; without a snapshot, that it cannot be read."""
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
                **record["metadata"],
                "graph_id": info.graph,
                "owner": owner,
                READERS: readers,
                # No text of a person: a later run writes all this into its checkpoints, in clear.
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
"""Passes from one look at all threads to the next."""
PAGE = 200

logger = logging.getLogger(__name__)


class ThreadAttachment:
    """Keeps the server's list of threads as the file says it is."""

    def __init__(
        self, persistence: Persistence, owners: Collection[str], threads: ServerThreads
    ) -> None:
        self._owners = owners
        self._threads = threads
        self._catalogs = list(ThreadCatalogs(persistence).by_graph.values())
        self._unfit: set[str] = set()
        self._seen: dict[str, Any] = {}

    async def follow(self) -> None:
        """Attach what is there, then what comes, for as long as the server runs."""
        passes = 0
        while True:
            try:
                await self.refresh(is_whole=passes % WHOLE_EVERY == 0)
            except PaperSearchError:
                logger.exception("the list of threads could not be read; trying again")
            passes += 1
            await asyncio.sleep(POLL_S)

    async def refresh(self, *, is_whole: bool = True) -> None:
        """Attach every thread that changed since the last time, and drop those that are gone.

        `is_whole`: look at all threads; else only at those that changed last, up to a page without
        news.
        """
        present: set[str] = set()
        looks = [
            await self._look_at(catalog, present, is_whole=is_whole) for catalog in self._catalogs
        ]
        if not all(looks):
            return
        for thread_id in set(self._seen) - present:
            del self._seen[thread_id]
            self._threads.drop(uuid.UUID(thread_id))

    async def _look_at(
        self, catalog: Catalog[Any, BriefInfo], present: set[str], *, is_whole: bool
    ) -> bool:
        """Attach what is new in one catalog; return whether all of its threads were looked at."""
        statuses = self._threads.statuses()
        offset = 0
        while page := await catalog.threads(limit=PAGE, offset=offset):
            present.update(info.thread_id for info in page)
            states = {info.thread_id: await self._state_of(catalog, info) for info in page}
            news = [i for i in page if self._is_news(i, statuses, states[i.thread_id])]
            for info in news:
                await self._bring_up_to_date(catalog, info, states[info.thread_id])
            offset += PAGE
            if not news and not is_whole:
                return False
        return True

    async def _state_of(self, catalog: Catalog[Any, BriefInfo], info: BriefInfo) -> Any:
        """Return what is another one when the list has to say something else; last, who reads."""
        roles, seen = info.shared_with, self._seen.get(info.thread_id)
        state = info.updated_at, info.status, roles
        if seen == (*state, list(roles)):  # it stays so, and is slow to find out
            return seen
        reviewers = [who for who, role in roles.items() if role == Role.REVIEWER.value]
        session: Any = catalog.session(info.thread_id)
        try:
            done = [await status_of(session.records, who) for who in reviewers]
            is_seen = all(done) and not (reviewers and await session.is_blind())
        except PaperSearchError:  # the list says so of the thread
            is_seen = False
        return *state, [who for who in roles if is_seen or who not in reviewers]

    def _is_news(self, info: BriefInfo, statuses: Mapping[uuid.UUID, str], state: Any) -> bool:
        list_id = server_id(info.thread_id)
        if list_id is None and info.thread_id not in self._unfit:
            self._unfit.add(info.thread_id)
            logger.warning("thread %r is not listed: the server takes only UUIDs", info.thread_id)
        if list_id is None:
            return False
        is_same = self._seen.get(info.thread_id) == state
        return not (is_same and statuses.get(list_id) == STATUS[info.status])

    async def _bring_up_to_date(
        self, catalog: Catalog[Any, BriefInfo], info: BriefInfo, state: Any
    ) -> None:
        list_id = uuid.UUID(info.thread_id)
        snapshot = await self._snapshot(catalog, info.thread_id)
        if self._threads.is_running(list_id):
            return
        owner = (await catalog.ownership(info.thread_id)).owner(self._owners) or EVERYBODY
        self._threads.put(list_id, info, snapshot, owner, state[-1])
        self._seen[info.thread_id] = state

    async def _snapshot(self, catalog: Catalog[Any, BriefInfo], thread_id: str) -> Any:
        """Return the snapshot of a thread; None if it cannot be read, which its entry says."""
        try:
            return await catalog.session(thread_id).snapshot()
        except PaperSearchError as error:
            logger.warning("thread %r cannot be read: %s", thread_id, error)
            return None
