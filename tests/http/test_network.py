"""A host that cannot be reached is soon given up; one that is slow gets its time."""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import httpx
import pytest
from tests.fault_server import FaultServer
from tests.ports import free_port

from paper_search.http.client import HttpClient, HttpSettings
from paper_search.http.errors import HttpError, HttpTimeoutError, HttpUnreachableError, RetryPolicy
from paper_search.http.limits import HostLimiter
from paper_search.http.network import redirect_target


@pytest.fixture
async def server() -> AsyncIterator[FaultServer]:
    async with FaultServer() as faults:
        yield faults


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


async def failure(
    url: str, attempt_timeout_s: float = 20.0, limiter: HostLimiter | None = None
) -> HttpError:
    """Return how a client fails that may ask three times."""
    settings = HttpSettings(
        interval_s=0.0,
        connect_timeout_s=0.25,
        attempt_timeout_s=attempt_timeout_s,
        retry=RetryPolicy(max_retries=2, first_wait_s=0.2),
    )
    async with HttpClient(settings, limiter=limiter or HostLimiter()) as http:
        with pytest.raises(HttpError) as caught:
            await http.ask(url)
    return caught.value


@pytest.mark.parametrize(("is_online", "attempts"), [(True, 3), (False, 2)])
async def test_without_a_network_a_host_is_soon_given_up(attempts, *, is_online):
    """The third attempt would come .3 s or more after the first."""
    limiter = HostLimiter()
    if is_online:
        limiter.note_contact()
    error = await failure(f"http://127.0.0.1:{free_port()}/", limiter=limiter)
    assert isinstance(error, HttpUnreachableError)
    assert error.attempts == attempts
    assert str(error).startswith("127.0.0.1 cannot be reached: ConnectError: ")


async def test_a_connection_that_is_never_made_is_given_up_with_its_time(deaf):
    error = await failure(deaf)
    assert isinstance(error, HttpUnreachableError)
    assert str(error) == "127.0.0.1 cannot be reached within 0.25 s"


async def test_a_connection_gets_its_time_where_there_is_a_network(deaf):
    limiter = HostLimiter()
    limiter.note_contact()
    error = await failure(deaf, attempt_timeout_s=0.3, limiter=limiter)
    assert isinstance(error, HttpTimeoutError)


async def test_an_answer_may_take_longer_than_connecting(server):
    error = await failure(server.url("/slow-headers"), attempt_timeout_s=0.5)
    assert isinstance(error, HttpTimeoutError)


@pytest.mark.parametrize(
    ("method", "status", "to", "leads_to"),
    [
        ("GET", 302, "/b", "https://a.org/b"),
        ("GET", 302, "https://b.org/b", None),
        ("GET", 201, "/b", None),
        ("POST", 302, "/b", None),
    ],
)
def test_only_a_redirect_of_a_read_within_the_origin_leads_somewhere(method, status, to, leads_to):
    request = httpx.Request(method, "https://a.org/a")
    answer = httpx.Response(status, headers={"location": to})
    assert redirect_target(request, answer) == (leads_to and httpx.URL(leads_to))
