"""One report, driven from the command line: to its end, or to a question that waits."""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from paper_search.cli.answer import document
from paper_search.cli.console import say, visible
from paper_search.cli.continuation import ReportContinuation
from paper_search.cli.drive import Drive
from paper_search.cli.failures import ExitCode, UsageMistakeError
from paper_search.cli.progress import ProgressLine
from paper_search.cli.report_delivery import ReportDelivery
from paper_search.cli.report_review import ReportReview
from paper_search.cli.restoration import reading, report_workflow, restored_report
from paper_search.cli.running import run
from paper_search.cli.terminal import Terminal
from paper_search.errors import InvalidDecisionError, ThreadFinishedError, ThreadWaitingError
from paper_search.report.document import Report
from paper_search.report_workflow import Review, ReviewDecision
from paper_search.report_workflow.session import ReportSession
from paper_search.workflow.session import SearchSession

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paper_search.config import AppConfig
    from paper_search.report_workflow import ReportWorkflow
    from paper_search.report_workflow.state import WorkflowState


@dataclass(frozen=True)
class ReportAnswer:
    """What a person said with options."""

    decision: dict[str, Any]

    @classmethod
    def chosen(  # noqa: PLR0913  # one for each option
        cls,
        approve: bool,
        edit: Path | None,
        note: str | None,
        reject: str | None,
        *,
        skip: bool,
        token: str | None = None,
    ) -> ReportAnswer | None:
        """Return the answer in the options; None: they hold none.

        Raises:
            UsageMistakeError: the options exclude each other.
            InputError: the file of `--edit` cannot be read, or is not JSON.
        """
        given = {
            "--approve": approve or None,
            "--edit": edit,
            "--note": note,
            "--reject": reject,
            "--skip": skip or None,
        }
        named = [name for name, value in given.items() if value is not None]
        if len(named) > 1 and set(named) != {"--edit", "--note"}:
            raise UsageMistakeError(f"{' and '.join(named)} cannot be combined; give one of them")
        question = {"token": token} if token else {}
        if edit is not None:
            return cls({**question, **_modification(document(edit), note)})
        if note is not None:
            return cls({**question, "action": "modify", "feedback": note})
        if reject is not None:
            return cls({**question, "action": "reject", "feedback": reject})
        if approve or skip:
            return cls({**question, "action": "approve" if approve else "skip"})
        return None


class ReportDrive(Drive[Review, Report, ReportDelivery]):
    """Takes a report as far as the person takes it; see `Drive`."""

    session_type = ReportSession
    noun = "report"
    editor: str | None = None
    """The command that opens the text of a report."""

    def _decide(
        self, question: Review, terminal: Terminal, runner: asyncio.Runner
    ) -> ReviewDecision:
        del runner  # nothing is saved before the answer
        return ReportReview(terminal, self._preview, self.editor).decide(question)

    def _preview(self) -> Report:
        return run(previewed(self._url, self._thread_id))

    def _hand_over(self, result: Report, state: WorkflowState) -> None:
        """Deliver the report; one that came to nothing is a failure."""
        del state  # the report says all
        self._delivery.deliver(result, {"thread_id": self._thread_id})
        ended = str(result.provenance.get("ended_by") or "").replace("_", " ")
        count = result.metadata.get("word_count", 0)
        parts = (f"{result.status} report", f"{count:,} words", ended)
        say(f"{', '.join(filter(None, parts))}; thread {self._thread_id}")
        if result.reason:
            say(visible(f"unfinished report: {result.reason}"))
        for error in result.provenance.get("errors") or []:
            say(visible(error))
        if result.is_without_answer or (result.status != "complete" and not result.sections):
            raise typer.Exit(ExitCode.FAILED)


def begin_report(  # noqa: PLR0913  # what the options say
    config: AppConfig,
    home: Path | None,
    delivery: ReportDelivery,
    *,
    question: str | None,
    from_thread: str | None,
    is_asking: bool,
    run: Mapping[str, Any],
) -> None:
    """Begin a report, ask whoever is there, and hand it over.

    Raises:
        UsageMistakeError: there is no question.
        typer.Exit: with the exit code, if the report does not simply end well.
    """
    progress, thread_id = ProgressLine(), str(uuid.uuid4())
    asked = question or _question_of(config, from_thread)
    asks = {"hitl_after_planning": is_asking, "hitl_before_output": is_asking}
    workflow = report_workflow(config, progress, {**run, "from_thread": from_thread, **asks})
    begin = workflow.start if is_asking else workflow.run
    drive = _drive(config, home, delivery, workflow, progress, thread_id)
    drive.run(begin(asked, thread_id=thread_id), is_asking=is_asking)


def run_settings(named: Sequence[str], **options: Any) -> dict[str, Any]:
    """Return the settings of a run.

    Args:
        named: those of `--set`, each NAME=VALUE.
        options: those that have an option of their own; None: it was not given.

    Raises:
        UsageMistakeError: one has not the form NAME=VALUE.
    """
    pairs = {text: text.partition("=") for text in named}
    for pair, (name, sign, value) in pairs.items():
        if not (name.strip() and sign and value.strip()):
            raise UsageMistakeError(f"--set {pair!r}: give NAME=VALUE, as in depth=quick")
    given = {name.strip(): value.strip() for name, _, value in pairs.values()}
    return given | {name: value for name, value in options.items() if value is not None}


def deliver_draft(config: AppConfig, delivery: ReportDelivery, thread_id: str) -> None:
    """Hand over the text that a person is asked about, in any format; the question stays open.

    Raises:
        ThreadNotFoundError: there is no such report.
        ExportError: nothing is written yet, or a file cannot be written.
    """
    report = run(previewed(config.persistence_url, thread_id))
    delivery.deliver(report, {"thread_id": thread_id})


def resume_report(  # noqa: PLR0913  # what the options say
    config: AppConfig,
    home: Path | None,
    delivery: ReportDelivery,
    answer: ReportAnswer | None,
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
    workflow = run(restored_report(config, thread_id, progress))
    drive = _drive(config, home, delivery, workflow, progress, thread_id)
    drive.run(_taken_up(workflow, thread_id, answer), is_asking=is_asking and answer is None)


def _drive(  # noqa: PLR0913, PLR0917  # what a drive is made of
    config: AppConfig,
    home: Path | None,
    delivery: ReportDelivery,
    workflow: ReportWorkflow,
    progress: ProgressLine,
    thread_id: str,
) -> ReportDrive:
    commands = ReportContinuation(thread_id, home, tuple(delivery.options))
    drive = ReportDrive(config.persistence_url, workflow, progress, delivery, commands)
    drive.editor = config.editor
    return drive


async def previewed(url: str, thread_id: str) -> Report:
    """Return a report before it is given out.

    Raises:
        ThreadNotFoundError: there is no such report.
        ExportError: nothing is written yet.
    """
    async with reading(ReportSession, url, thread_id) as session:
        return await session.preview()


def refuse_marks(*marks: str | None) -> None:
    """Refuse to mark papers of a report.

    Raises:
        UsageMistakeError: some are marked.
    """
    if any(mark is not None for mark in marks):
        raise UsageMistakeError(
            "papers are marked and sources waited for in a search, and this thread is a report: "
            "answer it with --approve, --edit FILE, --note WORDS or --reject NOTE"
        )


async def _taken_up(
    workflow: ReportWorkflow, thread_id: str, answer: ReportAnswer | None
) -> Review | Report:
    """Bring a report to its next open question or its end; a finished one is given as it is."""
    if answer is not None:
        return await workflow.answer(thread_id, answer.decision)
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
    """Return the question of the search that the report is made from."""
    if from_thread is None:
        raise UsageMistakeError("give a QUESTION, --from THREAD, or --thread THREAD")

    async def asked() -> str:
        async with reading(SearchSession, config.persistence_url, from_thread) as session:
            return (await session.state()).question

    return run(asked())


def _modification(given: Any, note: str | None) -> dict[str, Any]:
    """Return the decision that a file holds: whole, or the plan or draft alone."""
    if isinstance(given, dict) and "action" in given:
        return {**given, **({"feedback": note} if note else {})}
    if isinstance(given, dict) and set(given) <= {"research_plan", "draft"} and given:
        return {"action": "modify", "modifications": given, "feedback": note}
    keys = set(given) if isinstance(given, dict) else set()
    if keys & {"decomposed_questions", "search_queries", "expected_sections", "methodology"}:
        return {"action": "modify", "modifications": {"research_plan": given}, "feedback": note}
    if keys & {"title", "abstract", "sections", "conclusion"}:
        return {"action": "modify", "modifications": {"draft": given}, "feedback": note}
    shown = json.dumps(given, ensure_ascii=False, default=repr)[:200]
    raise InvalidDecisionError(
        f"the file holds neither a decision nor fields of a plan or a draft: {shown}"
    )
