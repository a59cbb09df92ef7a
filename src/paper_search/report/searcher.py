"""The role that carries out the queries of a plan and gives every source in one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from paper_search.models import SourceReport
from paper_search.report.exchange import SearcherInput, SearcherOutput
from paper_search.report.models import SearchQuery, SearchResult, SearchType
from paper_search.report.query_plan import weaker

WEAK = 3
"""A query that brought fewer sources is asked again in broader words."""


@dataclass
class KindAnswer:
    results: list[SearchResult] = field(default_factory=list)
    """Each with the id of the query that brought it first."""
    hits: dict[str, int] = field(default_factory=dict)
    """Query id to how many sources it brought, those known already included."""
    failures: dict[str, str] = field(default_factory=dict)
    """Query id to the reason, for queries that could not be asked at all."""
    notes: list[str] = field(default_factory=list)
    """What a reader should know: a service that failed while others answered."""
    runs: dict[str, list[SourceReport]] = field(default_factory=dict)
    """Query id to its rows of the journal."""


class FindsSources(Protocol):
    async def find(
        self, queries: Sequence[SearchQuery], request: SearcherInput, before: Sequence[SearchResult]
    ) -> KindAnswer:
        """Return what the queries find; a service that fails is data, not an exception."""
        ...


class ReportSearcher:
    def __init__(self, kinds: Mapping[SearchType, FindsSources]) -> None:
        self._kinds = dict(kinds)

    @property
    def search_types(self) -> list[SearchType]:
        return list(self._kinds)

    async def collect(
        self, request: SearcherInput, before: Sequence[SearchResult] = ()
    ) -> SearcherOutput:
        """Return the sources that the queries bring, without those that are known.

        A query that brings fewer than three gets a broader one, pending, to be asked next; one
        whose kind of search is not there, or fails, is failed with the reason.
        """
        collected: list[SearchResult] = []
        outcomes: list[SearchQuery] = []
        errors: list[str] = []
        notes: list[str] = []
        for kind in dict.fromkeys(query.search_type for query in request.search_queries):
            queries = [query for query in request.search_queries if query.search_type == kind]
            adapter = self._kinds.get(kind)
            if adapter is None:
                outcomes += [query.model_copy(update={"status": "failed"}) for query in queries]
                errors.append(f"there is no {kind} search; {len(queries)} queries were not asked")
                continue
            answer = await adapter.find(queries, request, [*before, *collected])
            collected += answer.results
            notes += dict.fromkeys(answer.notes)
            errors += [
                f"{kind} search: {reason}" for reason in dict.fromkeys(answer.failures.values())
            ]
            outcomes += [_with_outcome(query, answer) for query in queries]
        return SearcherOutput(
            search_results=collected,
            queries_completed=sum(query.status == "completed" for query in outcomes),
            queries_failed=sum(query.status == "failed" for query in outcomes),
            coverage_report={query.query_text: query.found for query in outcomes},
            queries=[*outcomes, *_broader_queries(outcomes)],
            errors=errors,
            notes=notes,
        )


def _with_outcome(query: SearchQuery, answer: KindAnswer) -> SearchQuery:
    status = "failed" if query.query_id in answer.failures else "completed"
    return query.model_copy(
        update={
            "status": status,
            "found": answer.hits.get(query.query_id, 0),
            "runs": list(answer.runs.get(query.query_id, ())),
        }
    )


def journal_rows(
    reports: Iterable[SourceReport], query: str, sent_at: datetime
) -> list[SourceReport]:
    """Return what sources did, with query and time also where a source does not say them."""
    usual = {"query": query, "asked_at": sent_at.isoformat()}
    return [
        row.model_copy(update={name: getattr(row, name) or value for name, value in usual.items()})
        for row in reports
    ]


def _broader_queries(queries: Sequence[SearchQuery]) -> list[SearchQuery]:
    texts = {(query.query_text.casefold(), query.search_type) for query in queries}
    broader = []
    for query in queries:
        is_weak = query.status == "completed" and query.found < WEAK and query.reformulates is None
        other = weaker(query) if is_weak else None
        if other is not None and (other.query_text.casefold(), other.search_type) not in texts:
            texts.add((other.query_text.casefold(), other.search_type))
            broader.append(other)
    return broader
