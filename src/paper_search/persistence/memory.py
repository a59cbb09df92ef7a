"""Threads in the memory of one process: LangGraph's savers in memory, with the same fence."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from paper_search.persistence.leases import Leases, check_ownership
from paper_search.persistence.listing import Entry, LatestCheckpoint, check_prune
from paper_search.persistence.serialization import serializer


class MemoryStore(InMemoryStore):
    async def avalues(
        self, namespace: tuple[str, ...], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        items = self._data.get(namespace, {})
        return {key: items[key].value for key in keys if key in items}

    async def akeys(self, namespace: tuple[str, ...]) -> set[str]:
        return set(self._data.get(namespace, {}))

    async def aentry(self, namespace: tuple[str, ...], key: str) -> Entry | None:
        item = self._data.get(namespace, {}).get(key)
        return None if item is None else Entry(key, item.value)

    async def aerase(
        self, namespace: tuple[str, ...], indexes: Sequence[tuple[str, ...]], key: str
    ) -> None:
        for below in [
            n for n in self._data if len(n) > len(namespace) and n[: len(namespace)] == namespace
        ]:
            del self._data[below]
        for index in indexes:
            self._data.get(index, {}).pop(key, None)

    async def apage(self, namespace: tuple[str, ...], limit: int, offset: int = 0) -> list[Entry]:
        items = [Entry(key, item.value) for key, item in self._data.get(namespace, {}).items()]
        items.sort(key=lambda item: str(item.value.get("updated_at")), reverse=True)
        return items[offset : offset + limit]


class MemorySaver(InMemorySaver):
    """Checkpoints in memory, written only by who may drive the thread."""

    def __init__(self, leases: Leases) -> None:
        super().__init__(serde=serializer())
        self._leases = leases

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Any,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        await self._check(config["configurable"]["thread_id"])
        return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self._check(config["configurable"]["thread_id"])
        await super().aput_writes(config, writes, task_id, task_path)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        for thread_id in check_prune(thread_ids, strategy):
            await self._check(thread_id)
            if strategy == "delete":
                await self.adelete_thread(thread_id)
                continue
            for namespace, states in list(self.storage.get(thread_id, {}).items()):
                for checkpoint_id in sorted(states)[:-1]:
                    del self.storage[thread_id][namespace][checkpoint_id]
                    self.writes.pop((thread_id, namespace, checkpoint_id), None)

    async def alatest(self, limit: int, offset: int = 0) -> list[LatestCheckpoint]:
        latest = [
            LatestCheckpoint(thread_id, max(namespaces[""]), min(namespaces[""]))
            for thread_id, namespaces in list(self.storage.items())
            if namespaces.get("")
        ]
        latest.sort(key=lambda checkpoint: checkpoint.checkpoint_id, reverse=True)
        return latest[offset : offset + limit]

    async def _check(self, thread_id: str) -> None:
        check_ownership(thread_id, await self._leases.holder(thread_id))
