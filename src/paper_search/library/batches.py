"""Splits papers into batches, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paper_search.errors import InputError
from paper_search.models import RawPaper

BATCH = 1_000
"""Papers in one transaction."""


def batches(papers: Iterable[RawPaper]) -> Iterator[list[RawPaper]]:
    """Yield the papers in batches; when they break off with an error, first those before it."""
    batch: list[RawPaper] = []
    try:
        for paper in papers:
            batch.append(paper)
            if len(batch) == BATCH:
                full, batch = batch, []
                yield full
    except InputError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
