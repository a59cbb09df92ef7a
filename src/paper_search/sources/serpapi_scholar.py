"""Google Scholar, through SerpApi (https://serpapi.com/google-scholar-api); needs a key."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import ConfigError, InputError, SearchSourceError
from paper_search.http.errors import (
    HttpBodyError,
    HttpCallLimitError,
    HttpError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
)
from paper_search.http.limits import CallBudget
from paper_search.http.redaction import redact
from paper_search.http.retry import RetryPolicy, utc_now
from paper_search.models import (
    RawPaper,
    SearchConstraints,
    SearchReport,
    SearchStrategy,
    Sighting,
    SourceReport,
    SourceStatus,
)
from paper_search.sources.errors import NonRetryableError, RetryableError, SerpAPIError
from paper_search.sources.scholar_query import ScholarQuery, to_scholar
from paper_search.sources.scholar_record import SOURCE, read_result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import httpx

    from paper_search.http.client import HttpClient

__all__ = [
    "NonRetryableError",
    "RetryableError",
    "SearchSourceError",
    "SerpAPIError",
    "SerpAPIScholarSource",
    "create_source",
]

ENDPOINT = "https://serpapi.com/search.json"
KEY_PAGE = "https://serpapi.com/manage-api-key"

_NO_KEY = f"{SOURCE} needs a key: set SERPAPI_API_KEY (you get one at {KEY_PAGE})"
_PAGE_SIZE = 20
_MOST_RESULTS = 1000
"""Scholar shows no more for one query."""
_NO_RESULTS = "hasn't returned any results"
_USED_UP = ("run out of searches", "out of searches", "credit")


def create_source(config: AppConfig, settings: SearchSourceConfig) -> SerpAPIScholarSource:
    """Return the source made from its settings.

    Raises:
        ConfigError: there is no key.
    """
    del config  # the source needs nothing but its own settings
    if not settings.api_key.strip():
        raise ConfigError(_NO_KEY)
    return SerpAPIScholarSource(
        settings.api_key, rate_limit_rps=settings.rate_limit, max_calls=settings.max_calls
    )


@dataclass(slots=True)
class _Asked:
    """What became of one query."""

    sent: str
    notes: tuple[str, ...] = ()
    papers: list[RawPaper] = field(default_factory=list)
    hits: int | None = None
    dropped: int = 0
    pages: int = 0
    attempts: int = 0
    seconds: float = 0.0
    error: SerpAPIError | None = None

    def report(self) -> SourceReport:
        status = SourceStatus.OK if self.papers else SourceStatus.EMPTY
        if self.error:
            status = SourceStatus.PARTIAL if self.papers else self.error.status
        return SourceReport(
            source=SOURCE,
            query=self.sent,
            status=status,
            hits=self.hits,
            kept=len(self.papers),
            dropped=self.dropped,
            pages=self.pages,
            attempts=self.attempts,
            milliseconds=round(self.seconds * 1000),
            error=str(self.error) if self.error else None,
            note="; ".join(self.notes) or None,
        )


class SerpAPIScholarSource:
    """Asks Google Scholar.

    Args:
        api_key: from https://serpapi.com/manage-api-key.
        rate_limit_rps: requests per second, of all sources in this process together.
        max_calls: requests of this object, retries included; None: no limit, 0: none at all.
        timeout_s: for one request.
        max_retries: attempts after a failed first one.
        client: an open httpx client to use; it is not closed.
        endpoint: where SerpApi is.
        sleep: waits for seconds.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # the frozen interface, and what tests inject
        self,
        api_key: str,
        rate_limit_rps: float = 2.0,
        max_calls: int | None = None,
        timeout_s: float = 20.0,
        max_retries: int = 3,
        client: httpx.AsyncClient | None = None,
        *,
        endpoint: str = ENDPOINT,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._api_key = api_key.strip()
        self._interval_s = 1 / rate_limit_rps if rate_limit_rps > 0 else 0.0
        self._budget = CallBudget(max_calls)
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._given_client = client
        self._endpoint = endpoint
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"{type(self).__name__}(endpoint={self._endpoint!r})"

    @property
    def source_name(self) -> str:
        """The name that strategies use."""
        return SOURCE

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return the records for one boolean query, best first.

        Options: `max_results` (100), `year_from`, `year_to`, `language` (ISO 639-1).

        Raises:
            SerpAPIError: the first page could not be got; later ones fail without a word here
                (`report` says it).
        """
        asked = await self._ask(query, SearchConstraints.model_validate(options))
        if asked.error and not asked.papers:
            raise asked.error
        return asked.papers

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        """Return the records for all queries of a strategy, each record once.

        Raises:
            SerpAPIError: no query was answered.
        """
        answers = await self._ask_all(strategy)
        errors = [each.error for each in answers if each.error and not each.papers]
        if errors and len(errors) == len(answers):
            raise errors[0]
        return _distinct(answers)

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Answer as `search_advanced` does, with one entry for every query; failures are data."""
        answers = await self._ask_all(strategy)
        return SearchReport(papers=_distinct(answers), sources=[each.report() for each in answers])

    async def _ask_all(self, strategy: SearchStrategy) -> list[_Asked]:
        return [await self._ask(each.boolean_query, strategy.filters) for each in strategy.queries]

    async def _ask(self, query: str, filters: SearchConstraints) -> _Asked:
        started = time.monotonic()
        used = self._budget.used
        asked = _Asked(query)
        try:
            if not self._api_key:
                raise NonRetryableError(_NO_KEY, status=SourceStatus.UNAUTHORISED)
            scholar = to_scholar(query, year_from=filters.year_from, year_to=filters.year_to)
            asked.sent, asked.notes = scholar.text, scholar.notes
            async with self._http() as http:
                await self._collect(http, scholar, filters, asked)
        except SerpAPIError as error:
            asked.error = error
        except HttpError as error:
            asked.error = self._explained(error)
        except InputError as error:
            asked.error = NonRetryableError(str(error))
        asked.attempts = self._budget.used - used
        asked.seconds = time.monotonic() - started
        return asked

    def _http(self) -> HttpClient:
        from paper_search.http.client import HttpClient, HttpSettings  # noqa: PLC0415  # httpx is slow to import

        settings = HttpSettings(
            interval_s=self._interval_s,
            attempt_timeout_s=self._timeout_s,
            deadline_s=self._timeout_s * (self._max_retries + 1),
            secrets=(self._api_key,),
            retry=RetryPolicy(max_retries=self._max_retries),
        )
        return HttpClient(settings, client=self._given_client, sleep=self._sleep)

    async def _collect(
        self, http: HttpClient, query: ScholarQuery, filters: SearchConstraints, asked: _Asked
    ) -> None:
        """Turn the pages until there is enough, one is empty, or one says nothing new."""
        wanted = min(filters.max_results, _MOST_RESULTS)
        size = min(_PAGE_SIZE, wanted)
        known: set[str] = set()
        for start in range(0, _MOST_RESULTS if wanted > 0 else 0, max(size, 1)):
            answer = await http.get(
                self._endpoint,
                params=self._parameters(query, filters, start, size),
                budget=self._budget,
            )
            page = self._page(answer.json(), asked)
            asked.pages += 1
            records = [record for each in page if (record := read_result(each))]
            asked.dropped += len(page) - len(records)
            fresh = list({r.id: r for r in records if r.id not in known}.values())
            known.update(record.id for record in fresh)
            self._sign(fresh, query, len(asked.papers))
            asked.papers += fresh[: wanted - len(asked.papers)]
            if len(asked.papers) >= wanted or not page or (records and not fresh):
                return

    def _parameters(
        self, query: ScholarQuery, filters: SearchConstraints, start: int, size: int
    ) -> dict[str, str | int]:
        optional = {
            "as_ylo": query.year_from,
            "as_yhi": query.year_to,
            "lr": f"lang_{filters.language.strip().lower()}" if filters.language else None,
        }
        return {
            "engine": "google_scholar",
            "q": query.text,
            "num": size,
            "start": start,
            **{name: value for name, value in optional.items() if value is not None},
            "api_key": self._api_key,
        }

    def _page(self, body: Any, asked: _Asked) -> list[Any]:
        """Return the entries of a page; none for the answer that there are no results."""
        if body is None:
            return []
        if not isinstance(body, dict):
            raise NonRetryableError(f"SerpApi answered with {type(body).__name__}, not an object")
        if "error" in body:
            message = redact(str(body["error"]), (self._api_key,))[:500]
            if _NO_RESULTS in message:
                return []
            raise NonRetryableError(
                f"SerpApi: {message}", status=_status_of(message, SourceStatus.BAD_RESPONSE)
            )
        information = body.get("search_information")
        total = information.get("total_results") if isinstance(information, dict) else None
        if isinstance(total, int) and not isinstance(total, bool) and total >= 0:
            asked.hits = total
        entries = body.get("organic_results")
        return entries if isinstance(entries, list) else []

    def _sign(self, papers: list[RawPaper], query: ScholarQuery, before: int) -> None:
        seen_at = utc_now().isoformat()
        for rank, paper in enumerate(papers, start=before + 1):
            paper.sightings = [
                Sighting(source=SOURCE, query=query.text, rank=rank, seen_at=seen_at)
            ]

    def _explained(self, error: HttpError) -> SerpAPIError:
        """Return the error in this source's words: what happened, and what to do."""
        kind: type[SerpAPIError]
        match error:
            case HttpCallLimitError():
                kind, status = NonRetryableError, SourceStatus.EXHAUSTED
                message = "the calls allowed to SerpApi are used up (SERPAPI_MAX_CALLS)"
            case HttpStatusError(status=401 | 403):
                kind, status = NonRetryableError, SourceStatus.UNAUTHORISED
                message = (
                    f"SerpApi refused the key (HTTP {error.status}):"
                    f" check SERPAPI_API_KEY, see {KEY_PAGE}"
                )
            case HttpStatusError():
                return self._explained_status(error)
            case HttpTimeoutError():
                kind, status = RetryableError, SourceStatus.TIMEOUT
                message = f"SerpApi took too long: {error}"
            case HttpUnreachableError():
                kind, status = RetryableError, SourceStatus.UNREACHABLE
                message = f"SerpApi: {error}"
            case _:
                is_cut_off = isinstance(error, HttpBodyError) and error.is_cut_off
                kind = RetryableError if is_cut_off else NonRetryableError
                status = SourceStatus.BAD_RESPONSE
                message = f"SerpApi: {error}"
        return kind(message, status=status, attempts=error.attempts)

    def _explained_status(self, error: HttpStatusError) -> SerpAPIError:
        said = redact(error.body, (self._api_key,))[:500]
        message = f"SerpApi answered with HTTP {error.status}" + (f": {said}" if said else "")
        if error.status == 429:  # noqa: PLR2004  # Too Many Requests
            is_long = (error.retry_after or 0) > self._timeout_s * (self._max_retries + 1)
            fallback = SourceStatus.EXHAUSTED if is_long else SourceStatus.RATE_LIMITED
            return RetryableError(
                message, status=_status_of(said, fallback), attempts=error.attempts
            )
        is_later = error.status >= 500  # noqa: PLR2004  # server errors
        kind = RetryableError if is_later else NonRetryableError
        return kind(message, status=SourceStatus.BAD_RESPONSE, attempts=error.attempts)


def _status_of(message: str, fallback: SourceStatus) -> SourceStatus:
    is_used_up = any(sign in message.lower() for sign in _USED_UP)
    if "api key" in message.lower():
        return SourceStatus.UNAUTHORISED
    return SourceStatus.EXHAUSTED if is_used_up else fallback


def _distinct(answers: list[_Asked]) -> list[RawPaper]:
    """Return each record once, where it was seen by every query that found it."""
    found: dict[str, RawPaper] = {}
    for paper in (paper for each in answers for paper in each.papers):
        first = found.setdefault(paper.id, paper)
        if first is not paper:
            first.sightings = [*first.sightings, *paper.sightings]
    return list(found.values())
