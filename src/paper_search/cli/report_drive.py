"""One report, driven from the command line: to its end, or to a question that waits."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from paper_search.cli.console import run, say, visible
from paper_search.cli.drive import Drive
from paper_search.cli.failures import ExitCode, UsageMistakeError
from paper_search.cli.next_commands import ReportCommands
from paper_search.cli.outputs import ReportOutput
from paper_search.cli.progress import ProgressLine
from paper_search.cli.prompts import Terminal
from paper_search.cli.report_questions import decide_review
from paper_search.cli.stored_threads import reading, stored_report
from paper_search.errors import ThreadFinishedError, ThreadWaitingError
from paper_search.report.document import Report
from paper_search.report_workflow import ReportWorkflow, Review, ReviewDecision
from paper_search.report_workflow.session import ReportSession
from paper_search.workflow.session import SearchSession

if TYPE_CHECKING:
    from paper_search.cli.answers import Answer
    from paper_search.config import AppConfig


class ReportDrive(Drive[Review, Report, ReportOutput]):
    """Takes a report as far as the person takes it."""

    session_type = ReportSession
    noun = "report"

    def _decide(
        self, question: Review, terminal: Terminal, _runner: asyncio.Runner
    ) -> ReviewDecision:
        def report() -> Report:
            return run(preview(self._url, self._thread_id))

        return decide_review(terminal, question, report, self._config.editor)

    def _hand_over(self, result: Report, _state: Any) -> None:
        """Deliver the report; one that came to nothing is a failure."""
        self._output.deliver(result, {"thread_id": self._thread_id})
        ending = str(result.provenance.get("ended_by") or "").replace("_", " ")
        words = f"{result.metadata.get('word_count', 0):,} words"
        parts = filter(None, (f"{result.status} report", words, ending))
        say(f"{', '.join(parts)}; thread {self._thread_id}")
        if result.reason:
            say(visible(f"unfinished report: {result.reason}"))
        for error in result.provenance.get("errors") or []:
            say(visible(error))
        if result.is_failure:
            raise typer.Exit(ExitCode.FAILED)


def begin_report(  # noqa: PLR0913  # what the options say
    config: AppConfig,
    home: Path | None,
    output: ReportOutput,
    *,
    question: str | None,
    from_thread: str | None,
    is_asking: bool,
    parameters: Mapping[str, Any],
) -> None:
    """Begin a report, ask whoever is there, and hand it over.

    Raises:
        UsageMistakeError: there is no question.
        typer.Exit: with the exit code, if the report does not simply end well.
    """
    progress, thread_id = ProgressLine(), str(uuid.uuid4())
    topic = question or _question_of(config, from_thread)
    asks = {"hitl_after_planning": is_asking, "hitl_before_output": is_asking}
    workflow = ReportWorkflow.from_config(
        config,
        progress_reporter=progress,
        persistence=config.persistence_url,
        **{**parameters, "from_thread": from_thread, **asks},
    )
    begin = workflow.start if is_asking else workflow.run
    commands = ReportCommands(thread_id, home, tuple(output.options))
    drive = ReportDrive(config, workflow, progress, output, commands)
    drive.run(begin(topic, thread_id=thread_id), is_asking=is_asking)


def resume_report(  # noqa: PLR0913  # what the options say
    config: AppConfig,
    home: Path | None,
    output: ReportOutput,
    answer: Answer,
    thread_id: str,
    *,
    is_asking: bool = True,
) -> None:
    """Go on with a report, ask whoever is there, and hand it over.

    Raises:
        ThreadNotFoundError: there is no such report.
        typer.Exit: with the exit code, if the report does not simply end well.
    """
    progress = ProgressLine()
    workflow = run(stored_report(config, thread_id, progress))
    commands = ReportCommands(thread_id, home, tuple(output.options))
    drive = ReportDrive(config, workflow, progress, output, commands)
    drive.run(_take_up(workflow, thread_id, answer), is_asking=is_asking and answer.is_empty)


def parameters_of(pairs: Sequence[str], **options: Any) -> dict[str, Any]:
    """Return the settings of a run.

    Args:
        pairs: those of `--set`, each NAME=VALUE.
        options: those that have an option of their own; None: it was left out.

    Raises:
        UsageMistakeError: one has not the form NAME=VALUE.
    """
    parameters = {}
    for pair in pairs:
        name, _, value = (part.strip() for part in pair.partition("="))
        if not (name and value):
            raise UsageMistakeError(f"--set {pair!r}: give NAME=VALUE, as in depth=quick")
        parameters[name] = value
    return parameters | {name: value for name, value in options.items() if value is not None}


async def preview(url: str, thread_id: str) -> Report:
    """Return a report before it is given out.

    Raises:
        ThreadNotFoundError: there is no such report.
        ExportError: nothing is written yet.
    """
    async with reading(ReportSession, url, thread_id) as session:
        return await session.preview()


async def _take_up(workflow: ReportWorkflow, thread_id: str, answer: Answer) -> Review | Report:
    """Bring a report to its next open question or its end; a finished one is given as it is."""
    if not answer.is_empty:
        return await workflow.answer(thread_id, answer.for_report())
    try:
        return await workflow.proceed(thread_id)
    except ThreadFinishedError:
        return await workflow.report(thread_id)
    except ThreadWaitingError:
        review = await workflow.pending(thread_id)
        if review is None:
            raise
        return review


def _question_of(config: AppConfig, from_thread: str | None) -> str:
    if from_thread is None:
        raise UsageMistakeError("give a QUESTION, --from THREAD, or --thread THREAD")

    async def read() -> str:
        async with reading(SearchSession, config.persistence_url, from_thread) as session:
            return (await session.state()).question

    return run(read())
