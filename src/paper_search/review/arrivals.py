"""Records that are added to a review: from files, on a new or existing thread, and by updates."""

from collections.abc import Sequence
from datetime import UTC, datetime

from paper_search.config import AppConfig, current_person
from paper_search.errors import InputError
from paper_search.models import PaperCollection, SearchReport
from paper_search.models.source_report import quantity
from paper_search.persistence import Persistence
from paper_search.review.files import DatabaseSearch, FileReport, parse_files
from paper_search.skills import QueryBuilder
from paper_search.threads.engine import ProgressReporter
from paper_search.workflow.assembly import assemble_skills
from paper_search.workflow.checkpoints import Checkpoint
from paper_search.workflow.engine import SearchWorkflow
from paper_search.workflow.results import empty_collection
from paper_search.workflow.rounds import SOURCE, AddedFile, Batch, save_batch


async def begin_import(  # noqa: PLR0913  # what a person says of files, and where
    config: AppConfig,
    question: str,
    thread_id: str,
    files: Sequence[FileReport],
    *,
    persistence: Persistence | None = None,
    by: str | None = None,
    progress_reporter: ProgressReporter | None = None,
) -> None:
    """Merge the records of files on a new thread, up to the question about the result.

    Giving the files approves the strategy, which is to take them. The thread then continues like
    any search: a second round searches the sources of the settings.
    """
    skills = assemble_skills(config, [])
    workflow = SearchWorkflow(
        skills.intent_parser,
        QueryBuilder(None, domain=config.domain, available_sources=[SOURCE]),
        skills.searcher,
        skills.deduplicator,
        skills.relevance_scorer,
        skills.result_organizer,
        progress_reporter=progress_reporter,
        persistence=persistence or config.persistence_url,
        metering=skills.metering,
    )
    question_ = await workflow.start(question, thread_id=thread_id)
    if isinstance(question_, Checkpoint):
        async with workflow.hold(thread_id) as session:
            await save_batch(session.records, _batch(files, by), 0)  # used by its first search
        reference = question_.reference.model_dump(mode="json")
        approval = {"action": "approve", "checkpoint": reference, "token": question_.token}
        approval["note"] = "by giving the files"
        await workflow.answer(thread_id, approval, by=by)


async def add_files(  # noqa: PLR0913  # what a person says of files
    workflow: SearchWorkflow,
    thread_id: str,
    files: Sequence[tuple[str, bytes]],
    databases: Sequence[str] = (),
    *,
    search: DatabaseSearch = DatabaseSearch(),  # noqa: B008  # frozen
    by: str | None = None,
) -> list[FileReport]:
    """Add the records of files to a thread, and return what was read from each.

    They are merged with its records and judged, up to the question about the result. Decisions,
    reviewers and criteria are kept; no source is searched. Either all files are added or none.
    Without files, the database was searched on the day of `search` and had no record.

    Raises:
        ThreadNotFoundError: there is no such thread.
        ThreadNotWaitingError: it waits for its strategy, or stopped between two questions.
        ThreadBusyError: another process drives it.
        InputError: a file cannot be read, has no record, or is on the thread already.
    """
    reports = list[FileReport]()

    def parse(earlier_files: list[AddedFile]) -> Batch:
        earlier = {file.digest: file for file in earlier_files}
        used_names = [file.name for file in earlier_files]
        reports[:] = (
            parse_files(files, databases, search=search, used_names=used_names)
            if files
            else [FileReport.without_records((*databases, "")[0], search)]
        )
        names = [name for name, _ in files] or [file.name for file in reports]
        for name, file in zip(names, reports, strict=True):
            if (before := earlier.get(file.digest)) is not None:
                raise InputError(
                    f"{name!r} is already on thread {thread_id!r}: {before.by} added it on "
                    f"{before.at[:10]} as {before.name!r}, {quantity(before.records, 'record')}"
                )
        return _batch(reports, by)

    async with workflow.hold(thread_id) as session:
        await session.join(parse)
    return reports


def _batch(files: Sequence[FileReport], by: str | None) -> Batch:
    at, person = datetime.now(UTC).isoformat(timespec="seconds"), by or current_person()
    new_files = [
        AddedFile(name=f.name, digest=f.digest, records=len(f.records), at=at, by=person)
        for f in files
    ]
    report = SearchReport(
        papers=[record for file in files for record in file.records],
        sources=[entry for file in files for entry in file.entries],
        arrivals=[row for file in files for row in file.arrivals],
    )
    return Batch(report=report, files=new_files, by=person)


async def update_review(
    workflow: SearchWorkflow, thread_id: str, *, by: str | None = None, is_quiet: bool = False
) -> Checkpoint | PaperCollection:
    """Repeat a finished search with its approved strategy, to find new works.

    Both questions are asked, and only works that no earlier round found need a decision. With
    `is_quiet`, nothing is asked if every source has as many hits as before. Returns the question
    about the strategy, or the unchanged result.

    Raises:
        ThreadNotFoundError: there is no such thread.
        ThreadBusyError: another process drives it.
        ThreadNotWaitingError: it is not done.
        InputError: it has no approved strategy that can be searched again.
    """
    async with workflow.hold(thread_id) as session:
        await session.update(by or current_person(), is_quiet=is_quiet)
        result = await session.result() or empty_collection(thread_id)
    return await workflow.pending(thread_id) or result
