"""Google Scholar, through SerpApi (https://serpapi.com/google-scholar-api); needs a key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import ConfigError, SearchSourceError
from paper_search.http.redaction import redact
from paper_search.models import SourceStatus
from paper_search.sources.adapter import Paging, RefusalSign
from paper_search.sources.client import SourceSettings, explain_missing_key
from paper_search.sources.errors import NonRetryableError, RetryableError, SerpAPIError
from paper_search.sources.http_source import HttpSource
from paper_search.sources.scholar import SOURCE, GoogleScholar, read_result

if TYPE_CHECKING:
    import httpx


__all__ = [
    "NonRetryableError", "RetryableError", "ScholarAdapter", "SearchSourceError", "SerpAPIError",
    "SerpAPIScholarSource",
]  # fmt: skip

ENDPOINT = "https://serpapi.com/search.json"
USUAL_CALLS = 20
"""Default of SERPAPI_MAX_CALLS, for one run: a free plan has 250 requests a month."""
ACCOUNT_PAGE = "https://serpapi.com/account"


class ScholarAdapter(GoogleScholar):
    name = SOURCE
    title = "Google Scholar by SerpApi"
    needs_key = True
    key_variable = "SERPAPI_API_KEY"
    key_page = "https://serpapi.com/manage-api-key"
    concurrency = 4
    endpoint = ENDPOINT

    key_param = "api_key"
    hits: ClassVar[str] = "search_information.total_results"
    paging: ClassVar[Paging | None] = Paging("start", size="num", more="serpapi_pagination.next")
    usual_params: ClassVar[Mapping[str, str | int]] = {"engine": "google_scholar", "start": 0}
    record = staticmethod(read_result)
    refusals = (
        RefusalSign(SourceStatus.UNAUTHORISED, "api key"),
        *(
            RefusalSign(SourceStatus.EXHAUSTED, text, advice=f"see what is left at {ACCOUNT_PAGE}")
            for text in ("out of searches", "credit")
        ),
    )

    @classmethod
    def source(cls, config: AppConfig, settings: SearchSourceConfig) -> SerpAPIScholarSource:
        if not settings.api_key.strip():
            raise ConfigError(explain_missing_key(cls()))
        return SerpAPIScholarSource(
            settings.api_key,
            rate_limit_rps=settings.rate_limit,
            max_calls=settings.max_calls if settings.max_calls is not None else USUAL_CALLS,
            settings=SourceSettings.of(config, contact=None),
        )

    def failure(
        self, message: str, status: SourceStatus, *, is_temporary: bool = False
    ) -> SerpAPIError:
        kind = RetryableError if is_temporary else NonRetryableError
        return kind(message, status=status)

    def entries_of(self, body: Any) -> list[Any]:
        """Return the entries of a page; SerpApi reports "no results" as an error."""
        if not isinstance(body, dict) or not body:
            raise NonRetryableError(f"SerpApi answered with {str(body)[:20]}, not with results")
        if "error" in body:
            message = redact(str(body["error"]), (self.key,))[:500]
            if "hasn't returned any results" in message:
                return []
            sign = self.sign_in(message)
            status = sign.status if sign else SourceStatus.BAD_RESPONSE
            raise NonRetryableError(f"SerpApi: {message}", status=status)
        entries = body.get("organic_results")
        return entries if isinstance(entries, list) else []


class SerpAPIScholarSource(HttpSource):
    """Searches Google Scholar through SerpApi.

    `rate_limit_rps` is for all sources of the process; `max_calls` for this object with retries
    (None for no limit); `timeout_s` for one request. A given client is not closed.
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
        settings: SourceSettings | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(
            ScholarAdapter(api_key, endpoint=endpoint),
            replace(
                settings or SourceSettings(),
                interval_s=1 / rate_limit_rps if rate_limit_rps > 0 else 0.0,
                max_calls=max_calls,
                timeout_s=timeout_s,
                max_retries=max_retries,
            ),
            client=client,
            sleep=sleep,
        )
