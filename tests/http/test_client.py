"""The HTTP client against a server that fails in every way."""

import asyncio
import logging
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.fault_server import GOOD, FaultServer
from tests.virtual_time import Clock, in_virtual_time

from paper_search.http import errors
from paper_search.http.client import HttpClient, HttpSettings
from paper_search.http.limits import CallBudget, HostLimiter

KEY = "CANARY-http-key"


@pytest.fixture
async def server() -> AsyncIterator[FaultServer]:
    async with FaultServer() as faults:
        yield faults


@pytest.fixture
def clock() -> Clock:
    return Clock()


Opening = Callable[..., AbstractAsyncContextManager[HttpClient]]


@pytest.fixture
def opened(clock: Clock) -> Opening:
    @asynccontextmanager
    async def open_client(
        client: httpx.AsyncClient | None = None, limits_path: Path | None = None, **settings: Any
    ) -> AsyncIterator[HttpClient]:
        retry = errors.RetryPolicy(max_retries=settings.pop("max_retries", 2), jitter=lambda: 1.0)
        defaults: dict[str, Any] = {"interval_s": 0.0, "secrets": (KEY,), "retry": retry}
        async with HttpClient(
            HttpSettings(**(defaults | settings)),
            client=client,
            limiter=HostLimiter(clock, limits_path),
            sleep=clock.sleep,
            clock=clock,
        ) as http:
            yield http

    return open_client


@pytest.fixture
def answered(opened: Opening) -> Opening:
    """Open a client whose every request is answered by a function."""

    @asynccontextmanager
    async def open_answered(
        answer: Callable[[httpx.Request], Any], *args: Any, **settings: Any
    ) -> AsyncIterator[HttpClient]:
        client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        async with opened(client, *args, **settings) as http:
            yield http

    return open_answered


async def failure(http: HttpClient, url: str, **options: Any) -> errors.HttpError:
    async def ask() -> None:
        (await http.ask(url, **{"params": {"api_key": KEY}, **options})).json()

    with pytest.raises(errors.HttpError) as caught:
        await ask()
    error = caught.value
    assert KEY not in repr(error) + str(error) + str(vars(error))
    assert error.__cause__ is None
    return error


async def test_a_sound_answer_is_read(server, opened):
    async with opened() as http:
        answer = await http.ask(server.url("/gzip"))
    assert answer.json() == GOOD
    assert (answer.status, answer.content_type, answer.attempts) == (200, "application/json", 1)
    assert "user-agent: paper-search/" in server.heads[0].lower()
    assert "mailto" not in server.heads[0]


async def test_a_form_is_posted_with_its_text_as_it_can_be_encoded(answered):
    asked: list[httpx.Request] = []
    async with answered(lambda request: asked.append(request) or httpx.Response(200)) as http:
        await http.ask(URL, params={"a": "b"}, form={"term": "caf\u00e9 \ud800", "n": 1})
    [request] = asked
    assert (request.method, str(request.url.query, "ascii")) == ("POST", "a=b")
    assert request.content == b"term=caf%C3%A9+%3F&n=1"
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"


async def test_a_refusal_without_a_time_is_tried_once_more_and_then_remembered(answered, tmp_path):
    asked: list[str] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(429, text="Rate exceeded.")

    path = tmp_path / "limits.db"
    async with answered(refuse, path, max_retries=3) as http:
        error = await failure(http, URL)
    assert (error.attempts, len(asked)) == (2, 2)
    async with answered(refuse, path) as later:
        error = await failure(later, URL)
        assert isinstance(error, errors.HttpRefusedError)
        assert (str(error), error.reason) == (
            "x.org recently refused requests (HTTP 429)",
            "HTTP 429",
        )
        assert error.until == pytest.approx(time.time() + 900, abs=300)
        assert (error.attempts, len(asked)) == (0, 2)
        await failure(later, "https://y.org/")
    assert asked[2:] == ["y.org", "y.org"]


async def test_a_host_that_a_caller_takes_for_refusing_is_left_alone_for_a_while(
    answered, tmp_path
):
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(200, json={})

    path = tmp_path / "limits.db"
    async with answered(answer, path, refused_for_s=3600.0) as http:
        await http.refuse(URL, "a page for people")
        error = await failure(http, URL)
        await http.ask("https://y.org/")
    assert str(error) == "x.org recently refused requests (a page for people)"
    assert isinstance(error, errors.HttpRefusedError)
    assert error.until == pytest.approx(time.time() + 3600, abs=300)
    assert asked == ["y.org"]


async def test_a_refusal_of_those_without_a_key_is_none_of_those_with_one(answered, tmp_path):
    path = tmp_path / "limits.db"
    async with answered(lambda _: httpx.Response(429), path, secrets=()) as http:
        await failure(http, URL)
    async with answered(lambda _: httpx.Response(200, json={}), path) as keyed:
        assert (await keyed.ask(URL)).json() == {}


@pytest.mark.parametrize("status", [200, 500, 403])
@pytest.mark.parametrize("mark", ["Making sure you're not a bot!", "cf-challenge"])
async def test_a_page_that_keeps_programs_out_is_a_refusal(answered, tmp_path, status, mark):
    page = f"<!doctype html><title>{mark}</title>"
    async with answered(
        lambda _: httpx.Response(status, html=page), tmp_path / "limits.db"
    ) as http:
        error = await failure(http, URL)
        assert isinstance(error, errors.HttpStatusError)
        assert (error.status, error.is_challenge, error.attempts) == (status, True, 2)
        assert isinstance(await failure(http, URL), errors.HttpRefusedError)


@pytest.mark.parametrize(
    "article",
    [
        '{"title": "Making sure you are not a bot: CAPTCHAs"}',
        "<?xml version='1.0'?><feed><summary>Making sure your model is right</summary></feed>",
        '<html><form class="g-recaptcha"></form><p>An article.</p></html>',
    ],
)
async def test_an_article_that_speaks_like_a_bot_wall_is_read(answered, article):
    async with answered(lambda _: httpx.Response(200, html=article)) as http:
        assert (await http.ask(URL)).content == article.encode()


async def test_a_refused_page_with_a_check_of_its_visitors_is_a_bot_wall(answered):
    page = '<html><script src="/cdn-cgi/challenge-platform/x.js"></script></html>'
    async with answered(lambda _: httpx.Response(403, html=page)) as http:
        error = await failure(http, URL)
    assert isinstance(error, errors.HttpStatusError)
    assert error.is_challenge


async def test_an_announced_pace_is_kept(answered, clock):
    """API-29"""
    headers = {"x-rate-limit-limit": "1", "x-rate-limit-interval": "2s"}
    async with answered(
        lambda _: httpx.Response(200, headers=headers, json={}), interval_s=0.1
    ) as http:
        await http.ask(URL)
        clock.now += 0.1
        await http.ask(URL)
        await http.ask(URL)
    assert clock.waits == [2.0]


async def test_the_interval_counts_from_the_sending_and_from_the_answer(server):
    """API-29"""
    counted: list[tuple[str, float]] = []

    class Noting(HostLimiter):
        def note_sent(self, host: str, interval_s: float) -> None:
            counted.append((host, interval_s))

    url = server.url("/ok")
    async with HttpClient(HttpSettings(interval_s=3.0), limiter=Noting()) as http:
        await http.ask(url)
    assert counted == [(httpx.URL(url).netloc.decode(), 3.0)] * 2


@pytest.mark.parametrize("kind", [httpx.ConnectTimeout, httpx.ReadTimeout, httpx.PoolTimeout])
async def test_timeouts_are_asked_again(answered, kind):
    """API-06"""

    def handler(request: httpx.Request) -> httpx.Response:
        raise kind(f"no answer from {request.url}", request=request)

    async with answered(handler) as http:
        error = await failure(http, URL)
    assert isinstance(error, errors.HttpTimeoutError)
    assert error.attempts == 3


@pytest.mark.parametrize("path", ["/gzip-bomb", "/huge"])
async def test_a_body_is_cut_at_the_cap_of_unpacked_bytes(server, opened, path):
    """API-18, API-19"""
    async with opened(max_bytes=100_000, max_retries=0) as http:
        tracemalloc.start()
        try:
            error = await failure(http, server.url(path))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert isinstance(error, errors.HttpBodyError)
    assert "larger than 100,000 bytes" in str(error)
    assert peak < 10_000_000


async def test_a_redirect_within_the_origin_is_followed_with_the_key(server, opened):
    """API-24"""
    async with opened() as http:
        answer = await http.ask(
            server.url("/redirect"), params={"to": "/ok"}, headers={"x-api-key": KEY}
        )
    assert answer.json() == GOOD
    assert answer.attempts == 2
    assert all(KEY in head for head in server.heads)


async def test_a_client_that_would_follow_redirects_anywhere_is_not_let(server, opened):
    """API-24"""
    async with (
        FaultServer() as other,
        httpx.AsyncClient(follow_redirects=True) as given,
        opened(client=given) as http,
    ):
        params = {"to": other.url("/ok"), "api_key": KEY}
        error = await failure(http, server.url("/redirect"), params=params)
    assert isinstance(error, errors.HttpStatusError)
    assert other.requests.total() == 0


async def test_as_many_requests_to_one_host_are_open_at_once_as_the_settings_allow(answered):
    """API-29"""
    running, most = 0, 0

    async def answer(_: httpx.Request) -> httpx.Response:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return httpx.Response(200, json={})

    async with answered(answer, concurrency=3) as http:
        await asyncio.gather(*(http.ask(URL) for _ in range(8)))
    assert most == 3


async def test_the_key_is_in_no_log_line(server, opened, caplog):
    """PER-18"""
    with caplog.at_level(logging.DEBUG):
        async with opened() as http:
            await http.ask(server.url("/ok"), params={"api_key": KEY})
            await failure(http, server.url("/status?code=500"))
            await http.ask(server.url("/redirect"), params={"to": f"/ok?token={KEY}"})
    assert any("HTTP Request" in message for message in caplog.messages)
    assert any("/ok?token=[redacted]')" in message for message in caplog.messages)
    assert KEY not in caplog.text
    assert not logging.getLogger("httpx").filters


@pytest.mark.parametrize(
    "name",
    [
        "httpx",
        *(f"httpcore.{part}" for part in ["connection", "http11", "http2", "proxy", "socks"]),
    ],
)
async def test_no_part_of_the_libraries_below_logs_the_key(opened, caplog, name):
    """PER-18"""
    logger = logging.getLogger(name)
    async with opened():
        logger.warning("asking %s", KEY)
    assert caplog.messages == ["asking [redacted]"]
    assert not logger.filters


async def test_a_lone_surrogate_in_a_query_is_replaced(server, opened):
    """API-20"""
    async with opened() as http:
        await http.ask(server.url("/ok"), params={"q": "a\ud800b"})
    assert "q=a%3Fb" in server.heads[0] or "q=a?b" in server.heads[0]


# --- without a server: what a transport says and does ---------------------------------------------

URL = "https://x.org/works"


class Body(httpx.AsyncByteStream):
    """A body that begins and then fails, or never ends."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"a":'
        if self.error is not None:
            raise self.error
        await asyncio.Event().wait()


async def test_what_a_transport_says_is_told_without_the_key(answered):
    """PER-18"""

    def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"no route with {KEY}")

    async with answered(answer, max_retries=0) as http:
        error = await failure(http, URL)
    assert isinstance(error, errors.HttpUnreachableError)
    assert str(error) == "x.org cannot be reached: ConnectError: no route with [redacted]"


async def test_what_cuts_a_body_off_is_told_without_the_key(answered):
    """PER-18, API-09"""
    body = Body(httpx.ReadError(f"reset by {KEY}"))
    async with answered(lambda _: httpx.Response(200, stream=body), max_retries=0) as http:
        error = await failure(http, URL)
    assert isinstance(error, errors.HttpBodyError)
    assert error.is_cut_off
    assert str(error) == "the answer of x.org is cut off: ReadError: reset by [redacted]"


async def test_a_user_agent_says_how_to_reach_whoever_runs_it(server):
    async with HttpClient(HttpSettings(), contact="ada@example.org") as http:
        await http.ask(server.url("/ok"), headers={"x-mine": "yes"})
    assert "(mailto:ada@example.org)" in server.heads[0]
    assert "x-mine: yes" in server.heads[0].lower()


async def test_a_redirect_that_may_not_be_followed_says_where_it_leads(server, opened):
    """API-24"""
    async with opened(max_redirects=0) as http:
        error = await failure(http, server.url("/redirect"), params={"to": "/ok"})
    assert isinstance(error, errors.HttpStatusError)
    assert (error.status, error.location) == (302, "/ok")
    async with opened(max_redirects=1) as http:
        assert (await http.ask(server.url("/redirect"), params={"to": "/ok"})).json() == GOOD
        error = await failure(http, server.url("/redirect-loop"))
    assert str(error) == "127.0.0.1 redirects too often"
    assert server.requests["/redirect-loop"] == 2


@pytest.mark.parametrize(
    ("content", "body"),
    [
        (b" quota used up\n", "quota used up"),
        (b"\n<html>are you a robot?</html>", ""),
        (b"<?xml version='1.0'?><feed><summary>no id &amp; 'x'</summary></feed>", "no id & 'x'"),
        (b"caf\xe9", "caf\ufffd"),
        (b"x" * 3000, "x" * 2000),
        (f"bad {KEY} {'x' * 3000}".encode(), f"bad [redacted] {'x' * 1985}"),
    ],
)
async def test_of_the_body_of_an_error_what_a_person_can_use_is_kept(answered, content, body):
    async with answered(lambda _: httpx.Response(403, content=content)) as http:
        error = await failure(http, URL)
    assert isinstance(error, errors.HttpStatusError)
    assert (str(error), error.body) == ("x.org answered with HTTP 403", body)
    assert (error.location, error.retry_after) == (None, None)


@pytest.mark.parametrize(
    "broken",
    [
        {"stream": httpx.ByteStream(b"no gzip"), "headers": {"content-encoding": "gzip"}},
        {"stream": Body(httpx.ReadError("reset"))},
    ],
)
async def test_an_error_whose_body_cannot_be_read_is_still_that_error(answered, broken):
    async with answered(lambda _: httpx.Response(404, **broken)) as http:
        error = await failure(http, URL)
    assert isinstance(error, errors.HttpStatusError)
    assert (error.status, error.body) == (404, "")


async def test_of_the_type_of_an_answer_the_name_alone_counts(answered):
    headers = {"content-type": " Application/JSON ; charset=latin-1"}
    async with answered(lambda _: httpx.Response(200, content=b"{}", headers=headers)) as http:
        answer = await http.ask(URL)
    assert (answer.content_type, answer.charset) == ("application/json", "latin-1")
    assert (answer.url, answer.from_cache) == (URL, False)


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wait", "attempts"), [(59, 2), (60, 1), (61, 1)])
async def test_a_wait_that_ends_with_the_deadline_is_too_long(answered, clock, wait, attempts):
    """API-02"""
    headers = {"retry-after": str(wait)}
    async with answered(
        lambda _: httpx.Response(503, headers=headers), deadline_s=60.0, max_retries=1
    ) as http:
        error = await failure(http, URL)
    assert (error.attempts, clock.now - 1000.0) == (attempts, 59.0 if attempts == 2 else 0.0)


async def test_an_attempt_ends_with_the_deadline(answered):
    """API-07"""

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=Body())

    async with answered(answer, deadline_s=0.2) as http:
        error = await failure(http, URL)
    assert isinstance(error, errors.HttpTimeoutError)
    assert str(error) == "x.org did not answer completely within 0.2 s"
    async with answered(answer, deadline_s=60.0, attempt_timeout_s=0.1, max_retries=0) as http:
        error = await failure(http, URL)
    assert str(error) == "x.org did not answer completely within 0.1 s"


async def test_what_is_waited_for_a_turn_is_taken_from_the_deadline(answered, clock):
    """API-07, API-29"""
    answers = iter([httpx.Response(200, json={}), httpx.Response(200, stream=Body())])
    async with answered(
        lambda _: next(answers), interval_s=30.0, deadline_s=30.25, max_retries=0
    ) as http:
        await http.ask(URL)
        error = await failure(http, URL)
    assert clock.waits == [30.0]
    assert str(error) == "x.org did not answer completely within 0.25 s"


async def test_a_turn_that_comes_after_the_deadline_is_not_waited_for(answered, clock):
    """API-29"""
    async with answered(
        lambda _: httpx.Response(200, json={}), interval_s=30.0, deadline_s=20.0
    ) as http:
        await http.ask(URL)
        error = await failure(http, URL)
        assert isinstance(await failure(http, URL), errors.HttpNoTimeError)
        await http.ask("https://y.org/")
    assert isinstance(error, errors.HttpNoTimeError)
    assert str(error) == "no time left for x.org: other requests came first"
    assert (error.attempts, clock.waits) == (0, [])


@in_virtual_time
async def test_who_waits_behind_another_request_gives_up_at_the_deadline(answered):
    """API-29"""
    is_asked = asyncio.Event()

    def answer(_: httpx.Request) -> httpx.Response:
        is_asked.set()
        return httpx.Response(200, stream=Body())

    async with answered(answer, max_retries=0) as http:
        first = asyncio.create_task(failure(http, URL))
        await is_asked.wait()
        begun = asyncio.get_running_loop().time()
        with pytest.raises(errors.HttpNoTimeError, match=r"^no time left for x\.org: other r"):
            await http.ask(URL, ends_at=1000.25)
        assert asyncio.get_running_loop().time() == begun + 0.25
        first.cancel()


async def test_a_spent_budget_is_told_and_an_earlier_error_goes_before_it(answered):
    async with answered(lambda _: httpx.Response(500)) as http:
        error = await failure(http, URL, budget=CallBudget(0))
        assert str(error) == "the calls allowed for this run are used up"
        assert error.attempts == 0
        assert isinstance(await failure(http, URL, budget=CallBudget(1)), errors.HttpStatusError)
