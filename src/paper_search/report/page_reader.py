"""Read the full texts of pages and open papers."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from paper_search.bibliography.identifiers import host_of
from paper_search.bibliography.text import WORD
from paper_search.errors import PaperSearchError
from paper_search.http.errors import HttpTimeoutError, HttpUnreachableError
from paper_search.models import SourceReport, SourceStatus
from paper_search.models.source_report import Purpose
from paper_search.pages.extraction import (
    INSTALL,
    DocumentText,
    document_text,
    is_about,
    is_withdrawn,
    missing_libraries,
    placeholder_of,
)
from paper_search.pages.fetching import Document, PageFetcher
from paper_search.pages.network import PagePolicy
from paper_search.report.evidence import MAX_TEXT_CHARS
from paper_search.report.models import PagesRead, SearchResult, now
from paper_search.skills.untrusted import is_suspicious, shown_to_model

AT_ONCE = 3
"""Documents fetched at the same time, at most one per host."""

_PHRASE, _MOST_STARTS = 6, 40
"""Words that identify a place in a text, and words of a page at which the phrase may start."""

OpensFetcher = Callable[[], AbstractAsyncContextManager[PageFetcher]]


@dataclass
class PageReader:
    """Adds full texts to sources.

    It fetches web and news pages, and papers at URLs that a service states to be open. Log-in
    pages, paywalls, errors and other papers are not used as the text, and each failure is noted.
    Without the libraries to read documents, nothing is fetched.
    """

    open_fetcher: OpensFetcher = PageFetcher
    missing: Callable[[], list[str]] = missing_libraries

    async def add_texts(self, results: list[SearchResult], limit: int) -> PagesRead:
        """Return the sources, in order, with the texts that could be read.

        At most `limit` URLs are fetched, the most relevant sources first.
        """
        with_address = [source for source in results if address_of(source)]
        with_address.sort(key=lambda source: -source.relevance_score)
        first = with_address[: max(limit, 0)]
        if not first:
            return PagesRead(results=results)
        if missing := await asyncio.to_thread(self.missing):  # looks for files
            note = f"No page is read without {' and '.join(missing)}: {INSTALL}"
            return PagesRead(results=results, notes=[note])
        slots = asyncio.Semaphore(AT_ONCE)
        async with self.open_fetcher() as fetcher:
            pages = await asyncio.gather(*(self._page(fetcher, one, slots) for one in first))
        by_id = {source.result_id: source for source, _ in pages}
        return PagesRead(
            results=[by_id.get(source.result_id, source) for source in results],
            rows=[row for _, row in pages],
            notes=list(filter(None, (row.error or row.note for _, row in pages))),
        )

    async def _page(
        self, fetcher: PageFetcher, source: SearchResult, slots: asyncio.Semaphore
    ) -> tuple[SearchResult, SourceReport]:
        url = address_of(source)
        host = host_of(url) or "an address without a host"
        row = SourceReport(
            source=host, purpose=Purpose.PAGE, query=url, limit=1, status=SourceStatus.OK
        )
        changes: dict[str, Any] = {"kept": 1}
        async with slots:
            row.asked_at = now().isoformat()
            try:
                document = await fetcher.fetch(url, row.requests)
                text = await document_text(document, PagePolicy())
            except PaperSearchError as error:
                failure = {"status": status_of_page(error), "error": f"Not read, {host}: {error}"}
                return source, row.model_copy(update=failure)
        if is_withdrawn(text.title, text.text):
            metadata = {**source.metadata, "is_retracted": True}
            source = source.model_copy(update={"metadata": metadata})
            changes["note"] = f"Retracted according to its page: {source.title[:100]}"
        elif (instead := _instead(source, document, text)) is not None:
            changes = {"excluded": 1, "note": f"Not read, {host}: it shows {instead}"}
        else:
            source = _with_text(source, document, text)
        return source, row.model_copy(update=changes)


def status_of_page(error: PaperSearchError) -> SourceStatus:
    if isinstance(error, HttpTimeoutError):
        return SourceStatus.TIMEOUT
    is_away = isinstance(error, HttpUnreachableError)
    return SourceStatus.UNREACHABLE if is_away else SourceStatus.BAD_RESPONSE


def address_of(result: SearchResult) -> str:
    """Return the URL of a source's text, or an empty string if it must not be fetched."""
    if result.is_retracted:
        return ""
    if result.metadata.get("source_type") in {"web", "news"}:
        return result.source_url
    return str(result.metadata.get("open_text_url") or "")


def _instead(result: SearchResult, document: Document, text: DocumentText) -> str | None:
    """Describe a document that is not the text; None if it is."""
    is_paper = result.metadata.get("source_type") not in {"web", "news"}
    is_other = is_paper and not is_about(result.title, text.text, text.title)
    obstacle = placeholder_of(text.text, text.title, document.url)
    return obstacle or ("something other than the paper" if is_other else None)


def _with_text(result: SearchResult, document: Document, text: DocumentText) -> SearchResult:
    is_paper = result.metadata.get("source_type") not in {"web", "news"}
    before = [result.full_content] if is_paper and result.full_content else []
    cleaned = [shown_to_model(part, MAX_TEXT_CHARS) or "" for part in text.text.split("\n\n")]
    whole = "\n\n".join([*before, *_without(before, cleaned)])
    start = whole[:MAX_TEXT_CHARS]
    metadata = {
        **result.metadata,
        "text_is": document.kind,
        "text_url": document.url,
        "text_sha256": hashlib.sha256(document.content).hexdigest(),
        "text_fetched_at": now().isoformat(),
        "page_starts": _page_starts(start, text.page_texts),
        "text_is_cut": len(start) < len(whole)
        or (text.pages or 0) > (text.pages_read or text.pages or 0),
        "is_suspicious": bool(result.metadata.get("is_suspicious"))
        or is_suspicious(text.title, *text.text.split("\n\n")),
    }
    return result.model_copy(update={"full_content": start, "metadata": metadata})


def _page_starts(text: str, pages: Sequence[str]) -> list[int | None]:
    """Return the offset of each page of a PDF in its text, or None if it is unknown.

    A page is located by its first words, or by later ones if a word is split between two pages or
    a paragraph was left out.
    """
    words = [(match[0].casefold(), match.start()) for match in WORD.finditer(text)]
    names, starts, place = [word for word, _ in words], list[int | None](), 0
    for page in pages:
        own = WORD.findall(page.casefold())
        at = next(
            (
                at
                for first in range(min(_MOST_STARTS, len(own)))
                for at in range(place, len(names))
                if (beginning := own[first : first + _PHRASE])
                and (first == 0 or len(beginning) == _PHRASE)
                and names[at : at + len(beginning)] == beginning
            ),
            None,
        )
        starts.append(None if at is None else words[at][1])
        place = place if at is None else at + 1
    while starts and starts[-1] is None:  # references, and pages beyond the length limit
        starts.pop()
    return [*starts, *[len(text)] * (len(pages) - len(starts))] if starts else []


def _without(before: Sequence[str], paragraphs: Sequence[str]) -> list[str]:
    head = " ".join(before).casefold()
    return [part for part in paragraphs if part and part.casefold() not in head]
