"""Threads in PostgreSQL: LangGraph's saver and store, and our own tables, in one database."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row, tuple_row
from psycopg_pool import AsyncConnectionPool, PoolClosed

from paper_search.errors import DatabaseError, PersistenceError
from paper_search.persistence.encryption import Keyring
from paper_search.persistence.index import ThreadIndex
from paper_search.persistence.leases import Leases
from paper_search.persistence.ledger import DecisionLedger
from paper_search.persistence.opening import Persistence
from paper_search.persistence.postgres_saver import OneByOneCursor, PostgresSaver, PostgresStore
from paper_search.persistence.serialization import RecordSeal, serializer
from paper_search.persistence.tables import Dialect, schema

CONNECT_TIMEOUT_S = 10
POOL_TIMEOUT_S = 30.0
"""How long a call waits for a connection, and the pool tries to make one.

The pool's pauses double: after that time it would sleep for minutes although the server is back.
"""
MAX_CONNECTIONS = 6
"""Per process."""
IDLE_S = 10.0
"""How long a transaction may be idle before the server ends it, as of a suspended process.

Its locks would keep others from taking the thread over.
"""
_SETUP_LOCK = 0x70617065  # any number that no other program uses
_SETUP_PAUSE_S = 0.05
_PORTS = re.compile(r"[0-9,]*")
_ADVICE: tuple[tuple[type[psycopg.Error], str], ...] = (
    (psycopg.errors.InsufficientPrivilege, "grant its user the right to write and create tables"),
    (psycopg.errors.ReadOnlySqlTransaction, "set DATABASE_URL to a writable one"),
    (psycopg.errors.DiskFull, "free space on its disk"),
    (psycopg.errors.UndefinedColumn, "set DATABASE_URL to one without tables of another program"),
    (PoolClosed, "use it before its block ends, or open it again"),
    (psycopg.Error, "check that it is running and that DATABASE_URL is correct"),
)
"""What to do, by the type of the error, the most specific first."""


DIALECT = Dialect(
    order="id",
    rebuild="REINDEX TABLE",
    changed_at="value ->> 'updated_at'",
    below="prefix ~>~ ? AND prefix ~<~ ?",
    parts="""SELECT prefix, key, value FROM store JOIN (
        SELECT prefix, MIN(key) AS key FROM store WHERE prefix ~>~ ? AND prefix ~<~ ?
        GROUP BY prefix) AS part USING (prefix, key)""",
    # Without blobs: they are written before their checkpoints; those that lack one are reported.
    orphans="""WITH RECURSIVE places(place) AS (
        (SELECT prefix FROM store WHERE prefix ~>~ 'paper_search.'
            ORDER BY prefix USING ~<~ LIMIT 1)
        UNION ALL SELECT (SELECT prefix FROM store WHERE prefix ~>~ CASE WHEN place LIKE '%%.%%.%%'
            THEN 'paper_search.' || split_part(place, '.', 2) || '/' ELSE place END
            ORDER BY prefix USING ~<~ LIMIT 1)
        FROM places WHERE starts_with(place, 'paper_search.'))
        SELECT replace(split_part(place, '.', 2), '%%2E', '.')
        FROM places WHERE place LIKE 'paper\\_search.%%.%%'
        UNION SELECT thread_id FROM checkpoint_writes
        UNION SELECT thread_id FROM paper_search_decisions
        UNION SELECT thread_id FROM paper_search_audit EXCEPT SELECT thread_id FROM checkpoints""",
)


class PostgresDatabase:
    """Our tables in PostgreSQL, shared by processes on several machines."""

    is_local = False
    dialect = DIALECT
    stored_form = staticmethod(str)

    def __init__(self, pool: AsyncConnectionPool[Any]) -> None:
        self._pool = pool

    async def now(self) -> float:
        return float((await self.rows("SELECT EXTRACT(EPOCH FROM clock_timestamp())"))[0][0])

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        async with self._run(statement, values) as cursor:
            return await cursor.fetchall()

    async def change(self, statement: str, *values: Any) -> int:
        async with self._run(statement, values) as cursor:
            return cursor.rowcount

    @contextlib.asynccontextmanager
    async def _run(
        self, statement: str, values: Sequence[Any]
    ) -> AsyncIterator[psycopg.AsyncCursor[tuple[Any, ...]]]:
        async with (
            self._pool.connection() as connection,
            connection.cursor(row_factory=tuple_row) as cursor,
        ):
            await cursor.execute(statement.replace("?", "%s"), values)
            yield cursor


@contextlib.asynccontextmanager
async def open_database(url: str, keyring: Keyring | None) -> AsyncIterator[Persistence]:
    """Open the database at a `postgresql://` URL; create missing tables.

    Raises:
        PersistenceError: it cannot be reached, or fails in the `async with` block. No message
            contains the password.
    """
    address = Address.of(url)
    with address.translated_errors():
        async with await psycopg.AsyncConnection.connect(
            url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S
        ):
            pass  # a pool would try until its timeout
    async with _Pool(url, address) as pool:
        own = PostgresDatabase(pool)
        leases, ledger = Leases(own), DecisionLedger(own, keyring)
        saver = PostgresSaver(pool, serde=serializer(keyring))
        store = PostgresStore(pool, RecordSeal(keyring), leases)
        await _prepare(pool, saver, store)

        async def compact() -> None:
            async with pool.connection() as connection:
                await connection.execute(
                    "VACUUM checkpoints, checkpoint_writes, checkpoint_blobs, store"
                )

        try:
            index = ThreadIndex(own, store.seal, leases)
            yield Persistence(saver, store, index, leases, ledger, address.shown, compact)
        finally:
            # Its own context manager leaves its task running, and no public method ends it.
            if (task := store._task) is not None:  # noqa: SLF001  # see above
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


@dataclass(frozen=True)
class Address:
    """The address of a database as messages show it, and the secrets that they must not."""

    shown: str
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, url: str) -> "Address":
        """Read a URL as PostgreSQL does; raise PersistenceError if it is invalid or ambiguous."""
        try:
            parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        except psycopg.ProgrammingError:  # its message quotes the URL
            parts = {"port": "?"}
        public = {name: parts[name] for name in ("user", "host", "port", "dbname") if name in parts}
        place = f"{public.get('host')} {public.get('dbname')}"
        if "@" in place or not _PORTS.fullmatch(public.get("port", "")):
            raise PersistenceError(
                "DATABASE_URL is invalid; its form is postgresql://user:password@host:port/database"
                ", where all but letters and digits of user and password are %XX (@ is %40)"
            )
        hidden = (parts.get(name) for name in ("password", "sslpassword"))
        return cls(make_conninfo(**public), tuple(filter(None, hidden)))

    @contextlib.contextmanager
    def translated_errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            # Further lines quote the values of the statement.
            text = next(iter(str(error).splitlines()), "") or type(error).__name__
            for secret in self.secrets:
                text = text.replace(secret, "***")
            advice = next(advice for kind, advice in _ADVICE if isinstance(error, kind))
            raise DatabaseError(
                f"the database of threads ({self.shown}) cannot be used: {text}; {advice}, then "
                "resume the thread: what was stored is intact"
            ) from None


class _Pool(AsyncConnectionPool[Any]):
    """Connections whose errors are translated as long as the pool is open."""

    def __init__(self, url: str, address: Address) -> None:
        super().__init__(
            url,
            min_size=1,
            max_size=MAX_CONNECTIONS,
            open=False,
            timeout=POOL_TIMEOUT_S,
            reconnect_timeout=POOL_TIMEOUT_S,
            check=AsyncConnectionPool.check_connection,
            configure=_bound,
            kwargs={
                "autocommit": True,
                "prepare_threshold": 0,
                "row_factory": dict_row,
                "cursor_factory": OneByOneCursor,
                "connect_timeout": CONNECT_TIMEOUT_S,
            },
        )
        self._address = address

    @contextlib.asynccontextmanager
    async def connection(
        self,
        timeout: float | None = None,  # noqa: ASYNC109  # as the pool names it
    ) -> AsyncIterator[Any]:
        with self._address.translated_errors():
            async with super().connection(timeout) as connection:
                yield connection


async def _bound(connection: psycopg.AsyncConnection[Any]) -> None:
    await connection.execute(
        "SELECT set_config('idle_in_transaction_session_timeout', %s, false)",
        (f"{IDLE_S * 1000:.0f}",),
    )


async def _prepare(
    pool: AsyncConnectionPool[Any], saver: PostgresSaver, store: PostgresStore
) -> None:
    """Create what is missing; several processes take turns.

    They poll for the lock: one that waits in the server would keep `CREATE INDEX CONCURRENTLY`,
    which is among LangGraph's migrations, from ever ending.
    """
    async with pool.connection() as connection:
        if await _is_current(connection, saver, store):
            return
        lock = "SELECT pg_try_advisory_lock(%s) AS found"
        while not await _has(connection, lock, _SETUP_LOCK):  # noqa: ASYNC110  # another process has it
            await asyncio.sleep(_SETUP_PAUSE_S)
        try:
            await saver.setup()
            await store.setup()
            for statement in schema(
                real="DOUBLE PRECISION", serial="BIGSERIAL", place="id BIGSERIAL,"
            ):
                await connection.execute(statement)
        finally:
            await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))


async def _is_current(connection: Any, saver: PostgresSaver, store: PostgresStore) -> bool:
    exists = "SELECT to_regclass(%s) IS NOT NULL AS found"
    if not await _has(connection, exists, "paper_search_audit"):  # the last table
        return False
    for table, migrations in (
        ("checkpoint_migrations", saver.MIGRATIONS),
        ("store_migrations", store.MIGRATIONS),
    ):
        newest = f"SELECT COALESCE(MAX(v), -1) >= %s AS found FROM {table}"  # noqa: S608  # two names from above
        if not await _has(connection, newest, len(migrations) - 1):
            return False
    return True


async def _has(connection: Any, query: str, value: Any) -> bool:
    row = await (await connection.execute(query, (value,))).fetchone()
    return bool(row["found"])
