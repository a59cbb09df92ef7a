"""Pictures of a search: its flow, its sources, its screening. SVG or PNG, without Graphviz."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from paper_search.audit.fates import RecordFate, works_of
from paper_search.audit.flow import PrismaFlow
from paper_search.audit.pictures.found import (
    query_contribution,
    source_contribution,
    source_overlap,
)
from paper_search.audit.pictures.judged import papers_by_year, recall, scores
from paper_search.audit.pictures.prisma import prisma_flow
from paper_search.audit.reading import ReviewThread
from paper_search.report.outputs.figures import Format, is_available, saved

CAPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "prisma_flow": "Flow of records through the search (PRISMA 2020)",
        "source_overlap": "Works found by each combination of sources",
        "source_contribution": "Works by the source that found them",
        "query_contribution": "Works by the query that found them",
        "papers_by_year": "Works in the result by year of publication",
        "scores": "Scores of the works, and the line below which they are set aside",
        "recall": "Relevant works found while screening",
    }
)


def pictures(
    thread: ReviewThread, records: list[RecordFate], flow: PrismaFlow, kind: Format = "svg"
) -> dict[str, bytes]:
    """Return the pictures by name; those that there is nothing to show for are left out.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    works = works_of(records)
    files: dict[str, Callable[[], Any]] = {
        "prisma_flow": lambda: prisma_flow(flow),
        "source_overlap": lambda: source_overlap(records),
        "source_contribution": lambda: source_contribution(records),
        "query_contribution": lambda: query_contribution(records),
        "papers_by_year": lambda: papers_by_year(works),
        "scores": lambda: scores(thread, works),
        "recall": lambda: recall(thread, works),
    }
    figures = {name: draw() for name, draw in files.items()}
    return {name: saved(figure, kind) for name, figure in figures.items() if figure is not None}


__all__ = ["CAPTIONS", "is_available", "pictures"]
