"""The second stage of a review: seek, attach and decide on full texts."""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from paper_search.config import current_person
from paper_search.errors import InputError, ThreadBusyError
from paper_search.models import Paper, SourceReport
from paper_search.models.source_report import quantity
from paper_search.pages.extraction import (
    INSTALL,
    DocumentText,
    document_text,
    missing_libraries,
)
from paper_search.pages.fetching import Document, PageFetcher
from paper_search.pages.network import PageContentError, PagePolicy
from paper_search.private_files import private_file
from paper_search.review.open_texts import TEXT_ROWS, OpenTexts, check_pdf
from paper_search.review.text_reviewers import TextReviewers
from paper_search.sources.enrichment import Enricher
from paper_search.threads.records import storable
from paper_search.workflow.full_texts import (
    FullText,
    FullTextFlow,
    TextStatus,
    count_full_texts,
    full_texts,
    put_full_text,
)
from paper_search.workflow.session import SearchSession

FOLDER = "full_texts"
"""In the home: each PDF is named by its SHA-256."""
LARGEST = 100_000_000
"""Most bytes of an attached file."""
_PAUSES_S = (0.1,) * 20
"""How long a decision waits for another one at the same time."""
LONGEST_REASON = 200
"""Most characters of a reason for exclusion."""
_SHOWN = PagePolicy(max_pdf_pages=400, max_chars=1_000_000)
"""How much of a text is shown."""
_REASONS = "full_text_reasons"
"""Where the record store has the list of reasons, by their lower case."""


class FullTexts:
    """The full texts of the works that a search includes by title and abstract.

    `home`: where files are stored. `by`: the person who acts; default: who runs the program.
    Methods that name a work raise `InputError` if title and abstract do not include it; those that
    change something raise `ThreadBusyError` while another process drives the search.
    """

    def __init__(self, session: SearchSession, home: Path, by: str | None = None) -> None:
        self._session, self._records = session, session.records
        self._folder = home / FOLDER
        self._by = current_person() if by is None else by

    async def works(self) -> list[tuple[Paper, FullText]]:
        result = await self._session.result()
        texts = await full_texts(self._records)
        included = [p for p in result.papers if p.decision == "included"] if result else []
        return [(paper, texts.get(paper.id, FullText(paper_id=paper.id))) for paper in included]

    async def seek(self, fetcher: PageFetcher, services: Sequence[Enricher] = ()) -> list[FullText]:
        """Fetch open-access texts of works that have none, and return the outcome for each.

        Only a PDF is a full text; a page about a paper is not. A text that is not found becomes
        "not retrieved"; one that a person entered as such is not sought. See `text_services`.

        Raises:
            InputError: PDFs cannot be read here, so every text would become "not retrieved".
        """
        if "pypdfium2" in missing_libraries():
            raise InputError(f"pypdfium2 is not installed, so no PDF can be read; {INSTALL}")
        sought = {TextStatus.SOUGHT, TextStatus.NOT_RETRIEVED}
        missing = {
            paper.id: (paper, text)
            for paper, text in await self.works()
            if text.status in sought and not text.is_given_up
        }
        journal = (await self._session.state()).journal
        own = {"iteration": journal[-1].iteration if journal else 0, "allowed_by": self._by}

        async def note(row: SourceReport) -> None:
            value = storable(row.model_copy(update=own).model_dump(mode="json"))
            await self._records.put(TEXT_ROWS, {datetime.now(UTC).isoformat(): value})

        texts = []
        open_texts = OpenTexts(fetcher, services, note)
        async for one in open_texts.retrievals([paper for paper, _ in missing.values()]):
            text = missing[one.work.id][1]
            if one.content:
                new = self._retrieved(text, one.address, one.content, one.service)
            else:
                problem = "; ".join(dict.fromkeys(one.problems.values())) or "no open text is known"
                update = {"problem": problem, "retrieved_at": _now(), "retrieved_by": self._by}
                new = text.model_copy(update=update)
            async with self._alone():  # somebody may have attached it in the meantime
                now = (await full_texts(self._records)).get(one.work.id, text)
                texts.append(new if now == text else now)
                await put_full_text(self._records, texts[-1])
        return texts

    async def attach(self, paper_id: str, name: str, content: bytes) -> FullText:
        """Store a PDF as the full text of a work; a decision on an earlier file is withdrawn."""
        await self._text(paper_id)
        if len(content) > LARGEST:
            raise InputError(f"{name!r} has {len(content):,} bytes; the limit is {LARGEST:,}")
        try:
            await check_pdf(content)
        except PageContentError as error:
            raise InputError(f"{name!r} cannot be attached: {error}") from error
        async with self._alone():
            retrieved = self._retrieved(await self._text(paper_id), name, content)
            await put_full_text(self._records, retrieved)
        return retrieved

    async def give_up(self, paper_id: str, reason: str) -> None:
        """Record why a full text was not retrieved; a file can still be attached."""
        problem: str = storable(" ".join(reason.split()))
        if not 0 < len(problem) <= LONGEST_REASON:
            raise InputError(f"say why it was not retrieved, in {LONGEST_REASON} characters")
        async with self._alone():
            text = await self._text(paper_id)
            if text.digest:
                raise InputError(f"{paper_id!r} already has a full text: {text.status.value}")
            who = {"retrieved_at": _now(), "retrieved_by": self._by}
            update = {"problem": problem, "is_given_up": True, **who}
            await put_full_text(self._records, text.model_copy(update=update))

    async def decide(self, paper_id: str, *, is_included: bool, reason: str = "") -> FullText:
        """Include or exclude a work by its full text; an exclusion needs a reason.

        A reviewer's decision counts when all reviewers are done; see `TextReviewers`.
        """
        async with self._alone():
            return await self._decide(paper_id, is_included=is_included, reason=reason)

    async def _decide(self, paper_id: str, *, is_included: bool, reason: str) -> FullText:
        text = await self._text(paper_id)
        if not text.digest:
            raise InputError(
                f"the full text of {paper_id!r} is {text.status.value}; attach it before you "
                "decide on it"
            )
        reviewers = await self.reviewers()
        is_blind, word = paper_id in reviewers.pending, "include" if is_included else "exclude"
        if is_blind:
            reviewers.require(self._by)
        elif text.decision and text.decided_by != self._by:
            raise InputError(
                f"{text.decided_by} has decided on this text ({text.summary}), and nobody can "
                "overwrite the decision of another person"
            )
        reason = "" if is_included else await self.add_reason(reason)
        if is_blind:
            await reviewers.say(self._by, paper_id, word, reason)
            await (await self.reviewers()).show()
            return await self._text(paper_id)
        who = {"decided_at": _now(), "decided_by": self._by}
        decided = text.model_copy(update={"decision": word, "reason": reason, **who})
        await put_full_text(self._records, decided)
        return decided

    async def reviewers(self) -> TextReviewers:
        texts = {paper.id: text for paper, text in await self.works()}
        return await TextReviewers.load(self._records, texts)

    async def join(self) -> None:
        async with self._alone():
            await (await self.reviewers()).join(self._by)

    async def finish(self) -> None:
        async with self._alone():
            await (await self.reviewers()).finish(self._by)
            await (await self.reviewers()).show()

    async def leave(self, name: str) -> None:
        async with self._alone():
            await (await self.reviewers()).leave(name)
            await (await self.reviewers()).show()

    @contextlib.asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Hold the search, so that concurrent decisions do not overwrite each other."""
        async with contextlib.AsyncExitStack() as stack:
            for pause_s in (*_PAUSES_S, 0):
                try:
                    await stack.enter_async_context(self._session.lease())
                    break
                except ThreadBusyError:
                    if not pause_s:
                        raise
                    await asyncio.sleep(pause_s)
            yield

    async def content(self, paper_id: str) -> bytes:
        text = await self._text(paper_id)
        if not text.digest:
            raise InputError(f"the full text of {paper_id!r} is {text.status.value}")
        with contextlib.suppress(OSError):
            content = self._path(text).read_bytes()
            # A restored database could name any file, such as "../../private".
            if hashlib.sha256(content).hexdigest() == text.digest:
                return content
        raise InputError(f"the PDF of {paper_id!r} is no longer in the home; attach it again")

    async def read(self, paper_id: str) -> DocumentText:
        document = Document("", "pdf", "", await self.content(paper_id))
        return await document_text(document, _SHOWN)

    async def reasons(self) -> dict[str, int]:
        """Return the list of reasons for exclusion, with the number of works for each."""
        rows = (await self._records.rows(_REASONS)).values()
        in_use = [text.reason for _, text in await self.works() if text.reason]
        own = [row["reason"] for row in sorted(rows, key=lambda row: str(row["added_at"]))]
        return {reason: in_use.count(reason) for reason in dict.fromkeys([*own, *in_use])}

    async def add_reason(self, words: str) -> str:
        """Add a reason to the list, and return it as spelt there; case is ignored."""
        reason: str = storable(" ".join(words.split()))
        if not 0 < len(reason) <= LONGEST_REASON:
            raise InputError(
                f"give the reason for an exclusion by full text, in {LONGEST_REASON} characters"
            )
        for entry in await self.reasons():
            if entry.casefold() == reason.casefold():
                return entry
        row = {"reason": reason, "added_at": datetime.now(UTC).isoformat(), "added_by": self._by}
        await self._records.put(_REASONS, {reason.casefold(): row})
        return reason

    async def remove_reason(self, reason: str) -> None:
        if count := (await self.reasons()).get(reason):
            raise InputError(f"{reason!r} cannot be removed; exclusions that have it: {count:,}")
        await self._records.put(_REASONS, {reason.casefold(): None})

    async def rows(self) -> list[dict[str, Any]]:
        """Return a row for each included work: its id and title, its text and the path of that.

        The summary includes the person's own blinded decision, which only they are shown.
        """
        reviewers = await self.reviewers()
        own = {
            i: f"; your own decision: {verdict['decision']} {verdict['reason']}".rstrip()
            for i in reviewers.pending
            if (verdict := reviewers.verdict(self._by, i))
        }
        return [
            {
                "id": work.id,
                "title": work.title,
                **text.model_dump(mode="json", exclude={"paper_id"}),
                "status": text.status.value,
                "summary": text.summary + own.get(work.id, ""),
                "path": str(self._path(text)) if text.digest else "",
            }
            for work, text in await self.works()
        ]

    def _path(self, text: FullText) -> Path:
        return self._folder / f"{text.digest}.pdf"

    async def _text(self, paper_id: str) -> FullText:
        texts = {paper.id: text for paper, text in await self.works()}
        if paper_id not in texts:
            raise InputError(
                f"{paper_id!r} is not among the {quantity(len(texts), 'work')} that thread "
                f"{self._session.thread_id!r} includes by title and abstract"
            )
        return texts[paper_id]

    def _retrieved(self, text: FullText, origin: str, content: bytes, source: str = "") -> FullText:
        digest = hashlib.sha256(content).hexdigest()
        retrieved = FullText(
            paper_id=text.paper_id,
            digest=digest,
            origin=origin,
            source=source,
            retrieved_at=_now(),
            retrieved_by=self._by,
        )
        private_file(self._path(retrieved)).write_bytes(content)
        return text if text.digest == digest else retrieved


def flow_of_works(works: Sequence[tuple[Paper, FullText]]) -> FullTextFlow | None:
    """Return the counts of the second stage of PRISMA, None without works."""
    texts = {paper.id: text for paper, text in works}
    return count_full_texts(list(texts), texts)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
