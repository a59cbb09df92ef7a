"""LangGraph's PostgreSQL saver and store, with a fence, encryption and missing methods."""

import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, CheckpointTuple, get_checkpoint_id
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.store.base import Op, PutOp, Result
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg import AsyncCursor
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.leases import LeaseHolder, Leases, check_ownership
from paper_search.persistence.listing import check_prune, stay_after
from paper_search.persistence.serialization import Boxed, RecordSeal, check_checkpoint

_COPIED = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
    "checkpoint_writes": "checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, "
    "task_path",
}
_ORPHANS = """DELETE FROM checkpoint_writes AS w WHERE thread_id = %s AND NOT EXISTS (
    SELECT 1 FROM checkpoints AS c WHERE c.thread_id = w.thread_id
    AND c.checkpoint_ns = w.checkpoint_ns AND c.checkpoint_id = w.checkpoint_id)"""
_SETTLE = """UPDATE checkpoints AS c SET checkpoint = jsonb_set(c.checkpoint, '{channel_values}',
    (SELECT COALESCE(jsonb_object_agg(v.key, v.value), '{}') FROM
        jsonb_each(c.checkpoint -> 'channel_values') AS v WHERE NOT EXISTS (
            SELECT 1 FROM checkpoint_blobs AS b WHERE b.thread_id = c.thread_id
            AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.key
            AND b.version = c.checkpoint -> 'channel_versions' ->> v.key)))
    WHERE thread_id = %s AND jsonb_path_exists(c.checkpoint, '$.channel_values.* ? (@ == true)')
    AND NOT (metadata ? 'counters_since_delta_snapshot' OR metadata ? 'delta_writes_versioned')"""
"""Removes values inside a checkpoint that are also stored beside it."""
_COUNT = "channels"
"""The field in the metadata of a checkpoint with the number of channels that have a value."""

_written: ContextVar[str | None] = ContextVar("written_thread", default=None)


class OneByOneCursor(AsyncCursor[DictRow]):
    """Sends no pipeline, so that the transaction of a suspended process ends.

    PostgreSQL's timeout starts after each answer, which statements of a pipeline do not wait for.
    """

    async def executemany(
        self, query: Any, params_seq: Iterable[Any], *, returning: bool = False
    ) -> None:
        del returning
        for params in params_seq:
            await self.execute(query, params)


class PostgresSaver(AsyncPostgresSaver):
    """Checkpoints in PostgreSQL; only the holder of a thread's lease may write them."""

    def __init__(self, pool: AsyncConnectionPool[Any], *, serde: SerializerProtocol) -> None:
        super().__init__(pool, serde=serde)
        self.supports_pipeline = False  # see `OneByOneCursor`
        self._pool = pool

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        if get_checkpoint_id(config):  # a fork must write later ids than all that exist
            async with self._cursor() as cursor:
                await cursor.execute(
                    "SELECT MAX(checkpoint_id) AS latest FROM checkpoints WHERE thread_id = %s",
                    (config["configurable"]["thread_id"],),
                )
                row = await cursor.fetchone()
            stay_after(row["latest"] if row else None)
        thread = f"the state of thread {config['configurable']['thread_id']!r}"
        try:
            saved = await super().aget_tuple(config)
        except (DamagedError, KeyError) as error:
            raise DamagedError(thread, error) from error
        if saved is not None:
            place, metadata = saved.config["configurable"], dict[str, Any](saved.metadata)
            check_checkpoint(saved.checkpoint, place["thread_id"], place["checkpoint_id"])
            if len(saved.checkpoint["channel_values"]) < metadata.get(_COUNT, 0):
                raise DamagedError(thread, "a row of it is missing")
            stay_after(saved.checkpoint["id"])
        return saved

    async def aput(
        self, config: RunnableConfig, checkpoint: Any, metadata: Any, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Store a checkpoint, unless another process is running the thread.

        LangGraph's own saver writes texts and numbers into a JSON column, unencrypted and without
        NUL; here they go where all other values go. A value that LangGraph's saver wrote, and that
        has not changed since, must be moved there once: otherwise it would be lost.
        """
        boxed = {name: Boxed.of(value) for name, value in checkpoint["channel_values"].items()}
        plain: Any = {**checkpoint, "channel_values": boxed}
        versions = checkpoint["channel_versions"]
        added = {n: versions[n] for n, v in boxed.items() if isinstance(v, Boxed) and n in versions}
        new_versions = {**added, **new_versions}
        metadata = {**metadata, _COUNT: len(boxed.keys() & versions.keys())}
        with self._writing(config["configurable"]["thread_id"]):
            return await super().aput(config, plain, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        with self._writing(config["configurable"]["thread_id"]):
            await super().aput_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        with self._writing(thread_id):
            await super().adelete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        async with self._cursor() as cursor, cursor.connection.transaction():
            await cursor.execute(
                "DELETE FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%s) RETURNING thread_id",
                (list(run_ids),),
            )
            for thread_id in sorted({row["thread_id"] for row in await cursor.fetchall()}):
                await cursor.execute(_ORPHANS, (thread_id,))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        with self._writing(target_thread_id):
            async with self._cursor(pipeline=True) as cursor:
                for table, columns in _COPIED.items():
                    await cursor.execute(
                        f"INSERT INTO {table} (thread_id, {columns}) "  # noqa: S608  # constants
                        f"SELECT %s, {columns} FROM {table} WHERE thread_id = %s "
                        "ON CONFLICT DO NOTHING",
                        (target_thread_id, source_thread_id),
                    )

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each thread, with its open question; or `delete` all.

        If LangGraph's own saver wrote `true` inside a checkpoint, and `aput` stored it beside the
        checkpoint, LangGraph reads the former as the mark of a channel that cannot be pruned. So
        that one is removed first.
        """
        for thread_id in check_prune(thread_ids, strategy):
            with self._writing(thread_id):
                async with self._cursor() as cursor:
                    await cursor.execute(_SETTLE, (thread_id,))
                await super().aprune([thread_id], strategy=strategy)

    @contextlib.contextmanager
    def _writing(self, thread_id: str) -> Any:
        token = _written.set(str(thread_id))
        try:
            yield
        finally:
            _written.reset(token)

    @contextlib.asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """Yield a cursor; a writing one is in a transaction that locks the row of the lease."""
        thread_id = _written.get()
        if not pipeline or thread_id is None:
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor
            return
        async with (
            self.lock,
            self._pool.connection() as connection,
            connection.transaction(),
        ):
            async with connection.cursor(row_factory=dict_row) as reading:
                await reading.execute(
                    "SELECT owner, expires_at, EXTRACT(EPOCH FROM clock_timestamp()) AS now "
                    "FROM paper_search_leases WHERE thread_id = %s FOR SHARE",
                    (thread_id,),
                )
                row = await reading.fetchone()
            holder = LeaseHolder(row["owner"], row["expires_at"]) if row else None
            check_ownership(thread_id, holder, lambda: float(row["now"]) if row else 0.0)
            async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                yield cursor


class PostgresStore(AsyncPostgresStore):
    """Records in PostgreSQL, encrypted if there is a key; checks leases before writes."""

    __slots__ = ("_leases", "seal")

    def __init__(self, pool: AsyncConnectionPool[Any], seal: RecordSeal, leases: Leases) -> None:
        super().__init__(pool)
        self.supports_pipeline = False  # see `OneByOneCursor`
        self.seal = seal
        self._leases = leases

    async def abatch(self, ops: Any) -> list[Result]:
        operations: list[Op] = self.seal.seal_all(ops)
        if any(isinstance(op, PutOp) for op in operations):
            await self._leases.check_held()
        return self.seal.open_all(await super().abatch(operations))
