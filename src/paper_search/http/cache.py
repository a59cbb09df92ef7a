"""A private HTTP cache on disk (RFC 9111), by hishel.

Scholarly services rarely state a lifetime; such answers are fresh for a day (RFC 9111, 4.2.2).
Requests are stored before keys are added, so that no key reaches the disk.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

import httpx

from paper_search.http.errors import utc_now
from paper_search.http.freshness import current_mark
from paper_search.private_files import private_file

if TYPE_CHECKING:
    from hishel import AsyncSqliteStorage

_log = logging.getLogger(__name__)

_DAY_S = 86_400
_MOST_BYTES = 500_000_000
SENT_AT = "x-paper-search-sent-at"
"""Header of a stored answer with the time of its request (UTC, ISO 8601)."""
_LIFETIME_DIRECTIVES = ("max-age", "no-store", "no-cache", "must-revalidate")


class AnswerCache:
    """A cache in a SQLite file that processes share.

    An unusable file is logged, and nothing is cached.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._storage: AsyncSqliteStorage | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        import sqlite3  # noqa: PLC0415  # only for its error, and only with a cache

        import anysqlite  # noqa: PLC0415  # slow to import
        from hishel import AsyncSqliteStorage  # noqa: PLC0415  # slow to import

        try:
            # hishel would make the folder in the event loop, where LangGraph's server forbids it.
            await asyncio.to_thread(lambda: private_file(self._path).open("ab").close())
            connection = await anysqlite.connect(str(self._path), isolation_level=None)
            storage = AsyncSqliteStorage(connection=connection, max_size=_MOST_BYTES)
            self._stack.push_async_callback(storage.close)
            await storage.get_entries("is it readable?")
        except (RuntimeError, OSError, sqlite3.Error) as error:
            _log.warning("answers are not cached: %s: %s", self._path, error)
        else:
            self._storage = storage
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._storage = None
        await self._stack.aclose()

    def around(self, network: httpx.AsyncBaseTransport) -> httpx.AsyncBaseTransport:
        """Return a transport that uses the network only for answers not on disk."""
        if self._storage is None:
            return network
        from hishel.httpx import AsyncCacheTransport  # noqa: PLC0415  # slow to import

        return AsyncCacheTransport(_Dated(network), self._storage, rfc={"shared": False})

    async def forget(self, url: httpx.URL | str) -> None:
        if self._storage is not None:
            for entry in await self._storage.get_entries(cache_key(url)):
                await self._storage.remove_entry(entry.id)


def cache_key(url: httpx.URL | str) -> str:
    """Return the key of a stored answer, which depends on the mark of `fresh_answers`."""
    return hashlib.sha256(f"GET {url} {current_mark()}".strip().encode()).hexdigest()


class _Dated(httpx.AsyncBaseTransport):
    """Adds the time, and a default lifetime to successful answers; removes cookies."""

    def __init__(self, network: httpx.AsyncBaseTransport) -> None:
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._network.handle_async_request(request)
        response.headers[SENT_AT] = utc_now().isoformat()
        response.headers.pop("set-cookie", None)
        directives = response.headers.get("cache-control", "")
        has_lifetime = "expires" in response.headers or "pragma" in response.headers
        if (
            response.status_code == httpx.codes.OK
            and not has_lifetime
            and not any(word in directives.lower() for word in _LIFETIME_DIRECTIVES)
        ):
            lifetime = f"max-age={_DAY_S}"
            response.headers["cache-control"] = (
                f"{directives}, {lifetime}" if directives else lifetime
            )
        return response
