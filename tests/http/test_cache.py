"""Answers on disk: what is kept, for how long, and that no key is among it."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.http.answers import Answers

from paper_search.http.client import HttpClient, HttpSettings
from paper_search.http.errors import HttpBodyError, HttpStatusError, RetryPolicy
from paper_search.http.freshness import fresh_answers
from paper_search.http.limits import CallBudget, HostLimiter

KEY = "CANARY-cached-key"
URL = "https://api.example.org/works"


def sound(number: int = 1, **headers: str) -> httpx.Response:
    return httpx.Response(200, json={"n": number}, headers=headers)


Opening = Callable[..., AbstractAsyncContextManager[HttpClient]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "http.db"


@pytest.fixture
def opened(path: Path) -> Opening:
    @asynccontextmanager
    async def open_client(service: Answers, **options: Any) -> AsyncIterator[HttpClient]:
        waits: list[float] = options.pop("waits", [])

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        settings = {"interval_s": 0.0, "secrets": (KEY,), "retry": RetryPolicy(max_retries=0)}
        async with HttpClient(
            HttpSettings(**{**settings, **options.pop("settings", {})}),
            client=httpx.AsyncClient(transport=httpx.MockTransport(service)),
            cache_path=path,
            limiter=HostLimiter(),
            sleep=sleep,
        ) as http:
            yield http

    return open_client


def spoil(path: Path, fault: str) -> None:
    path.parent.mkdir()
    if fault == "no database":
        path.write_bytes(b"this is no database" * 1000)
    elif fault == "a directory":
        path.mkdir()
    else:
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE entries (something)")
        database.close()


async def test_the_same_question_costs_nothing_another_time(opened):
    service, budget, waits = Answers(sound()), CallBudget(1), list[float]()
    settings = {"interval_s": 5.0}
    for is_again in (False, True, True):
        async with opened(service, waits=waits, settings=settings) as http:
            answer = await http.ask(URL, params={"q": "graph"}, budget=budget)
        assert (answer.json(), answer.from_cache) == ({"n": 1}, is_again)
        assert answer.attempts == (0 if is_again else 1)
    assert (len(service.asked), waits, budget.used) == (1, [], 1)


async def test_a_search_that_is_repeated_for_what_is_new_asks_again_once(opened):
    service = Answers(sound(1), sound(2), sound(3))
    async with opened(service) as http:
        await http.ask(URL)
        for mark, expected in (("a", 2), ("a", 2), ("", 1), ("b", 3), ("a", 2)):
            with fresh_answers(mark):
                assert (await http.ask(URL)).json() == {"n": expected}
        assert len(service.asked) == 3


@pytest.mark.parametrize(
    "headers",
    [
        {"Cache-Control": "no-store"},
        {"Cache-Control": "private, max-age=0"},
        {"Cache-Control": "no-cache"},
        {"Pragma": "no-cache"},
        {"Expires": "Thu, 01 Jan 1970 00:00:00 GMT"},
        {"Vary": "*"},
    ],
)
async def test_what_the_service_forbids_to_keep_is_asked_for_again(opened, headers):
    service = Answers(sound(1, **headers), sound(2, **headers))
    async with opened(service) as http:
        for _ in range(2):
            assert not (await http.ask(URL)).from_cache
    assert len(service.asked) == 2


async def test_an_answer_that_must_be_checked_is_checked_and_not_sent_again(opened):
    """RFC 9111, 4.3: a 304 makes the stored answer good again."""
    service = Answers(sound(1, **{"Cache-Control": "no-cache", "ETag": '"a"'}), httpx.Response(304))
    async with opened(service) as http:
        await http.ask(URL)
        again = await http.ask(URL)
    assert service.asked[1].headers["if-none-match"] == '"a"'
    assert again.json() == {"n": 1}


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
async def test_a_failure_is_not_kept(opened, status):
    service = Answers(httpx.Response(status), sound())
    async with opened(service) as http:
        with pytest.raises(HttpStatusError):
            await http.ask(URL)
        assert (await http.ask(URL)).json() == {"n": 1}


async def test_an_answer_that_turned_out_to_be_an_error_is_forgotten(opened):
    service = Answers(httpx.Response(200, text="<html>captcha"), sound())
    async with opened(service) as http:
        answer = await http.ask(URL)
        with pytest.raises(HttpBodyError):
            answer.json()
        await http.forget(answer)
        assert (await http.ask(URL)).json() == {"n": 1}


async def test_no_key_is_on_disk(opened, path):
    service = Answers(sound())
    headers = {"x-api-key": KEY, "Authorization": f"Bearer {KEY}"}
    async with opened(service) as http:
        await http.ask(URL, params={"q": "graph"}, key_params={"api_key": KEY}, headers=headers)
        again = await http.ask(URL, params={"q": "graph", "api_key": KEY}, headers=headers)
    [request] = service.asked
    assert request.url.params["api_key"] == KEY
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert again.from_cache
    assert KEY not in again.url
    for file in path.parent.iterdir():
        assert KEY.encode() not in file.read_bytes()


async def test_what_is_posted_is_not_kept(opened):
    service = Answers(sound(1), sound(2))
    async with opened(service) as http:
        await http.ask(URL, json={"ids": ["a"]})
        assert (await http.ask(URL, json={"ids": ["a"]})).json() == {"n": 2}
    assert [request.method for request in service.asked] == ["POST", "POST"]
    assert service.asked[0].content == b'{"ids":["a"]}'


@pytest.mark.parametrize("fault", ["no database", "another one", "a directory"])
async def test_a_file_that_cannot_be_used_costs_the_cache_only(opened, path, fault, caplog):
    spoil(path, fault)
    service = Answers(sound(1), sound(2))
    async with opened(service) as http:
        await http.ask(URL)
        assert (await http.ask(URL)).json() == {"n": 2}
    assert caplog.records


async def test_a_body_that_is_cut_off_is_not_kept(opened):
    """A crash or a cap in the middle of a body leaves no half answer."""
    service = Answers(httpx.Response(200, content=b"x" * 5000), sound())
    async with opened(service, settings={"max_bytes": 1000}) as http:
        with pytest.raises(HttpBodyError):
            await http.ask(URL)
        assert (await http.ask(URL)).json() == {"n": 1}


async def test_answers_on_disk_that_are_damaged_later_are_asked_for_again(opened, path, caplog):
    service = Answers(sound(1), sound(2))
    async with opened(service, settings={"retry": RetryPolicy(max_retries=1)}) as http:
        await http.ask(URL)
        with sqlite3.connect(path) as database:
            database.execute("DELETE FROM streams")
        database.close()
        assert (await http.ask(URL)).json() == {"n": 2}
    assert "no longer cached" in caplog.text


async def test_a_key_that_a_redirect_repeats_is_not_stored(opened, path):
    def service(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if request.url.path == "/old":
            return httpx.Response(301, headers={"location": f"/works?{request.url.query.decode()}"})
        return sound()

    asked: list[str] = []
    async with opened(service) as http:
        params, keys = {"q": "a b"}, {"api_key": KEY}
        answer = await http.ask("https://api.example.org/old", params=params, key_params=keys)
    assert answer.json() == {"n": 1}
    assert asked[1] == f"https://api.example.org/works?q=a+b&api_key={KEY}"
    assert KEY not in answer.url
    assert KEY.encode() not in path.read_bytes()
