"""The role that reads what was found: pages, and papers that are open to everybody, as text."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from urllib.parse import urlsplit

from paper_search.errors import PaperSearchError
from paper_search.pages.extraction import (
    INSTALL,
    DocumentText,
    document_text,
    is_about,
    is_withdrawn,
    missing_libraries,
    shown_instead,
)
from paper_search.pages.fetching import Document, PageFetcher
from paper_search.pages.policy import PagePolicy
from paper_search.report.evidence import MAX_TEXT_CHARS
from paper_search.report.models import SearchResult, now
from paper_search.skills.untrusted import is_suspicious, shown_to_model

AT_ONCE = 3
"""Documents that are fetched at the same time; of one host never more than one."""


OpensFetcher = Callable[[], AbstractAsyncContextManager[PageFetcher]]


class PageReader:
    """Adds to sources the text that stands behind their addresses.

    What is fetched: the page of a result of web or news, and of a paper the address that a service
    gave as open to everybody. What a host shows instead (a log-in page, a paywall, an error,
    another paper) is not taken for the text, and each failure is told. Nothing is fetched that
    cannot be read, for want of libraries.
    """

    def __init__(
        self,
        open_fetcher: OpensFetcher = PageFetcher,
        missing: Callable[[], list[str]] = missing_libraries,
    ) -> None:
        self._open_fetcher = open_fetcher
        self._missing = missing

    async def read(
        self, results: list[SearchResult], limit: int
    ) -> tuple[list[SearchResult], int, list[str]]:
        """Return the sources with what could be read, how many were fetched, and what failed.

        At most `limit` addresses are asked, the most relevant sources first; the order is kept.
        """
        wanted = [source for source in results if address_of(source)]
        wanted.sort(key=lambda source: -source.relevance_score)
        chosen = wanted[: max(limit, 0)]
        if not chosen:
            return results, 0, []
        if missing := await asyncio.to_thread(self._missing):  # looks for files
            return results, 0, [f"No page is read without {' and '.join(missing)}: {INSTALL}"]
        slots = asyncio.Semaphore(AT_ONCE)
        async with self._open_fetcher() as fetcher:
            read = await asyncio.gather(*(self._read(fetcher, source, slots) for source in chosen))
        by_id = {page.result_id: page for page, _ in read}
        notes = [note for _, note in read if note]
        return [by_id.get(source.result_id, source) for source in results], len(chosen), notes

    async def _read(
        self, fetcher: PageFetcher, result: SearchResult, slots: asyncio.Semaphore
    ) -> tuple[SearchResult, str | None]:
        url = address_of(result)
        try:
            async with slots:
                document = await fetcher.fetch(url)
                text = await document_text(document, PagePolicy())
        except PaperSearchError as error:
            return result, f"Not read, {_host(url)}: {error}"
        if is_withdrawn(text.title, text.text):
            withdrawn = {**result.metadata, "is_retracted": True}
            note = f"Retracted, says its page: {result.title[:100]}"
            return result.model_copy(update={"metadata": withdrawn}), note
        if (instead := _instead(result, document, text)) is not None:
            return result, f"Not read, {_host(url)}: it shows {instead}"
        return _with_text(result, document, text), None


def address_of(result: SearchResult) -> str:
    """Return where the text of a source may be fetched; empty: nowhere."""
    if result.is_retracted:
        return ""
    if result.metadata.get("source_type") in {"web", "news"}:
        return result.source_url
    return str(result.metadata.get("open_text_url") or "")


def _instead(result: SearchResult, document: Document, text: DocumentText) -> str | None:
    """Return what a document is instead of the text that was wanted; None: it is the text."""
    shown = shown_instead(text.text, text.title, document.url)
    if shown is not None:
        return shown
    is_paper = result.metadata.get("source_type") not in {"web", "news"}
    if is_paper and not is_about(result.title, text.text, text.title):
        return "something else than the paper"
    return None


def _with_text(result: SearchResult, document: Document, text: DocumentText) -> SearchResult:
    """Return the source with its text; the abstract of a paper stays in front."""
    is_paper = result.metadata.get("source_type") not in {"web", "news"}
    before = [result.full_content] if is_paper and result.full_content else []
    cleaned = [shown_to_model(part, MAX_TEXT_CHARS) or "" for part in text.text.split("\n\n")]
    whole = "\n\n".join([*before, *_without(before, cleaned)])
    kept = whole[:MAX_TEXT_CHARS]
    metadata = {
        **result.metadata,
        "text_is": document.kind,
        "text_url": document.url,
        "text_sha256": hashlib.sha256(document.content).hexdigest(),
        "text_fetched_at": now().isoformat(),
        "text_is_cut": len(kept) < len(whole)
        or (text.pages or 0) > (text.pages_read or text.pages or 0),
        "is_suspicious": bool(result.metadata.get("is_suspicious"))
        or is_suspicious(text.title, *text.text.split("\n\n")),
    }
    return result.model_copy(update={"full_content": kept, "metadata": metadata})


def _without(before: Sequence[str], paragraphs: Sequence[str]) -> list[str]:
    """Return the paragraphs that do not repeat the abstract."""
    said = " ".join(before).casefold()
    return [paragraph for paragraph in paragraphs if paragraph and paragraph.casefold() not in said]


def _host(url: str) -> str:
    return urlsplit(url).hostname or "an address without a host"
