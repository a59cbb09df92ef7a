"""A source backed by a web service: paging, limits, failures and the report."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paper_search.errors import ConfigError
from paper_search.http.limits import CallBudget
from paper_search.models import (
    Purpose,
    RankedQuery,
    RawPaper,
    SearchConstraints,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.models.scope import HitCount, Translation
from paper_search.sources.adapter import Adapter, Translated
from paper_search.sources.client import (
    NO_CALLS,
    ServiceClient,
    SourceSettings,
    explain_missing_key,
)
from paper_search.sources.errors import ServiceError
from paper_search.sources.query_run import (
    Pager,
    QueryRun,
    Question,
    distinct_papers,
    failure_of,
    keep_best,
    text_of,
)
from paper_search.sources.translation import (
    WORK_LIMITS,
    not_yet_sent,
    questions_of,
    translate_question,
    translations_of,
    work_of,
)
from paper_search.sources.union import Endings

if TYPE_CHECKING:
    import httpx

    from paper_search.config import AppConfig, SearchSourceConfig

_NOT_ASKED = "not sent because the previous query failed: "
_SPARE_PAGES = 10
"""Requests allowed in addition to four for every page needed."""


def open_source(adapter: Adapter, config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    if adapter.needs_key and not adapter.key:
        raise ConfigError(explain_missing_key(adapter))
    is_rate_given = "rate_limit" in settings.model_fields_set and settings.rate_limit > 0
    return HttpSource(
        adapter,
        SourceSettings.of(
            config,
            interval_s=1 / settings.rate_limit if is_rate_given else None,
            max_calls=settings.max_calls,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Sending:
    """Settings shared by all queries of one call; `ends_at` is a time of the source's clock."""

    filters: SearchConstraints
    endings: Endings
    ends_at: float
    purpose: Purpose
    sent: list[Translated]


class HttpSource:
    """Searches one web service.

    `client`: an open httpx client to use; it is not closed. `clock`: monotonic, in seconds.
    `budget` counts the requests; by default the source has its own.
    """

    def __init__(  # noqa: PLR0913  # what tests replace
        self,
        adapter: Adapter,
        settings: SourceSettings | None = None,
        *,
        client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        budget: CallBudget | None = None,
    ) -> None:
        self.adapter = adapter
        self.settings = settings or SourceSettings()
        self._clock = clock
        self._replaced = {"client": client, "sleep": sleep, "clock": clock}
        self._budget = budget or CallBudget(self.settings.max_calls)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.adapter.name!r})"

    keeps_conditions = True
    is_local = False

    @property
    def source_name(self) -> str:
        return self.adapter.name

    @property
    def ranks_text(self) -> bool:
        return self.adapter.ranks_text

    async def count(self, query: str, filters: SearchConstraints) -> HitCount | None:
        """Return the number of hits of a boolean query; None if the service needs a key.

        It requests the first page, so that a search for the same query finds the answer in the
        cache; without a cache, it requests the smallest page.

        Raises:
            ServiceError: the hits could not be counted.
        """
        if self.adapter.needs_key:  # calls are limited or paid: none before the approval
            return None
        if self.settings.cache_path is None:
            filters = filters.model_copy(update={"max_results": 1})
        answers = await self._ask_all([query], filters, purpose=Purpose.COUNT)
        for answer in answers:
            if answer.error:
                raise answer.error
        if self._budget.is_closed:
            raise self.adapter.failure(NO_CALLS, SourceStatus.EXHAUSTED)
        counts = [answer.hits for answer in answers if answer.hits is not None]
        is_broader = len(answers) > 1 or answers[0].remainder is not None
        return HitCount(
            hits=sum(counts) if len(counts) == len(answers) else None,
            is_at_most=is_broader,
            papers=distinct_papers(answers),
        )

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return the records for one boolean query, best first.

        Options: `max_results` (100), `year_from`, `year_to`, `language` (ISO 639-1),
        `publication_types` (CSL).

        Raises:
            ServiceError: there are no records because of an error. Later errors are only in
                `report`.
        """
        answers = await self._ask_all([query], SearchConstraints.model_validate(options))
        papers, error = distinct_papers(answers), answers[-1].error
        if error and not papers:
            raise error
        return papers

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        answers = await self._ask_strategy(strategy)
        errors = [answer.error for answer in answers if answer.error and not answer.papers]
        if errors and len(errors) == len(answers):
            raise errors[0]
        return distinct_papers(answers)

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        answers = await self._ask_strategy(strategy)
        name, papers = self.source_name, distinct_papers(answers)
        entries = [answer.report(name) for answer in answers]
        if not answers and strategy.works:
            note = f"{self.adapter.title} cannot look up {', '.join(strategy.works)}"
            entries = [SourceReport(source=name, status=SourceStatus.EMPTY, note=note)]
        rows = [row for answer in answers for row in answer.arrivals]
        return SearchReport(papers=papers, sources=entries, arrivals=rows)

    def translations(self, strategy: SearchStrategy) -> list[Translation]:
        refusal = self._refusal
        if refusal is not None:
            return [Translation(source=self.source_name, query="", error=refusal)]
        return translations_of(self.adapter, strategy, self.settings.contact)

    @property
    def _refusal(self) -> str | None:
        if self._budget.is_closed:
            return NO_CALLS
        is_keyless = self.adapter.needs_key and not self.adapter.key
        return explain_missing_key(self.adapter) if is_keyless else None

    async def _ask_strategy(self, strategy: SearchStrategy) -> list[QueryRun]:
        questions = questions_of(strategy, self.adapter)
        return await self._ask_all(questions, strategy.filters, strategy.endings)

    async def _ask_all(
        self,
        queries: Sequence[Question],
        filters: SearchConstraints,
        endings: Endings | None = None,
        purpose: Purpose = Purpose.SEARCH,
    ) -> list[QueryRun]:
        """Send the queries one by one, as the service's rate limits require.

        There is one answer for each translation that was sent.
        """
        if not queries:
            return []
        if self._budget.is_closed:
            return [QueryRun("", notes=(NO_CALLS,))]
        if (refusal := self._refusal) is not None:
            missing = self.adapter.failure(refusal, SourceStatus.UNAUTHORISED)
            return [QueryRun(text_of(query), error=missing) for query in queries]
        ends_at = self._clock() + self.settings.deadline_s
        answers: list[QueryRun] = []
        async with AsyncExitStack() as stack:
            try:
                client = ServiceClient(self.adapter, self.settings, self._budget, **self._replaced)
                http = await stack.enter_async_context(client)
            except ConfigError as error:  # a proxy or certificates that cannot be used
                failed = self.adapter.failure(str(error), SourceStatus.UNREACHABLE)
                return [QueryRun(text_of(query), error=failed) for query in queries]
            sending = _Sending(filters, endings or {}, ends_at, purpose, [])
            for query in queries:
                stopped = answers[-1].error if answers and answers[-1].is_hopeless else None
                if stopped is not None:
                    answers.append(QueryRun(text_of(query), error=self._not_asked(stopped)))
                else:
                    answers += await self._ask(http, query, sending)
        return answers

    async def _ask(self, http: ServiceClient, query: Question, sending: _Sending) -> list[QueryRun]:
        """Send all parts of a query; of a plain question, one after the other until a success."""
        try:
            is_work = work_of(self.adapter, query) is not None
            filters = WORK_LIMITS if is_work else sending.filters
            tries = translate_question(self.adapter, query, filters, sending.endings)
            translations = not_yet_sent(sending.sent, query, tries)
        except Exception as error:  # noqa: BLE001  # an adapter is foreign code; its bug becomes data
            return [QueryRun(text_of(query), error=failure_of(error, self.adapter))]
        is_ranked = isinstance(query, RankedQuery)
        answers: list[QueryRun] = []
        is_search = sending.purpose is Purpose.SEARCH
        purpose = Purpose.WORK if is_work and is_search else sending.purpose
        for translation in translations:
            progress = QueryRun(translation.text, filters=filters, purpose=purpose)
            answers.append(progress)
            if not is_ranked and any(answer.is_hopeless for answer in answers):
                progress.error = next(answer.error for answer in answers if answer.is_hopeless)
                continue
            if is_ranked:  # low ranks are rarely on topic
                per_page = max(self.adapter.page_size, 1)
                progress.pages_wanted = math.ceil(filters.max_results / per_page)
            await self._send(http, translation, progress, sending.ends_at)
            if is_ranked and (progress.known or progress.error):
                break
        keep_best(answers, filters.max_results)
        return answers

    async def _send(
        self, http: ServiceClient, query: Translated, progress: QueryRun, ends_at: float
    ) -> None:
        adapter, filters = self.adapter, progress.filters or SearchConstraints()
        limit = progress.limit = min(filters.max_results, adapter.most_results)
        progress.notes, progress.remainder = query.notes, query.remainder
        progress.language = query.language
        has_cursor = bool(adapter.paging and adapter.paging.cursor)
        pager = Pager(adapter, http, adapter.name, ends_at, self._clock, has_cursor=has_cursor)
        with pager.recording(progress):
            usual = 4 * math.ceil(limit / max(adapter.page_size, 1)) + _SPARE_PAGES
            most = 1 if progress.purpose is Purpose.COUNT else usual
            if limit > 0:
                await pager.collect(progress, adapter.first(query, filters, limit), most)
        if min(progress.hits or 0, filters.max_results) > adapter.most_results:
            progress.notes += (f"returns at most {adapter.most_results:,} records per query",)

    def _not_asked(self, error: ServiceError) -> ServiceError:
        message = _NOT_ASKED + str(error).removeprefix(_NOT_ASKED)
        return self.adapter.failure(message, error.status)
