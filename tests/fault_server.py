"""A server on the loopback interface with one path for every way an answer can go wrong."""

import asyncio
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

Writer = asyncio.StreamWriter
Fault = Callable[["FaultServer", Writer, dict[str, str]], Awaitable[None]]

_TLS_HANDSHAKE = b"\x16"

GOOD: dict[str, Any] = {"organic_results": [{"title": "A good result", "result_id": "good"}]}


class FaultServer:
    """An async context manager; `url(path)` is where a fault is, `requests` counts them.

    `most_at_once` is how many of them it had to answer at the same time.

    Paths: /ok, /status (?code=&retry_after=&error=), /flaky (?code=&times=), /slow-headers,
    /slow-body, /truncated-json, /truncated-length, /truncated-chunked, /captcha, /error-200,
    /empty, /no-content, /gzip, /gzip-bomb, /double-gzip, /bad-gzip, /cut-gzip, /brotli,
    /bad-charset, /surrogates, /deep-json, /not-finite, /huge, /redirect (?to=), /redirect-loop,
    /reset, /garbage, /pages (?page=&ids=fresh|same&turns=: pages of ten entries, with `next`),
    /laughs, /outside-entity, /deep-xml, /wrong-root.

    Args:
        good: the JSON that a sound answer holds.
    """

    def __init__(self, good: Any = None) -> None:
        self.good = json.dumps(GOOD if good is None else good).encode()
        self.requests: Counter[str] = Counter()
        self.heads: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        if self._server is None:
            raise RuntimeError("a FaultServer is used inside `async with`")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def url(self, path: str) -> str:
        """Return the address of a fault."""
        return f"http://127.0.0.1:{self.port}{path}"

    async def _accept(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._answer(reader, writer)
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        beginning = await reader.readexactly(1)
        if beginning == _TLS_HANDSHAKE:  # nobody speaks TLS here
            writer.transport.abort()
            return
        head = (beginning + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        target = urlsplit(head.split(" ", 2)[1])
        self.heads.append(head)
        self.requests[target.path] += 1
        options = {name: values[-1] for name, values in parse_qs(target.query).items()}
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await FAULTS.get(target.path, _unknown)(self, writer, options)
            await writer.drain()
        finally:
            self._at_once -= 1


def _write(
    writer: Writer,
    body: bytes,
    *,
    status: str = "200 OK",
    length: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    lines = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body) if length is None else length),
        "Connection": "close",
        **(headers or {}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body)


def _body(
    make: Callable[[FaultServer], bytes], *, encoding: str = "", kind: str = "application/json"
) -> Fault:
    headers = {"Content-Type": kind} | ({"Content-Encoding": encoding} if encoding else {})

    async def answer(server: FaultServer, writer: Writer, _: dict[str, str]) -> None:
        _write(writer, make(server), headers=headers)

    return answer


def _raw(data: bytes) -> Fault:
    async def answer(_: FaultServer, writer: Writer, __: dict[str, str]) -> None:
        writer.write(data)

    return answer


async def _unknown(_: FaultServer, writer: Writer, __: dict[str, str]) -> None:
    _write(writer, b'{"error": "no such fault"}', status="404 Not Found")


async def _status(_: FaultServer, writer: Writer, options: dict[str, str]) -> None:
    after = {"Retry-After": options["retry_after"]} if "retry_after" in options else {}
    body = json.dumps({"error": options.get("error", "as asked")}).encode()
    _write(writer, body, status=f"{options.get('code', '500')} Fault", headers=after)


async def _flaky(server: FaultServer, writer: Writer, options: dict[str, str]) -> None:
    if server.requests["/flaky"] <= int(options.get("times", "2")):
        await _status(server, writer, options)
    else:
        _write(writer, server.good)


async def _slow_headers(server: FaultServer, writer: Writer, _: dict[str, str]) -> None:
    await asyncio.sleep(60)
    _write(writer, server.good)


async def _slow_body(server: FaultServer, writer: Writer, _: dict[str, str]) -> None:
    _write(writer, b"", length=len(server.good))
    for index in range(len(server.good)):
        writer.write(server.good[index : index + 1])
        await writer.drain()
        await asyncio.sleep(0.05)


async def _truncated_length(server: FaultServer, writer: Writer, _: dict[str, str]) -> None:
    _write(writer, server.good[:10], length=len(server.good))


async def _huge(_: FaultServer, writer: Writer, __: dict[str, str]) -> None:
    _write(writer, b"", length=10**9)
    for _block in range(10**9 // 65536):
        writer.write(b" " * 65536)
        await writer.drain()


async def _redirect(_: FaultServer, writer: Writer, options: dict[str, str]) -> None:
    _write(writer, b"", status="302 Found", headers={"Location": options.get("to", "/ok")})


async def _pages(_: FaultServer, writer: Writer, options: dict[str, str]) -> None:
    page = int(options.get("page", "1"))
    first = 10 * (page - 1) if options.get("ids", "fresh") == "fresh" else 0
    entries = [{"id": f"id{n}", "title": f"Paper {n}"} for n in range(first, first + 10)]
    is_last = page >= int(options.get("turns", "1000000000"))
    body = {"papers": entries, "total": 10**9, "next": None if is_last else page + 1}
    _write(writer, json.dumps(body).encode())


async def _reset(_: FaultServer, writer: Writer, __: dict[str, str]) -> None:
    writer.transport.abort()


def _bomb(_: FaultServer) -> bytes:
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    blocks = [packer.compress(b" " * 1_000_000) for _block in range(50)]
    return b"".join([*blocks, packer.flush()])


_LAUGHS = (
    b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">'
    b'<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">]><a>&d;</a>'
)
_OUTSIDE = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'

FAULTS: dict[str, Fault] = {
    "/ok": _body(lambda server: server.good),
    "/status": _status,
    "/flaky": _flaky,
    "/slow-headers": _slow_headers,
    "/slow-body": _slow_body,
    "/truncated-json": _body(lambda server: server.good[:10]),
    "/truncated-length": _truncated_length,
    "/truncated-chunked": _raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n20\r\n{"
    ),
    "/captcha": _body(
        lambda _: b"<!doctype html><title>Are you a robot?</title>", kind="text/html"
    ),
    "/error-200": _body(lambda _: b'{"error": "Your account credit is too low"}'),
    "/empty": _body(lambda _: b""),
    "/no-content": _raw(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
    "/gzip": _body(lambda server: gzip.compress(server.good), encoding="gzip"),
    "/gzip-bomb": _body(_bomb, encoding="gzip"),
    "/double-gzip": _body(
        lambda server: gzip.compress(gzip.compress(server.good)), encoding="gzip, gzip"
    ),
    "/bad-gzip": _body(lambda _: b"this is no gzip", encoding="gzip"),
    "/cut-gzip": _body(lambda server: gzip.compress(server.good)[:-12], encoding="gzip"),
    "/brotli": _body(lambda _: b"\x0b\x02\x80{}\x03", encoding="br"),
    "/bad-charset": _body(
        lambda _: b'{"organic_results": [{"title": "Caf\xe9 \xff", "result_id": "c"}]}'
    ),
    "/surrogates": _body(
        lambda _: b'{"organic_results": [{"title": "a\\ud800b\\u0000c\\u202ed", "result_id": "s"}]}'
    ),
    "/deep-json": _body(lambda _: b"[" * 100_000 + b"]" * 100_000),
    "/not-finite": _body(lambda _: b'{"a": NaN, "b": -Infinity, "c": 1e999, "d": 1}'),
    "/huge": _huge,
    "/pages": _pages,
    "/laughs": _body(lambda _: _LAUGHS, kind="application/xml"),
    "/outside-entity": _body(lambda _: _OUTSIDE, kind="application/xml"),
    "/deep-xml": _body(lambda _: b"<a>" * 200_000 + b"</a>" * 200_000, kind="application/xml"),
    "/wrong-root": _body(lambda _: b"<error>no feed</error>", kind="application/xml"),
    "/redirect": _redirect,
    "/redirect-loop": _raw(
        b"HTTP/1.1 302 Found\r\nLocation: /redirect-loop\r\nContent-Length: 0\r\n"
        b"Connection: close\r\n\r\n"
    ),
    "/reset": _reset,
    "/garbage": _raw(b"\x00\x01\x02 this is no HTTP\r\n\r\n"),
}
"""Answers by path."""
