"""The live objects of a report: what searches, what reads, and which model thinks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from paper_search.llm.metering import Metering
from paper_search.llm.provider import LLMProvider
from paper_search.models import PaperCollection
from paper_search.report.models import SearchResult
from paper_search.report.searcher import ReportSearcher

ChoosesModel = Callable[[str | None], LLMProvider | None]
"""Gives the model of a name, or the one of the settings for None; None: there is none."""
MakesSearcher = Callable[[LLMProvider | None, list[str] | None], ReportSearcher]
"""Gives a searcher that judges by a model, if there is one, and asks these sources only."""
ReadsCollection = Callable[[str], Awaitable[PaperCollection]]
"""Gives the papers of a finished search by its thread."""


class ReadsPages(Protocol):
    """Adds the text of pages and open-access papers to sources."""

    async def read(
        self, results: list[SearchResult], limit: int
    ) -> tuple[list[SearchResult], int, list[str]]:
        """Return the sources with what could be read, how many were fetched, and what failed."""
        ...


def no_model(_name: str | None) -> LLMProvider | None:
    """Return no model: everything is done by algorithm."""
    return None


@dataclass(frozen=True)
class ReportServices:
    """What the steps of a report are given."""

    searcher: MakesSearcher
    collection: ReadsCollection
    model: ChoosesModel = no_model
    pages: ReadsPages | None = None
    domain: str = "general"
    metering: Metering = field(default_factory=Metering)
    """Counts the calls of models."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits between attempts."""
