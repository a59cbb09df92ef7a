"""Answers on disk, as RFC 9111 lets a private cache keep them; the library is hishel.

Scholarly services rarely say how long their answers are good for. Where one says nothing, RFC
9111 (4.2.2) leaves it to the cache: such an answer is good for a day. What a service forbids to
keep is not kept. No key reaches the disk: requests are stored as they are before keys are added.
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
"""The header that says of a stored answer when its request was sent (UTC, ISO 8601)."""
_SPOKEN_FOR = ("max-age", "no-store", "no-cache", "must-revalidate")


class AnswerCache:
    """A cache in a SQLite file; an async context manager, shared by processes.

    A file that cannot be used is reported in the log, and nothing is cached.
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
            # In a thread, and not by hishel, which makes its folder in the event loop: LangGraph's
            # server stops a step that does so.
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
        """Return a transport that asks the network only for what is not on disk."""
        if self._storage is None:
            return network
        from hishel.httpx import AsyncCacheTransport  # noqa: PLC0415  # slow to import

        return AsyncCacheTransport(_Dated(network), self._storage, rfc={"shared": False})

    async def forget(self, url: httpx.URL | str) -> None:
        if self._storage is not None:
            for entry in await self._storage.get_entries(cache_key(url)):
                await self._storage.remove_entry(entry.id)


def cache_key(url: httpx.URL | str) -> str:
    """Return the key of a stored answer, another one under another mark (`fresh_answers`)."""
    return hashlib.sha256(f"GET {url} {current_mark()}".strip().encode()).hexdigest()


class _Dated(httpx.AsyncBaseTransport):
    """Adds the time, and a lifetime to sound answers without one, and takes cookies off."""

    def __init__(self, network: httpx.AsyncBaseTransport) -> None:
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._network.handle_async_request(request)
        response.headers[SENT_AT] = utc_now().isoformat()
        response.headers.pop("set-cookie", None)
        directives = response.headers.get("cache-control", "")
        is_spoken_for = "expires" in response.headers or "pragma" in response.headers
        if (
            response.status_code == httpx.codes.OK
            and not is_spoken_for
            and not any(word in directives.lower() for word in _SPOKEN_FOR)
        ):
            lifetime = f"max-age={_DAY_S}"
            response.headers["cache-control"] = (
                f"{directives}, {lifetime}" if directives else lifetime
            )
        return response
