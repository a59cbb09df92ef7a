"""Fetch documents from public hosts, one at a time, within limits and as robots.txt allows."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote

import httpx

from paper_search.http.body import HttpAnswer
from paper_search.http.client import HttpClient
from paper_search.http.errors import HttpError, HttpStatusError, RetryPolicy
from paper_search.http.limits import HostLimiter
from paper_search.http.network import trusted_certificates
from paper_search.http.request import HttpSettings
from paper_search.models.source_report import RequestRecord
from paper_search.pages.network import (
    ACCEPTED_TYPES,
    GuardedNetwork,
    PageContentError,
    PageError,
    PagePolicy,
    PageRefusedError,
    Resolves,
    check_url,
    system_addresses,
)

AGENT = "paper-search"
_ACCEPT = "text/html, application/xhtml+xml, application/pdf;q=0.9, text/plain;q=0.5"
_PDF = b"%PDF-"
_SERVER_ERROR = 500
_MOST_BYTES = 500_000
_MOST_RULES = 5000
"""Rules that are read from a robots.txt."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a robots.txt (RFC 9309)."""

    path: str
    is_allowed: bool


_NOBODY = [Rule("/", is_allowed=False)]


@dataclass(frozen=True, slots=True)
class Document:
    """A fetched document.

    `url`: after redirects. `kind`: html, pdf or text. `charset`: from the server, may be empty.
    """

    url: str
    kind: str
    charset: str
    content: bytes


@dataclass(eq=False)
class PageFetcher:
    """Fetches pages and PDFs; an async context manager.

    It sends no cookies, keys or names of people, ignores proxies in the environment, and uses each
    connection once, so that another host at the same address is verified again.

    `contact`: an e-mail address for the User-Agent. `cache_path`: None disables the cache.
    `resolve`: returns the addresses of a host. `network`: default: the real one. `limiter`:
    default: that of the process.
    """

    policy: PagePolicy = field(default_factory=PagePolicy)
    _: KW_ONLY
    contact: str | None = None
    cache_path: Path | None = None
    resolve: Resolves = system_addresses
    network: httpx.AsyncBaseTransport | None = None
    limiter: HostLimiter | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack, init=False)
    _http: HttpClient | None = field(default=None, init=False)
    _rules: dict[str, list[Rule]] = field(default_factory=dict, init=False)

    async def __aenter__(self) -> Self:
        network = self.network or httpx.AsyncHTTPTransport(
            verify=trusted_certificates(),
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )
        guarded = GuardedNetwork(self.policy, network, self.resolve)
        client = httpx.AsyncClient(transport=guarded, trust_env=False, follow_redirects=False)
        http = HttpClient(
            HttpSettings(
                interval_s=self.policy.interval_s,
                attempt_timeout_s=self.policy.total_s,
                deadline_s=self.policy.total_s,
                max_bytes=self.policy.max_bytes,
                max_redirects=0,
                retry=RetryPolicy(max_retries=1),
            ),
            client=await self._stack.enter_async_context(client),
            contact=self.contact,
            limiter=self.limiter,
            cache_path=self.cache_path,
            sleep=self.sleep,
        )
        self._http = await self._stack.enter_async_context(http)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._http = None
        await self._stack.aclose()

    async def fetch(self, url: str, requests: list[RequestRecord] | None = None) -> Document:
        """Return the document at a URL, after redirects within the limit.

        `requests` gets a record of each request, including those for robots.txt.

        Raises:
            PageRefusedError: an address is not public, or robots.txt disallows the page.
            PageContentError: it is neither a page, a PDF nor text.
            HttpError: the host failed, or did not answer in time.
        """
        ends_at = time.monotonic() + self.policy.total_s
        target, records = check_url(url, self.policy), [] if requests is None else requests
        answer = await self._answer(target, ends_at, records, is_heeding=True)
        kind = ACCEPTED_TYPES.get(answer.content_type)
        if answer.content.lstrip()[:5] == _PDF:
            kind = "pdf"  # whatever the server calls it
        if kind is None or (kind == "pdf" and answer.content.lstrip()[:5] != _PDF):
            host = httpx.URL(answer.url).host
            raise PageContentError(f"{host} returned neither a page nor a PDF")
        return Document(answer.url, kind, answer.charset, answer.content)

    async def _answer(
        self, url: httpx.URL, ends_at: float, requests: list[RequestRecord], *, is_heeding: bool
    ) -> HttpAnswer:
        if self._http is None:
            raise RuntimeError("use a PageFetcher inside `async with`")
        for _ in range(self.policy.redirects + 1):
            if is_heeding and not may_read(await self._robots(url, ends_at, requests), _path(url)):
                raise PageRefusedError(f"the robots.txt of {url.host} disallows this page")
            records: list[RequestRecord] = []
            try:
                return await self._http.ask(
                    str(url),
                    headers={"Accept": _ACCEPT, "Connection": "close"},
                    requests=records,
                    ends_at=ends_at,
                )
            except HttpStatusError as error:
                if error.location is None:
                    raise
                target = error.location
            finally:
                requests += [one.model_copy(update={"text": str(url)}) for one in records]
            try:
                url = check_url(str(url.join(target)), self.policy)
            except httpx.InvalidURL:
                raise PageRefusedError(f"{url.host} redirects to no URL") from None
        raise PageContentError(f"{url.host} redirects more than {self.policy.redirects} times")

    async def _robots(
        self, url: httpx.URL, ends_at: float, requests: list[RequestRecord]
    ) -> list[Rule]:
        """Return the rules of a host, requested once; [] without any (RFC 9309, 2.3.1)."""
        origin = str(url.copy_with(raw_path=b"/robots.txt"))
        if origin not in self._rules:
            try:
                address = check_url(origin, self.policy)
                answer = await self._answer(address, ends_at, requests, is_heeding=False)
                rules = parse_robots(answer.content, AGENT)
            except HttpStatusError as error:
                rules = _NOBODY if error.status >= _SERVER_ERROR else []
            except PageRefusedError:
                raise
            except PageError:
                rules = []
            except HttpError as error:
                raise error from None  # a host that does not answer here does not answer elsewhere
            self._rules[origin] = rules
        return self._rules[origin]


def _path(url: httpx.URL) -> str:
    return url.raw_path.decode("ascii", "replace")


def parse_robots(content: bytes, agent: str) -> list[Rule]:
    """Return the rules of the agent's own groups, else those for all agents."""
    groups: dict[str, list[Rule]] = {}
    agents: list[str] = []
    has_rules = False
    for line in content[:_MOST_BYTES].decode("utf-8-sig", "replace").splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            agents = [] if has_rules else agents
            has_rules = False
            agents.append(value.split("/")[0].strip().lower())
            groups.setdefault(agents[-1], [])
        elif field in {"allow", "disallow"}:
            has_rules = True
            for name in agents if value else []:
                groups[name].append(Rule(_plain(value), field == "allow"))
    return groups.get(agent.lower(), groups.get("*", []))[:_MOST_RULES]


def may_read(rules: list[Rule], path: str) -> bool:
    """Whether a path, with its query, may be fetched: the longest matching rule decides."""
    target = _plain(path)
    matching = [rule for rule in rules if _matches(rule.path, target)]
    best = max(matching, key=lambda rule: (len(rule.path), rule.is_allowed), default=None)
    return best is None or best.is_allowed


def _matches(pattern: str, path: str) -> bool:
    """Whether a path begins with a pattern; `*` matches anything, a final `$` the end.

    Pieces between stars are searched from left to right, which takes at most the length of the
    pattern times that of the path.
    """
    is_whole = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not rest:
        return not is_whole or at == len(path)
    for piece in rest[:-1]:
        place = path.find(piece, at)
        if place < 0:
            return False
        at = place + len(piece)
    if is_whole:
        return len(path) - len(rest[-1]) >= at and path.endswith(rest[-1])
    return path.find(rest[-1], at) >= 0


def _plain(path: str) -> str:
    return quote(unquote(path, errors="replace"), safe="/?&=*$:@!,;~+'()[]")
