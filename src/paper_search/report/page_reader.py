"""The role that reads what was found: pages, and papers that are open to everybody, as text."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

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
"""Documents that are fetched at the same time; of one host never more than one."""

_TELLING, _LOOKED_AT = 6, 40
"""Words that tell a place of a text, and those of a page that may be the first of them."""

OpensFetcher = Callable[[], AbstractAsyncContextManager[PageFetcher]]


@dataclass
class PageReader:
    """Adds to sources the text that stands behind their addresses.

    What is fetched: the page of a result of web or news, and of a paper the address that a service
    gave as open to everybody. What a host shows instead (a log-in page, a paywall, an error,
    another paper) is not taken for the text, and each failure is told. Nothing is fetched that
    cannot be read, for want of libraries.
    """

    open_fetcher: OpensFetcher = PageFetcher
    missing: Callable[[], list[str]] = missing_libraries

    async def add_texts(self, results: list[SearchResult], limit: int) -> PagesRead:
        """Return the sources with what could be read, in their order.

        At most `limit` addresses are asked, the most relevant sources first.
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
        host = urlsplit(url).hostname or "an address without a host"
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
            changes["note"] = f"Retracted, says its page: {source.title[:100]}"
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
    """Return where the text of a source may be fetched; empty: nowhere."""
    if result.is_retracted:
        return ""
    if result.metadata.get("source_type") in {"web", "news"}:
        return result.source_url
    return str(result.metadata.get("open_text_url") or "")


def _instead(result: SearchResult, document: Document, text: DocumentText) -> str | None:
    """Return what a document is instead of the text that was wanted; None if it is the text."""
    is_paper = result.metadata.get("source_type") not in {"web", "news"}
    is_other = is_paper and not is_about(result.title, text.text, text.title)
    obstacle = placeholder_of(text.text, text.title, document.url)
    return obstacle or ("something else than the paper" if is_other else None)


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
    """Return where each page of a PDF begins in its text; None: that cannot be told.

    Known by the first words of the page that stand there: where a word is divided between two
    pages, or a paragraph was left out, by later ones.
    """
    words = [(match[0].casefold(), match.start()) for match in WORD.finditer(text)]
    names, starts, place = [word for word, _ in words], list[int | None](), 0
    for page in pages:
        own = WORD.findall(page.casefold())
        at = next(
            (
                at
                for first in range(min(_LOOKED_AT, len(own)))
                for at in range(place, len(names))
                if (beginning := own[first : first + _TELLING])
                and (first == 0 or len(beginning) == _TELLING)
                and names[at : at + len(beginning)] == beginning
            ),
            None,
        )
        starts.append(None if at is None else words[at][1])
        place = place if at is None else at + 1
    while starts and starts[-1] is None:  # references, and what a text is too long for
        starts.pop()
    return [*starts, *[len(text)] * (len(pages) - len(starts))] if starts else []


def _without(before: Sequence[str], paragraphs: Sequence[str]) -> list[str]:
    head = " ".join(before).casefold()
    return [part for part in paragraphs if part and part.casefold() not in head]
