"""Batches of files: records that join a thread in place of a search."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from paper_search.models import PaperCollection, RawPaper, SearchReport
from paper_search.skills.result_organizer import facets_of
from paper_search.threads.records import storable
from paper_search.workflow.counts import arrivals_of, searched_round
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.rows import dumped
from paper_search.workflow.state import (
    WorkflowState,
)

SOURCE = "import"
"""The source of a strategy that takes the records of files."""
_BATCHES, _RECORDS = "batches", "arriving"
"""Parts of the record store."""


class AddedFile(BaseModel):
    """A file whose records joined a thread."""

    name: str
    digest: str
    """SHA-256 of its content."""
    records: int
    at: str
    """UTC, ISO 8601."""
    by: str


class Batch(BaseModel):
    """Files whose records join a thread together."""

    report: SearchReport = Field(default_factory=SearchReport)
    files: list[AddedFile]
    by: str


async def put_batch(records: SearchRecords, batch: Batch, number: int) -> None:
    """Store a batch; it counts once the state names its number (0: the thread began with it)."""
    papers = batch.report.papers
    await records.put(_RECORDS, {f"{number}/{paper.id}": dumped(paper) for paper in papers})
    row = batch.model_dump(mode="json", exclude={"report": {"papers"}})
    row["papers"] = [paper.id for paper in papers]
    await records.put(_BATCHES, {str(number): storable(row)})


async def added_files(records: SearchRecords, batches: int) -> list[AddedFile]:
    """Return the files of the first so many batches that joined a thread."""
    rows = await records.get(_BATCHES, [str(number) for number in range(batches + 1)])
    return [AddedFile.model_validate(file) for row in rows.values() for file in row["files"]]


async def take_batch(
    state: WorkflowState, records: SearchRecords, models: dict[str, str]
) -> dict[str, Any]:
    """Have the batch that arrives join the records of the round; return what changes."""
    number, iteration = state.arriving, state.current_iteration
    row = (await records.get(_BATCHES, [str(number)]))[str(number)]
    keys = [f"{number}/{i}" for i in row["papers"]]
    values = records.in_order(await records.get(_RECORDS, keys), keys)
    papers = [RawPaper.model_validate(value) for value in values]
    report = SearchReport.model_validate({**row["report"], "papers": papers})
    ids = await records.put_records(papers)
    before = await records.arrivals(iteration, state.waits)
    rows = [*before, *arrivals_of(report, ids, state.waits)]
    at_first = [round_.searched_at for round_ in await records.rounds() if before]
    searched = searched_round(iteration, rows, models)
    at = {"searched_at": at_first[-1]} if at_first else {}
    await records.put_round(searched.model_copy(update=at))
    update = {"iteration": iteration, "allowed_by": row["by"]}
    reports = [entry.model_copy(update=update) for entry in report.sources]
    found = list(dict.fromkeys([*state.found, *ids]))
    return {"found": found, "reports": [*state.reports, *reports], "arriving": 0, "awaited": []}


async def with_files(
    collection: PaperCollection, records: SearchRecords, limit: int | None
) -> tuple[PaperCollection, int | None]:
    """Return the collection with no record of a file set aside, and how many papers it shows."""
    rows = await records.rows(_BATCHES)
    names = {file["name"] for row in rows.values() for file in row["files"]}
    if not names:
        return collection, limit
    arrivals = [row for round_ in await records.rounds() for row in round_.arrivals]
    of_files = {row.record for row in arrivals if row.query in names}
    back = [p for p in collection.set_aside if of_files & {p.id, *p.merged_from}]
    ids = {paper.id for paper in back}
    papers = [*collection.papers, *back]
    rest = [paper for paper in collection.set_aside if paper.id not in ids]
    update = {"papers": papers, "set_aside": rest, "facets": facets_of(papers)}
    return collection.model_copy(update=update), None
