"""Open-access texts of works: where they are, and fetching their PDFs."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from paper_search.bibliography.identifiers import host_of
from paper_search.config import AppConfig
from paper_search.http.errors import HttpError
from paper_search.models import Paper, Purpose, RawPaper, SourceReport, SourceStatus
from paper_search.models.source_report import quantity
from paper_search.pages.extraction import document_text
from paper_search.pages.fetching import Document, PageFetcher
from paper_search.pages.network import PageContentError
from paper_search.report.page_reader import status_of_page
from paper_search.skills.gap_filler import is_same_work, look_up
from paper_search.sources.enrichment import (
    TEXT_SERVICES,
    Enricher,
    LookUp,
    create_enrichers,
    in_batches,
    title_of,
)
from paper_search.sources.record import OTHER_TEXTS

TEXT_ROWS = "full_text_rows"
"""Where the record store has a row for each look-up and each address, by time."""
_BATCH = 20
"""Works of one look-up; even a service that takes one work per request has time for them."""
_DEADLINE_S = 30.0
_BEGINNING = 2_000
"""Bytes in which a web page has its first tag."""


def text_services(config: AppConfig) -> list[Enricher]:
    """Return the services that know open-access texts, configured by the settings."""
    own = {"enrichers": list(TEXT_SERVICES), "enrich_max_calls": 2 * _BATCH}
    return create_enrichers(config.model_copy(update=own))


def addresses_of(paper: Paper) -> Sequence[str]:
    """Return addresses of a work's open-access text, the most certain first."""
    arxiv = f"https://arxiv.org/pdf/{paper.arxiv_id}" if paper.arxiv_id else None
    return list(dict.fromkeys(filter(None, (paper.full_text_url, arxiv))))


@dataclass
class Retrieval:
    """The attempt to retrieve the text of a work.

    Attributes:
        work: without an address.
        content: the PDF, if retrieved.
        address: where it was fetched.
        service: that named the address; empty: the record did.
        problems: why it was not retrieved, by address or service.
    """

    work: RawPaper
    content: bytes = b""
    address: str = ""
    service: str = ""
    problems: dict[str, str] = field(default_factory=dict)


@dataclass
class OpenTexts:
    """Seeks open-access texts of works: at addresses in their records, then in services.

    Services are asked one after the other for what is still missing. `note` stores a row for each
    look-up and each address.
    """

    fetcher: PageFetcher
    services: Sequence[Enricher]
    note: Callable[[SourceReport], Awaitable[None]]

    async def retrievals(self, papers: Sequence[Paper]) -> AsyncIterator[Retrieval]:
        """Yield each text as soon as it is retrieved, and finally the works without one."""
        missing = []
        for paper in papers:
            fields = {**paper.set_fields(), "full_text_url": None}
            one = Retrieval(RawPaper.model_validate(fields))
            if await self._retrieve(one, addresses_of(paper)):
                yield one
            else:
                missing.append(one)
        for service in self.services:
            for batch in in_batches(missing, _BATCH):
                answer = await self._answer(service, [one.work for one in batch])
                for one in batch:
                    one.service = title_of(service.enricher_name)
                    if await self._retrieve(one, _addresses(one, answer)):
                        yield one
            missing = [one for one in missing if not one.content]
        for one in missing:
            yield one

    async def _answer(self, service: Enricher, works: Sequence[RawPaper]) -> LookUp:
        answer = await look_up(service, works, _DEADLINE_S)
        query = answer.report.query and f"open texts of {quantity(len(works), 'work')}"
        own = {"source": service.enricher_name, "purpose": Purpose.FULL_TEXT, "query": query}
        await self.note(answer.report.model_copy(update=own))
        return answer

    async def _retrieve(self, one: Retrieval, addresses: Iterable[str]) -> bool:
        for address in addresses:
            row = SourceReport(
                source=host_of(address) or "an address without a host",
                purpose=Purpose.FULL_TEXT,
                query=address,
                status=SourceStatus.EMPTY,
                asked_at=datetime.now(UTC).isoformat(),
            )
            try:
                document = await self.fetcher.fetch(address, row.requests)
                if document.kind != "pdf":
                    raise PageContentError(f"{address} is a page, not a PDF")
                await check_pdf(document.content)
            except HttpError as error:
                one.problems[address] = row.error = str(error)
                row.status = status_of_page(error)
            else:
                one.content, one.address = document.content, address
                row.status = SourceStatus.OK
                break
            finally:
                await self.note(row)
        return bool(one.content)


def _addresses(one: Retrieval, answer: LookUp) -> Sequence[str]:
    """Return the addresses that only this service names; if there are none, note the problem."""
    records = [r for r in answer.records.get(one.work.id, ()) if is_same_work(one.work, r)]
    urls = [url for r in records for url in (r.full_text_url, *r.raw_data.get(OTHER_TEXTS, ()))]
    addresses = [url for url in dict.fromkeys(urls) if url and url not in one.problems]
    if not addresses:
        report, other = answer.report, "other " if any(urls) else ""
        if one.work.id in answer.answered:
            problem = f"{one.service} knows no {other}open text"
        elif report.error:  # a failure does not mean that there is no text
            problem = f"{one.service} did not answer ({report.status.value.replace('_', ' ')})"
        else:
            problem = report.note or f"{one.service} accepts none of its identifiers"
        one.problems[one.service] = problem
    return addresses


async def check_pdf(content: bytes) -> None:
    if not content.lstrip().startswith(b"%PDF-"):
        is_page = b"<html" in content[:_BEGINNING].lower()
        what = "it is a web page (HTML), not a PDF" if is_page else "it is not a PDF"
        raise PageContentError(what if content else "it is empty")
    await document_text(Document("", "pdf", "", content))
