"""A searcher that keeps what live sources find in the person's own library."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

from paper_search.errors import PaperSearchError
from paper_search.library import Library
from paper_search.models import RawPaper, SearchReport, SearchStrategy
from paper_search.skills import Searcher
from paper_search.sources import SearchSource

LOCAL = frozenset({"library", "sample"})
"""Sources whose records are on this disk already."""
_WAIT_S = 5.0
_log = logging.getLogger(__name__)


class KeepingSearcher(Searcher):
    """Searches as `Searcher` does, and adds every record of a live source to a library.

    That nothing could be kept is no failure of the search: it is noted beside what the first
    live source did.

    Args:
        sources: as `Searcher` takes them.
        library: the directory of the library, made if it is not there.
        deadline_s: what one source gets.
    """

    def __init__(
        self, sources: Iterable[SearchSource], library: Path, *, deadline_s: float = 60.0
    ) -> None:
        super().__init__(sources, deadline_s=deadline_s)
        self._library = library

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Return what `Searcher` returns, with a note on what was kept."""
        found = await super().report(strategy)
        live = [paper for paper in found.papers if paper.source not in LOCAL]
        place = next((n for n, each in enumerate(found.sources) if each.source not in LOCAL), None)
        if not live or place is None:
            return found
        note = await asyncio.to_thread(self._keep, live)
        noted = found.sources[place]
        noted = noted.model_copy(update={"note": f"{noted.note}; {note}" if noted.note else note})
        sources = [*found.sources[:place], noted, *found.sources[place + 1 :]]
        return found.model_copy(update={"sources": sources})

    def _keep(self, papers: list[RawPaper]) -> str:
        """Add the papers and return what to say about it."""
        try:
            with Library.open(self._library, wait_s=_WAIT_S) as library:
                changes = library.add(papers)
        except PaperSearchError as error:
            _log.warning("found records were not kept: %s", error)
            return f"nothing was kept in your library: {error}"
        return (
            f"{changes.added} records were kept in your library, "
            f"{changes.updated + changes.unchanged} were there"
        )
