"""What drives a report in a process of its own, which dies where it is told to (`preforked`)."""

import asyncio
import functools
import inspect
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.report.answers import good_answer
from tests.workflow.crashing import count_writes, kill

from paper_search.errors import ThreadExistsError, ThreadFinishedError, ThreadNotFoundError
from paper_search.models import PaperCollection, RawPaper
from paper_search.persistence import open_persistence
from paper_search.report_workflow import ReportWorkflow, Review
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.testing import reports
from paper_search.testing.llm import FakeLLM, LLMCall
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import Checkpoint, SearchWorkflow
from paper_search.workflow.graph import WORKFLOW as SEARCH_WORKFLOW

STEPS = tuple(step.id for step in WORKFLOW.steps)
SEARCH_STEPS = tuple(step.id for step in SEARCH_WORKFLOW.steps)
THREAD, SEARCH_THREAD = "t", "s"
PATHS: dict[str, tuple[Any, ...]] = {
    "approved": ("modify: look at dry cities", "approve", "modify: more on dry cities", "approve"),
    "rejected": ("approve", "reject: too thin"),
    "from_search": ("modify: look at dry cities", "approve", "modify: more on nights", "approve"),
}
"""What a person answers, question by question: the way to `output` and the way to `fallback`; and
a report from a search, which is approved first."""


@dataclass(frozen=True)
class Job:
    """One report to drive, and where to die on the way."""

    url: str
    log: str
    """File of all that was done; the report is written beside it."""
    path: str = "approved"
    has_model: bool = False
    killer: str = "-"
    """The step that kills, or `write`: the checkpointer; `-`: nobody."""
    after: int = 0
    """How many calls of the killer go well before."""
    moment: str = "start"
    """`start` of the step, or its `end`: all is done and nothing of it is saved as a step."""

    @property
    def result(self) -> Path:
        return Path(f"{self.log}.report")


def note(log: str, *words: str) -> None:
    """Have a line on disk before anything else happens."""
    with Path(log).open("a", encoding="utf-8") as file:
        file.write("\t".join(words) + "\n")
        file.flush()
        os.fsync(file.fileno())


class LoggingSearch(reports.FakeSearch):
    """A search whose every query is on disk before it goes on."""

    def __init__(self, log: str) -> None:
        super().__init__()
        self._log = log

    async def find(self, queries: Any, given: Any, known: Any) -> Any:
        for query in queries:
            note(self._log, "query", query.query_text)
        return await super().find(queries, given, known)


def _log_steps(job: Job) -> None:
    """Let every step say that it begins, and one of them kill."""
    for step in (*WORKFLOW.steps, *SEARCH_WORKFLOW.steps):
        logged = _logged(step.id, step.handler, job)
        object.__setattr__(step, "handler", logged)


def _logged(name: str, handler: Any, job: Job) -> Any:
    calls = 0

    def enter() -> bool:
        nonlocal calls
        note(job.log, "step", name)
        is_last = job.killer == name and calls == job.after
        calls += 1
        if is_last and job.moment == "start":
            kill()
        return is_last

    if not inspect.iscoroutinefunction(handler):

        @functools.wraps(handler)
        def plain(*args: Any, **settings: Any) -> Any:
            is_last = enter()
            result = handler(*args, **settings)
            if is_last:
                kill()
            return result

        return plain

    @functools.wraps(handler)
    async def waiting(*args: Any, **settings: Any) -> Any:
        is_last = enter()
        result = await handler(*args, **settings)
        if is_last:
            kill()
        return result

    return waiting


async def drive(job: Job) -> None:
    """Take the report from wherever it stands to its end, or to that of this process."""
    async with open_persistence(job.url) as persistence:
        if job.killer == "write":
            count_writes(persistence.checkpointer, job.after)
        if job.path == "from_search":
            await _searched(persistence)
        flow = _workflow(job, persistence)
        reached: Any = None
        try:
            reached = await flow.pending(THREAD) or await flow.proceed(THREAD)
        except ThreadNotFoundError:
            reached = await _begun(flow)
        except ThreadFinishedError:
            reached = await flow.report(THREAD)
        while isinstance(reached, Review):
            answer = PATHS[job.path][reached.number - 1]
            note(job.log, "answer", str(reached.number))
            reached = await flow.answer(THREAD, answer, token=reached.token)
        shown = {"report": reached.model_dump(mode="json")}
        job.result.write_text(json.dumps(shown), encoding="utf-8")


async def _searched(persistence: Any) -> None:
    """Take the search from wherever it stands to its approval."""
    records = [RawPaper.model_validate(paper.model_dump()) for paper in reports.report_papers()]
    flow = SearchWorkflow(*[FakeSkills(lambda _strategy: records)] * 6, persistence=persistence)
    try:
        reached: Checkpoint | PaperCollection = await flow.pending(
            SEARCH_THREAD
        ) or await flow.proceed(SEARCH_THREAD)
    except ThreadNotFoundError:
        reached = await flow.start(reports.QUESTION, thread_id=SEARCH_THREAD)
    except ThreadFinishedError:
        return
    while isinstance(reached, Checkpoint):
        reached = await flow.answer(SEARCH_THREAD, "approve", token=reached.token)


async def _begun(flow: ReportWorkflow) -> Any:
    try:
        return await flow.start(reports.QUESTION, thread_id=THREAD)
    except ThreadExistsError:
        return await flow.proceed(THREAD)


def _workflow(job: Job, persistence: Any) -> ReportWorkflow:
    def answer(call: LLMCall) -> Any:
        note(job.log, "call", str((call.schema or {}).get("title")))
        return good_answer(call)

    llm = FakeLLM(answer) if job.has_model else None
    return ReportWorkflow(
        reports.report_services(llm, search=LoggingSearch(job.log)),
        persistence=persistence,
        target_length=150 if job.has_model else 1000,
        from_thread=SEARCH_THREAD if job.path == "from_search" else None,
    )


def work(job: dict[str, Any]) -> None:
    """Do a job that was told as JSON."""
    told = Job(**job)
    _log_steps(told)
    asyncio.run(drive(told))


def warm() -> None:
    """Drive a report once, so that no child has to build what every report needs.

    In a file of its own: one in memory may leave something running, and this process forks.
    """
    with tempfile.TemporaryDirectory() as folder:
        job = Job(f"sqlite:///{folder}/threads.db", f"{folder}/log", has_model=True)
        asyncio.run(drive(job))
