"""Screening without a search: the records of files, merged and judged, on a thread of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paper_search.library.importers.reports import FileReport
from paper_search.models import RawPaper, SearchReport, SearchStrategy
from paper_search.persistence import Persistence
from paper_search.skills import QueryBuilder, ResultOrganizer, Searcher
from paper_search.threads.progress import ProgressReporter
from paper_search.workflow.assembly import assemble_skills
from paper_search.workflow.checkpoints import Checkpoint
from paper_search.workflow.engine import SearchWorkflow

if TYPE_CHECKING:
    from paper_search.config import AppConfig

SOURCE = "import"


class ImportedRecords:
    """A source that gives the records of files, whatever it is asked."""

    def __init__(self, files: Sequence[FileReport]) -> None:
        self.files = list(files)

    @property
    def source_name(self) -> str:
        """The name that strategies use."""
        return SOURCE

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return all records."""
        del query, options
        return [record for file in self.files for record in file.records]

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        """Return all records."""
        del strategy
        return await self.search("")

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Return all records, by the files and databases that they come from."""
        return SearchReport(
            papers=await self.search_advanced(strategy),
            sources=[entry for file in self.files for entry in file.entries],
            arrivals=[row for file in self.files for row in file.arrivals],
        )


async def begin_import(
    workflow: SearchWorkflow, question: str, thread_id: str, *, by: str | None = None
) -> None:
    """Merge the records on a new thread, up to the question about the result.

    Whoever names the files has approved of the strategy, which is to take them.

    Args:
        workflow: made by `import_workflow`.
        question: what the records have to be about.
        thread_id: names the thread.
        by: who imports; None: who runs the program.

    Raises:
        QuestionError: the question cannot be used.
    """
    question_ = await workflow.start(question, thread_id=thread_id)
    if isinstance(question_, Checkpoint):
        reference = question_.reference.model_dump(mode="json")
        approval = {"action": "approve", "checkpoint": reference, "token": question_.token}
        await workflow.answer(thread_id, approval, by=by)


def import_workflow(
    config: AppConfig,
    source: ImportedRecords,
    *,
    persistence: str | Persistence,
    progress_reporter: ProgressReporter | None = None,
) -> SearchWorkflow:
    """Return a workflow whose first round gives the records of a source, none of them set aside.

    The thread goes on as any search does: a second round asks the sources of the settings.

    Raises:
        ConfigError: a model lacks a setting that it needs.
    """
    skills = assemble_skills(config, [])
    return SearchWorkflow(
        skills.intent_parser,
        QueryBuilder(None, domain=config.domain, available_sources=[SOURCE]),
        Searcher([source]),
        skills.deduplicator,
        skills.relevance_scorer,
        ResultOrganizer(min_relevance=0.0),
        progress_reporter=progress_reporter,
        persistence=persistence,
        metering=skills.metering,
    )
