"""The guard: who and what is let through to the server."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from paper_search.config import STUDIO, ServerConfig
from paper_search.errors import DatabaseError, PersistenceError
from paper_search.server import guard as guard_module
from paper_search.server.guard import (
    MAX_BODY_BYTES,
    MAX_UPLOAD_BYTES,
    SESSION_COOKIE,
    VISITOR,
    Guard,
    session_of,
)

ADA, BOB = "CANARY-token-of-ada-01", "CANARY-token-of-bob-02"
LOOPBACK, OUTSIDE = ("127.0.0.1", 4711), ("203.0.113.9", 4711)
WRITE, PAGE, UPLOAD = "/threads/search", "/review/t", "/review/import"


class Echo:
    """A server that says what reached it, or fails as it is told to."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.scopes: list[Any] = []
        self.answer: tuple[int, bytes] = (200, b"{}")
        self.error: Exception | None = None

    async def __call__(self, scope, receive, send) -> None:
        self.scopes.append(scope)
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        self.bodies.append(_read(body))
        if self.error is not None:
            raise self.error
        status, content = self.answer
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})


def _read(body: bytes) -> Any:
    """Return what a body says: JSON, or the bytes of another kind."""
    if not body:
        return None
    return json.loads(body) if body.startswith(b"{") else body


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
def reach(echo: Echo):
    def client(client_address=LOOPBACK, **settings: Any) -> httpx.AsyncClient:
        config = ServerConfig(**settings)
        secrets = ("CANARY-key-1", *config.tokens.values())
        app = Guard(echo, config=config, secrets=secrets)
        transport = httpx.ASGITransport(app=app, client=client_address)
        return httpx.AsyncClient(transport=transport, base_url="http://localhost:2024")

    return client


TOKENS = {"ada": ADA, "bob": BOB}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Bearer {ADA[:-1]}"},
        {"authorization": f"Basic {ADA}"},
        {"authorization": ADA},
        {"authorization": "Bearer "},
        {"x-auth-scheme": "langsmith"},
        {"x-auth-scheme": "langsmith", "x-api-key": ADA},
        {"cookie": f"token={ADA}"},
    ],
)
@pytest.mark.parametrize("path", ["/threads/x", "/docs", "/openapi.json", "/info", "/metrics", "/"])
async def test_nobody_comes_in_without_a_token__sec_01(reach, echo, headers, path):
    answer = await reach(tokens=TOKENS).get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.json() == {"detail": "send `Authorization: Bearer TOKEN` with your token"}
    assert echo.bodies == []


@pytest.mark.parametrize("token", [ADA, BOB])
async def test_a_token_lets_its_owner_in(reach, echo, token):
    run = {"assistant_id": "a", "input": {"question": "q"}}
    headers = {"authorization": f"bearer {token}"}
    answer = await reach(tokens=TOKENS).post("/threads/t/runs", json=run, headers=headers)
    assert answer.status_code == 200
    assert echo.scopes[0][VISITOR] == ("ada" if token == ADA else "bob")


async def test_whether_the_server_is_up_may_be_asked_without_a_token(reach):
    assert (await reach(tokens=TOKENS).get("/ok")).status_code == 200


@pytest.mark.parametrize("path", ["/ok", "/threads/x", PAGE])
async def test_without_tokens_other_machines_are_refused__sec_07(reach, echo, path):
    answer = await reach(OUTSIDE).get(path)
    assert answer.status_code == 403
    assert answer.json()["detail"] == (
        "without tokens this server serves its own machine only; set PAPER_SEARCH_TOKENS"
    )
    assert echo.bodies == []


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil", "", "["]
)
async def test_a_foreign_name_of_the_server_is_refused__sec_05(reach, echo, host):
    answer = await reach().get("/threads/x", headers={"host": host})
    assert answer.status_code == 400
    assert echo.bodies == []


async def test_a_request_without_a_name_of_the_server_is_refused__sec_05(echo):
    app = Guard(echo, config=ServerConfig())
    start, said = await conversed(app, WRITE, {"body": b"{}"}, host=None)
    assert start["status"] == 400
    assert "this server is not called ''; " in json.loads(said["body"])["detail"]
    assert echo.bodies == []


async def test_of_a_long_foreign_name_only_the_beginning_is_told(reach):
    answer = await reach().get("/threads/x", headers={"host": "x" * 1_000})
    assert f"this server is not called {'x' * 100!r}; " in answer.json()["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"origin": STUDIO + ".evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", [WRITE, PAGE])
async def test_a_foreign_page_cannot_write__sec_04(reach, echo, path, headers):
    answer = await reach().post(path, json={}, headers=headers)
    assert answer.status_code == 403
    assert echo.bodies == []


async def test_of_a_foreign_page_with_a_long_name_only_the_beginning_is_told(reach):
    answer = await reach().post(WRITE, json={}, headers={"origin": "x" * 1_000})
    assert answer.json()["detail"].startswith(f"the page {'x' * 100!r} may not use this server; ")


@pytest.mark.parametrize(
    ("headers", "visitor"),
    [
        ({}, None),
        ({"authorization": f"Bearer {BOB}"}, "bob"),
        ({"cookie": f"a=b; {SESSION_COOKIE}={session_of(ADA)}"}, "ada"),
        ({"cookie": f"{SESSION_COOKIE}={ADA}"}, None),
    ],
)
async def test_the_page_is_told_who_comes__sec_01(reach, echo, headers, visitor):
    assert (await reach(tokens=TOKENS).get(PAGE, headers=headers)).status_code == 200
    assert (await reach(tokens=TOKENS).post(PAGE, headers=headers)).status_code == 200
    assert [scope[VISITOR] for scope in echo.scopes] == [visitor, visitor]


async def test_the_page_gets_a_form_as_it_was_sent(reach, echo):
    answer = await reach().post(PAGE, data={"relevant": "p1"})
    assert answer.status_code == 200
    assert echo.bodies == [b"relevant=p1"]


async def test_only_files_of_somebody_who_signed_in_may_be_large__sec_18(reach, echo):
    files = b"x" * (MAX_BODY_BYTES + 1)
    ada = {"authorization": f"Bearer {ADA}"}
    page = reach(tokens=TOKENS)
    assert (await page.post(UPLOAD, content=files)).status_code == 413
    assert (await page.post(PAGE, content=files, headers=ada)).status_code == 413
    larger = b"x" * (MAX_UPLOAD_BYTES + 1)
    assert (await page.post(UPLOAD, content=larger, headers=ada)).status_code == 413
    assert echo.bodies == []
    assert (await page.post(UPLOAD, content=files, headers=ada)).status_code == 200
    assert echo.bodies == [files]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": STUDIO},
        {"origin": "http://localhost:2024"},
        {"sec-fetch-site": "same-origin"},
    ],
)
async def test_studio_and_programs_can_write(reach, headers):
    assert (await reach().post(WRITE, json={}, headers=headers)).status_code == 200


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "application/jsonp",
    ],
)
async def test_a_body_that_a_page_may_send_unasked_is_refused__sec_04(reach, echo, kind):
    answer = await reach().post(WRITE, content=b"{}", headers={"content-type": kind})
    assert answer.status_code == 415
    assert echo.bodies == []


@pytest.mark.parametrize("body", [b"{", b'{"a": NaN', b"\xff\xfe", b"[" * 200_000])
async def test_a_body_that_is_no_json_is_refused(reach, body):
    headers = {"content-type": "application/json"}
    answer = await reach().post(WRITE, content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json() == {"detail": "the body cannot be read as JSON"}


async def test_a_thread_with_a_state_is_refused_before_it_is_made(reach, echo):
    answer = await reach().post("/threads", json={"supersteps": [{"updates": []}]})
    assert (answer.status_code, echo.bodies) == (403, [])
    assert (await reach().post("/threads", json={"supersteps": []})).status_code == 200


async def test_a_huge_body_is_refused_by_what_it_says_of_itself__sec_18(reach, echo):
    answer = await reach().post(WRITE, json={"q": "x" * MAX_BODY_BYTES})
    assert answer.status_code == 413
    assert echo.bodies == []


async def test_a_huge_body_without_a_length_is_refused__sec_18(reach, echo):
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 65_536

    headers = {"content-type": "application/json"}
    answer = await reach().post(WRITE, content=endless(), headers=headers)
    assert answer.status_code == 413
    assert echo.bodies == []


async def conversed(
    app: Guard, path: str, *parts: dict[str, Any], root: str = "", **headers: str | None
) -> list[Any]:
    """Send what a server is handed of one POST, and return what it is told to answer."""
    sent: list[Any] = []
    arriving = iter(
        [{"type": "http.request", **part} if "body" in part else part for part in parts]
    )

    async def receive() -> Any:
        return next(arriving)

    async def send(message: Any) -> None:
        sent.append(message)

    named = {"host": "localhost", "content_type": "application/json", **headers}
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "root_path": root,
        "client": LOOPBACK,
        "headers": [
            (name.replace("_", "-").encode(), value.encode())
            for name, value in named.items()
            if value is not None
        ],
    }
    await app(scope, receive, send)
    return sent


GONE = {"type": "http.disconnect"}


@pytest.mark.parametrize("path", [WRITE, PAGE])
async def test_a_body_that_is_cut_off_is_not_taken_for_a_whole_one(echo, path):
    """The first half of a person's marks would be applied as if it were all of them."""
    app = Guard(echo, config=ServerConfig())
    half = {"body": b'{"relevant": 1}', "more_body": True}
    start, _ = await conversed(app, path, half, GONE)
    assert start["status"] == 400
    assert echo.bodies == []


@pytest.mark.parametrize("path", [WRITE, PAGE])
async def test_what_comes_after_the_body_reaches_the_server(path):
    """Such as that the client is gone, at which a stream ends."""
    heard: list[Any] = []

    async def listening(_scope, receive, _send) -> None:
        heard.extend([await receive(), await receive()])

    app = Guard(listening, config=ServerConfig())
    whole = {"body": b"{}", "more_body": False}
    await conversed(app, path, whole, GONE)
    assert heard == [{"type": "http.request", **whole}, GONE]


async def test_a_client_that_never_ends_its_body_is_left__sec_18(reach, monkeypatch):
    monkeypatch.setattr(guard_module, "BODY_S", 0.01)

    async def stuck() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(60)

    headers = {"content-type": "application/json"}
    answer = await reach().post(WRITE, content=stuck(), headers=headers)
    assert answer.status_code == 408


async def test_an_error_of_the_server_is_told_without_its_insides__sec_19(reach, echo):
    echo.error = ValueError("in /a/file.py: key CANARY-key-1")
    answer = await reach().post(WRITE, json={})
    assert answer.status_code == 500
    assert answer.json() == {"detail": "the server failed; its log says why"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/internal/truncate"),
        ("GET", "/internal/debug/thread/t"),
        ("GET", "/deploy"),
        ("POST", "/deploy"),
        ("GET", "/deploy/x/stream"),
        ("GET", "/store/namespaces"),
        ("GET", "/threadsx"),
        ("GET", "/threads/%00/state"),
    ],
)
async def test_what_asks_no_handler_of_ours_is_closed__sec_02(reach, echo, method, path):
    body = {} if method == "POST" else None
    answer = await reach().request(method, path, json=body)
    assert answer.status_code == 404
    assert echo.scopes == []


async def test_a_database_that_stopped_is_told_with_what_to_do__per_25(reach, echo):
    echo.error = PersistenceError("the database cannot be used (CANARY-key-1); check it")
    answer = await reach().post(WRITE, json={})
    assert answer.status_code == 500
    assert answer.json() == {"detail": "the database cannot be used ([redacted]); check it"}


async def test_where_the_database_is_no_visitor_is_told__sec_19(reach, echo, caplog):
    echo.error = DatabaseError("the database (host=10.0.0.5) cannot be used")
    answer = await reach().post(WRITE, json={})
    assert answer.json() == {"detail": "the database (host=10.0.0.5) cannot be used"}
    caplog.clear()
    answer = await reach(tokens=TOKENS).post(
        WRITE, json={}, headers={"authorization": f"Bearer {ADA}"}
    )
    assert answer.status_code == 500
    assert "10.0.0.5" not in answer.text
    assert "cannot be used" in answer.text
    assert "10.0.0.5" in caplog.text


async def test_an_error_page_loses_what_is_secret__sec_19(reach, echo):
    echo.answer = (400, b'{"detail": "refused: api_key=abc CANARY-key-1"}')
    answer = await reach().post(WRITE, json={})
    assert answer.status_code == 400
    assert answer.json() == {"detail": "refused: api_key=[redacted] [redacted]"}


async def test_an_error_page_that_comes_in_parts_loses_what_is_secret__sec_19():
    async def in_parts(_scope, _receive, send) -> None:
        await send({"type": "http.response.start", "status": 400})
        await send({"type": "http.response.body", "body": b"\xff CANARY-", "more_body": True})
        await send({"type": "http.response.body", "body": b"key-1."})

    app = Guard(in_parts, config=ServerConfig(), secrets=("CANARY-key-1",))
    start, body = await conversed(app, WRITE, {"body": b"{}"})
    assert start["status"] == 400
    assert body["body"].decode() == "\ufffd [redacted]."


async def test_an_answer_that_breaks_off_gets_no_second_beginning():
    async def breaking(_scope, _receive, send) -> None:
        await send({"type": "http.response.start", "status": 200})
        raise ValueError("in the middle")

    app = Guard(breaking, config=ServerConfig())
    sent = await conversed(app, WRITE, {"body": b"{}"})
    assert [message["status"] for message in sent] == [200]


async def test_a_call_of_the_server_itself_passes_as_it_is(echo):
    app = Guard(echo, config=ServerConfig(tokens=TOKENS))
    start, _ = await conversed(app, WRITE, {"body": b"{}"}, root="/noauth", host="elsewhere")
    assert start["status"] == 200
    assert "x-content-type-options" not in dict(start["headers"])


async def test_a_websocket_is_closed(echo):
    sent = []

    async def send(message) -> None:
        sent.append(message)

    guard = Guard(echo, config=ServerConfig())
    await guard({"type": "websocket"}, None, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]


async def test_every_answer_forbids_guessing_its_kind(reach):
    answer = await reach().get("/ok")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"] == "application/json"
