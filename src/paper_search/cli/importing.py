"""Files of records, made into a thread to be screened."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.cli.console import say, visible
from paper_search.cli.progress import ProgressLine
from paper_search.errors import InputError
from paper_search.workflow.imported import (
    ImportedRecords,
    begin_import,
    import_workflow,
    read_records,
)

if TYPE_CHECKING:
    from paper_search.config import AppConfig


async def import_for_screening(config: AppConfig, files: Sequence[Path], question: str) -> str:
    """Read the files, merge their records on a new thread, and return its id.

    Raises:
        InputError: a file cannot be read, or none has a record.
        QuestionError: the question cannot be used.
    """
    records = [record for file in files for record in read_records(file, _tell)]
    if not records:
        raise InputError("the files have no records that can be used; nothing was imported")
    source = ImportedRecords(records, [file.name for file in files])
    progress, thread_id = ProgressLine(), str(uuid.uuid4())
    workflow = import_workflow(
        config, source, persistence=config.persistence_url, progress_reporter=progress
    )
    with progress.shown():
        await begin_import(workflow, question, thread_id)
    count = "1 record" if len(records) == 1 else f"{len(records):,} records"
    say(f"{count} imported and merged; thread {thread_id}")
    return thread_id


def _tell(left_out: str) -> None:
    say(visible(left_out))
