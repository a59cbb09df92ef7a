"""The list of threads of LangGraph's in-memory server, as this program reads and writes it."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from paper_search.threads.catalog import BriefInfo, ThreadStatus

STATUS = {
    ThreadStatus.WAITING: "interrupted",
    ThreadStatus.RUNNING: "busy",
    ThreadStatus.DONE: "idle",
    ThreadStatus.FAILED: "error",
    ThreadStatus.DAMAGED: "error",
}
"""How the server calls what this program knows of a thread."""


def server_id(thread_id: str) -> uuid.UUID | None:
    """Return the id as the server takes it; None: it takes no such ids, or writes it otherwise."""
    try:
        known = uuid.UUID(thread_id)
    except ValueError:
        return None
    return known if str(known) == thread_id else None


class ServerThreads:
    """The list, which is one for the process.

    Args:
        database: the server's dictionary of everything; None: of the server that runs here.
    """

    def __init__(self, database: dict[str, list[dict[str, Any]]] | None = None) -> None:
        self._database = database if database is not None else _server_database()

    def statuses(self) -> dict[uuid.UUID, str]:
        """Return how the list says that threads stand."""
        return {thread["thread_id"]: thread["status"] for thread in list(self._database["threads"])}

    def is_running(self, thread_id: uuid.UUID) -> bool:
        """Whether a run of this server drives the thread, which then says itself how it stands."""
        return any(
            run["thread_id"] == thread_id and run["status"] in {"pending", "running"}
            for run in list(self._database["runs"])
        )

    def put(self, thread_id: uuid.UUID, info: BriefInfo, snapshot: Any, owner: str) -> None:
        """Make the list say what the file says; without a snapshot, that it cannot be read."""
        records = self._database["threads"]
        record = next((known for known in records if known["thread_id"] == thread_id), None)
        if record is None:
            record = {"thread_id": thread_id, "metadata": {}, "config": {}}
            records.append(record)
        begun, changed = _time(info.created_at), _time(info.updated_at)
        record.update(
            created_at=begun,
            updated_at=changed,
            state_updated_at=changed,
            metadata={
                **record["metadata"],
                "graph_id": info.graph,
                "owner": owner,
                "question": info.question,
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
        """Take a thread off the list."""
        self._database["threads"][:] = [
            thread for thread in self._database["threads"] if thread["thread_id"] != thread_id
        ]


def _time(text: str | None) -> datetime:
    return datetime.fromisoformat(text) if text else datetime.now().astimezone()


def _server_database() -> Any:
    from langgraph_runtime_inmem.database import GLOBAL_STORE  # noqa: PLC0415  # the server's own

    return GLOBAL_STORE
