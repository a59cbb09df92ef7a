"""The guard, which checks every request before the server sees it."""

import asyncio
import contextlib
import hashlib
import hmac
import ipaddress
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from paper_search.config import ServerConfig
from paper_search.errors import DatabaseError, PersistenceError, RequestRefusedError
from paper_search.http.redaction import redact

EVERYBODY = "an unnamed person"
"""The owner of threads if no tokens are set, as shown: "decided by an unnamed person"."""
SESSION_COOKIE = "paper_search_session"


def owner_of(config: ServerConfig, authorization: str | None) -> str | None:
    """Return whose token an `Authorization` header has, None if it is unknown."""
    if not config.tokens:
        return EVERYBODY
    scheme, _, secret = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    return _matching(config.tokens, secret.strip())


def session_of(token: str) -> str:
    """Return the value of the page's cookie for a token; it is valid only for the page."""
    return hmac.new(token.encode(), b"the page of paper_search", hashlib.sha256).hexdigest()


def owner_of_session(config: ServerConfig, cookies: str | None) -> str | None:
    """Return whose session a `Cookie` header has, None if it is unknown."""
    pairs = [pair.strip().partition("=") for pair in (cookies or "").split(";")]
    secret = next((value for name, _, value in pairs if name == SESSION_COOKIE), "")
    sessions = {owner: session_of(token) for owner, token in config.tokens.items()}
    return _matching(sessions, secret)


def _matching(secrets: Mapping[str, str], secret: str) -> str | None:
    """Return whose secret it is; all are compared, so that timing reveals nothing."""
    digest = _digest(secret)
    owners = [owner for owner, own in secrets.items() if hmac.compare_digest(_digest(own), digest)]
    return owners[0] if owners else None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", errors="surrogateescape")).digest()


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 1 << 20
MAX_UPLOAD_BYTES = 32 << 20
"""For files that a person uploads on the page."""
BODY_S = 30.0
"""How long a body may take to arrive."""
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
VISITOR = "paper_search.visitor"
"""Key in the scope for the name of the visitor, which is None if unknown."""
_OPEN_PATHS = frozenset({"/ok"})
"""Paths without a token: they reveal only whether the server is up."""
_ROUTES = re.compile(
    r"/(?:ok|info|docs|openapi\.json|metrics|mcp/?)?"
    r"|/(?:assistants|threads|runs|review)(?:/[^\x00-\x1f]*)?"
)
"""All other routes are closed. LangGraph's in-memory server has some that call no handler of ours:
they show and empty everybody's threads (`/internal`), and upload the directory (`/deploy`)."""

READS = frozenset({"GET", "HEAD", "OPTIONS"})
PAGE = re.compile(r"/review(?:/.*)?")
"""The page, which checks its forms itself."""
UPLOADS = re.compile(r"/review/(?:import|threads/[^/]+/full-texts/file)")
_RUNS = re.compile(r"(?:/threads/[^/]+)?/runs(?:/stream|/wait|/batch)?")
_RUN_FIELDS = (
    *("assistant_id", "input", "command", "context", "config", "metadata"),
    *("checkpoint", "checkpoint_id", "checkpoint_during", "durability", "after_seconds"),
    *("interrupt_before", "interrupt_after", "multitask_strategy", "if_not_exists"),
    *("stream_mode", "stream_subgraphs", "stream_resumable", "feedback_keys", "webhook"),
    *("on_completion", "on_disconnect", "strict_resume"),
)
"""Fields that LangGraph's server and clients know in the body that starts a run."""

NO_CHECKPOINT = "checkpoint_id: expected a UUID"
NO_SUPERSTEPS = "supersteps: a thread begins with a question; copy a thread, or edit its state"

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def mask_errors(*, has_visitors: bool) -> Iterator[None]:
    """Tell visitors only that the database failed; log where it is and why."""
    try:
        yield
    except DatabaseError as error:
        if not has_visitors:
            raise
        logger.exception("the database of threads failed; the visitor is told only that")
        text = "the database of threads cannot be used; the server's log says why"
        raise PersistenceError(text) from error


class Guard:
    """Refuses what no legitimate client sends; removes secrets from responses with errors."""

    def __init__(self, app: App, *, config: ServerConfig, secrets: tuple[str, ...] = ()) -> None:
        self._app = app
        self._config = config
        self._secrets = secrets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        # The server's own calls: a root path cannot be set from outside.
        is_own = str(scope.get("root_path", "")).startswith("/noauth")
        if scope["type"] != "http" or is_own:
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, self._secrets)
        try:
            with mask_errors(has_visitors=bool(self._config.tokens)):
                await self._serve(scope, receive, answer)
        except RequestRefusedError as error:
            await answer.refuse(error.status, str(error))
        except Exception as error:
            logger.exception("the request %s %s failed", scope["method"], scope["path"])
            is_for_people = isinstance(error, PersistenceError)
            text = str(error) if is_for_people else "the server failed; its log says why"
            await answer.refuse(HTTPStatus.INTERNAL_SERVER_ERROR, text)

    async def _serve(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        headers, path, method = _headers(scope), scope["path"], scope["method"]
        self._check_host(headers)
        self._check_address(scope)
        owner = owner_of(self._config, headers.get("authorization"))
        is_page, most = bool(PAGE.fullmatch(path)), MAX_BODY_BYTES
        if is_page:  # a browser sends forms, and a cookie instead of a token
            owner = owner or owner_of_session(self._config, headers.get("cookie"))
            if owner is not None and UPLOADS.fullmatch(path):
                most = MAX_UPLOAD_BYTES
        elif owner is None and path not in _OPEN_PATHS and method != "OPTIONS":
            raise RequestRefusedError(
                HTTPStatus.UNAUTHORIZED, "send `Authorization: Bearer TOKEN` with your token"
            )
        if not _ROUTES.fullmatch(path):
            raise RequestRefusedError(HTTPStatus.NOT_FOUND, f"this server has no {path[:100]!r}")
        if method not in READS:
            self._check_origin(headers)
            body = await _body(headers, receive, most)
            if body and not is_page:
                _check_json(headers, path, body)
            receive = _replay(body, receive)
        await self._app({**scope, VISITOR: owner}, receive, answer)

    def _check_host(self, headers: Mapping[str, str]) -> None:
        """Refuse other names, which somebody else's DNS may resolve to this server."""
        name = _host(headers.get("host", ""))
        if name not in LOOPBACK_NAMES and name not in self._config.hosts:
            raise RequestRefusedError(
                HTTPStatus.BAD_REQUEST,
                f"this server is not called {name[:100]!r}; PAPER_SEARCH_HOSTS lists its names",
            )

    def _check_address(self, scope: Scope) -> None:
        if not self._config.tokens and not _is_local(scope.get("client")):
            raise RequestRefusedError(
                HTTPStatus.FORBIDDEN,
                "without tokens this server serves its own machine only; set PAPER_SEARCH_TOKENS",
            )

    def _check_origin(self, headers: Mapping[str, str]) -> None:
        """Check which page a browser names; other clients name none and are admitted."""
        origin = headers.get("origin")
        if origin is None:
            if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
                raise RequestRefusedError(HTTPStatus.FORBIDDEN, "the request comes from a page")
            return
        if origin in self._config.origins:
            return
        if urlsplit(origin).netloc != headers.get("host"):
            raise RequestRefusedError(
                HTTPStatus.FORBIDDEN,
                f"the page {origin[:100]!r} may not use this server; PAPER_SEARCH_ORIGINS lists "
                "those that may",
            )


class _Answer:
    """Passes a response on; secrets are removed from errors."""

    def __init__(self, send: Send, secrets: tuple[str, ...]) -> None:
        self._send = send
        self._secrets = secrets
        self._start: Message | None = None
        self._is_begun = False
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            is_success = message["status"] < HTTPStatus.BAD_REQUEST
            message["headers"] = [
                *message.get("headers", []),
                (b"x-content-type-options", b"nosniff"),
            ]
            if not is_success:
                self._start = message
                return
        elif self._start is not None:
            await self._hold(message)
            return
        self._is_begun = True
        await self._send(message)

    async def refuse(self, status: int, text: str) -> None:
        """Answer with an error, unless a response has begun."""
        if self._is_begun:
            return
        body = json.dumps({"detail": redact(text, self._secrets)}).encode()
        await self._give(status, [(b"content-type", b"application/json")], body)

    async def _hold(self, message: Message) -> None:
        self._body += message.get("body", b"")
        if message.get("more_body") or self._start is None:
            return
        text = redact(self._body.decode("utf-8", errors="replace"), self._secrets)
        headers = [pair for pair in self._start["headers"] if pair[0].lower() != b"content-length"]
        await self._give(self._start["status"], headers, text.encode())

    async def _give(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self._is_begun = True
        sized = [*headers, (b"content-length", str(len(body)).encode())]
        await self._send({"type": "http.response.start", "status": int(status), "headers": sized})
        await self._send({"type": "http.response.body", "body": body})


def _headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }


def _host(address: str) -> str:
    try:
        return (urlsplit(f"//{address}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_local(client: Any) -> bool:
    try:
        return client is None or ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False


async def _body(headers: Mapping[str, str], receive: Receive, most: int) -> bytes:
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > most:
        raise _too_large(most)
    parts = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                parts += message.get("body", b"")
                if len(parts) > most:
                    raise _too_large(most)
                if message["type"] == "http.disconnect":  # half of a form would look complete
                    raise RequestRefusedError(HTTPStatus.BAD_REQUEST, "the body was cut off")
                if not message.get("more_body"):
                    return bytes(parts)
    except TimeoutError:
        raise RequestRefusedError(
            HTTPStatus.REQUEST_TIMEOUT, f"the body did not arrive within {BODY_S:.0f} s"
        ) from None


def _too_large(most: int) -> RequestRefusedError:
    return RequestRefusedError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body may have at most {most:,} bytes"
    )


def _check_json(headers: Mapping[str, str], path: str, body: bytes) -> None:
    """Refuse a body that is not JSON: a foreign page can send other types without a preflight.

    Unknown fields of a run, such as `contxt`, are refused, as LangGraph's server ignores them.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestRefusedError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON, as `Content-Type: application/json`"
        )
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestRefusedError(
            HTTPStatus.UNPROCESSABLE_ENTITY, "the body cannot be read as JSON"
        ) from None
    params = document.get("params", {}) if isinstance(document, dict) else {}
    if path == "/mcp" and not isinstance(params, dict):
        raise RequestRefusedError(
            HTTPStatus.BAD_REQUEST, "params: expected an object of names and values"
        )
    runs = document if isinstance(document, list) else [document]  # a batch of runs is a list
    names = [run.get("checkpoint_id") for run in runs if isinstance(run, dict)]
    if not all(isinstance(name, str | None) for name in names):
        raise RequestRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, NO_CHECKPOINT)
    # Refused here, as the server's own refusal would leave an empty thread.
    if path == "/threads" and isinstance(document, dict) and document.get("supersteps"):
        raise RequestRefusedError(HTTPStatus.FORBIDDEN, NO_SUPERSTEPS)
    if not _RUNS.fullmatch(path) or not all(isinstance(run, dict) for run in runs):
        return
    if unknown := sorted({name for run in runs for name in run} - set(_RUN_FIELDS)):
        raise RequestRefusedError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"a run has no fields {', '.join(unknown)[:200]}; known: {', '.join(_RUN_FIELDS)}",
        )


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body first."""
    is_given = False

    async def again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
