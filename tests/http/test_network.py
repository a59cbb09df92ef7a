"""Without a network it is soon over; with one, a host that cannot be reached gets its time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager

import httpx
import pytest
from tests.fault_server import FaultServer
from tests.ports import free_port
from tests.virtual_time import in_virtual_time

from paper_search.http.client import HttpClient, HttpSettings
from paper_search.http.errors import HttpError, HttpTimeoutError, HttpUnreachableError
from paper_search.http.limits import HostLimiter
from paper_search.http.network import LATELY_S, Reachability, redirect_target
from paper_search.http.retry import RetryPolicy


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


Opening = Callable[..., AbstractAsyncContextManager[HttpClient]]


@pytest.fixture
def opened(clock: Clock) -> Opening:
    """Open a client that asks up to five times and knows nothing of what other tests reached."""

    @asynccontextmanager
    async def open_client(
        connect_patience_s: float = 2.0,
        attempt_timeout_s: float = 20.0,
        interval_s: float = 0.0,
        max_retries: int = 4,
        reachability: Reachability | None = None,
    ) -> AsyncIterator[HttpClient]:
        async with HttpClient(
            HttpSettings(
                interval_s=interval_s,
                connect_patience_s=connect_patience_s,
                attempt_timeout_s=attempt_timeout_s,
                deadline_s=1000.0,
                retry=RetryPolicy(max_retries=max_retries, jitter=lambda: 1.0),
            ),
            limiter=HostLimiter(clock),
            reachability=reachability or Reachability(clock),
            sleep=clock.sleep,
            clock=clock,
        ) as http:
            yield http

    return open_client


@pytest.fixture
async def server() -> AsyncIterator[FaultServer]:
    async with FaultServer() as faults:
        yield faults


@pytest.fixture
def closed() -> str:
    """An address where nobody listens."""
    return f"http://127.0.0.1:{free_port()}/"


@pytest.fixture
def deaf() -> Iterator[str]:
    """An address where connecting takes for ever: its queue is full and nobody empties it."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.settimeout(0)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


async def failure(http: HttpClient, url: str) -> HttpError:
    with pytest.raises(HttpError) as caught:
        await http.ask(url)
    return caught.value


async def test_without_a_network_asking_again_ends_within_the_patience_for_connecting(
    opened: Opening, clock: Clock, closed: str
) -> None:
    async with opened(connect_patience_s=2.0) as http:
        error = await failure(http, closed)
    assert isinstance(error, HttpUnreachableError)
    assert (error.attempts, clock.now) == (3, 1001.5)


async def test_three_hosts_that_cannot_be_reached_end_it_at_once(
    opened: Opening, clock: Clock, closed: str
) -> None:
    port = closed.partition("//127.0.0.1")[2]
    async with opened(connect_patience_s=2.0) as http:
        for host in ("127.0.0.1", "127.0.0.2"):
            await failure(http, f"http://{host}{port}")
        before = clock.now
        error = await failure(http, f"http://127.0.0.3{port}")
    assert (error.attempts, clock.now - before) == (1, 0.0)


async def test_a_service_that_wants_long_pauses_is_not_asked_again_after_the_patience(
    opened: Opening, clock: Clock, closed: str
) -> None:
    async with opened(connect_patience_s=2.0, interval_s=3.0) as http:
        error = await failure(http, closed)
    assert (error.attempts, clock.now) == (1, 1000.0)


async def test_where_another_host_is_there_a_host_that_refuses_is_asked_to_the_end(
    opened: Opening, clock: Clock, closed: str, server: FaultServer
) -> None:
    async with opened() as http:
        await http.ask(server.url("/gzip"))
        error = await failure(http, closed)
    assert isinstance(error, HttpUnreachableError)
    assert (error.attempts, clock.now) == (5, 1007.5)


async def test_a_contact_of_long_ago_proves_no_network(
    opened: Opening, clock: Clock, closed: str, server: FaultServer
) -> None:
    async with opened() as http:
        await http.ask(server.url("/gzip"))
        clock.now += LATELY_S
        error = await failure(http, closed)
    assert error.attempts == 3


async def test_a_connection_that_is_never_made_is_given_up_where_there_is_no_other(
    opened: Opening, deaf: str
) -> None:
    async with opened(connect_patience_s=0.05) as http:
        error = await failure(http, deaf)
    assert isinstance(error, HttpUnreachableError)
    assert "cannot be reached within 0.05 s" in str(error)


@in_virtual_time
async def test_a_connection_that_is_never_made_ends_with_the_patience_for_it() -> None:
    async def connect(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    settings = HttpSettings(connect_patience_s=1.5, retry=RetryPolicy(max_retries=0))
    loop = asyncio.get_running_loop()
    async with (
        httpx.AsyncClient(transport=httpx.MockTransport(connect)) as given,
        HttpClient(
            settings, client=given, limiter=HostLimiter(), reachability=Reachability()
        ) as http,
    ):
        begun = loop.time()
        error = await failure(http, "https://x.org/")
        assert loop.time() == begun + 1.5
    assert str(error) == "x.org cannot be reached within 1.5 s"


async def test_a_connection_that_is_never_made_gets_its_time_where_there_is_a_network(
    opened: Opening, clock: Clock, deaf: str
) -> None:
    seen = Reachability(clock)
    seen.note_contact()
    async with opened(connect_patience_s=0.05, attempt_timeout_s=0.2, reachability=seen) as http:
        assert isinstance(await failure(http, deaf), HttpTimeoutError)


async def test_an_answer_that_takes_longer_than_the_patience_for_connecting_is_waited_for(
    opened: Opening, server: FaultServer
) -> None:
    async with opened(connect_patience_s=2.0, attempt_timeout_s=2.5, max_retries=0) as http:
        error = await failure(http, server.url("/slow-headers"))
    assert isinstance(error, HttpTimeoutError)
    assert not isinstance(error, HttpUnreachableError)


async def test_the_patience_for_connecting_counts_from_the_first_request(
    opened: Opening, clock: Clock, closed: str
) -> None:
    """The third request would come 1.5 s after the first, when the patience is over."""
    async with opened(connect_patience_s=1.5) as http:
        error = await failure(http, closed)
    assert (error.attempts, clock.now) == (2, 1000.5)
    assert str(error).startswith("127.0.0.1 cannot be reached: ConnectError: ")


async def test_a_connection_that_is_given_up_says_how_long_it_was_waited_for(
    opened: Opening, deaf: str
) -> None:
    async with opened(connect_patience_s=0.25) as http:
        error = await failure(http, deaf)
    assert isinstance(error, HttpUnreachableError)
    assert str(error) == "127.0.0.1 cannot be reached within 0.25 s"


@pytest.mark.parametrize(
    ("failed", "is_refuted"), [(("x.org", "y.org"), True), (("x.org", "127.0.0.1"), False)]
)
async def test_connections_to_three_hosts_that_are_given_up_speak_against_the_network(
    clock: Clock, deaf: str, failed: tuple[str, ...], *, is_refuted: bool
) -> None:
    seen = Reachability(clock)
    settings = HttpSettings(
        interval_s=0.0, connect_patience_s=0.1, retry=RetryPolicy(max_retries=0)
    )
    port = deaf.partition("//127.0.0.1")[2]
    async with HttpClient(settings, reachability=seen, clock=clock, sleep=clock.sleep) as http:
        for host in failed:
            seen.note_failure(host)
        assert not seen.is_refuted
        await failure(http, f"http://127.0.0.1{port}")
    assert seen.is_refuted == is_refuted


@pytest.mark.parametrize(
    ("method", "status", "to", "leads_to"),
    [
        ("GET", 302, "/b", "https://a.org/b"),
        ("GET", 302, "https://b.org/b", None),
        ("GET", 201, "/b", None),
        ("POST", 302, "/b", None),
    ],
)
def test_only_a_redirect_of_a_read_within_the_origin_leads_somewhere(
    method: str, status: int, to: str, leads_to: str | None
) -> None:
    request = httpx.Request(method, "https://a.org/a")
    answer = httpx.Response(status, headers={"location": to})
    assert redirect_target(request, answer) == (leads_to and httpx.URL(leads_to))
