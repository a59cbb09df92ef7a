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
from paper_search.cli.console import is_interactive, messages, print_json, say, visible
from paper_search.cli.failures import ExitCode, UsageMistakeError
from paper_search.cli.progress import ProgressLine
from paper_search.cli.report_continuation import ReportContinuation
from paper_search.cli.report_restoration import report_workflow, restored_report
from paper_search.cli.report_review import ReportReview, show_review
from paper_search.cli.terminal import QuitError, Terminal
from paper_search.errors import InputError, InvalidDecisionError, PaperSearchError, ThreadError
from paper_search.report_workflow import Review

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from paper_search.cli.report_delivery import ReportDelivery
    from paper_search.config import AppConfig
    from paper_search.report.document import Report
    from paper_search.report_workflow import ReportWorkflow


@dataclass(frozen=True)
class ReportAnswer:
    """What a person said with options."""

    decision: dict[str, Any]

    @classmethod
    def chosen(
        cls,
        approve: bool,
        edit: Path | None,
        note: str | None,
        reject: str | None,
        *,
        skip: bool,
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
            raise UsageMistakeError(f"{' and '.join(named)} exclude each other; give one of them")
        if edit is not None:
            return cls(_modification(document(edit), note))
        if note is not None:
            return cls({"action": "modify", "feedback": note})
        if reject is not None:
            return cls({"action": "reject", "feedback": reject})
        if approve or skip:
            return cls({"action": "approve" if approve else "skip"})
        return None


def drive_report(  # noqa: PLR0913  # what the options say
    config: AppConfig,
    home: Path | None,
    delivery: ReportDelivery,
    answer: ReportAnswer | None,
    *,
    question: str | None,
    from_thread: str | None,
    thread: str | None,
    is_asking: bool,
    run: Mapping[str, Any],
    runner: asyncio.Runner,
) -> None:
    """Begin a report or go on with one, ask whoever is there, and hand it over.

    Raises:
        UsageMistakeError: the options do not go together.
        typer.Exit: with the exit code, if the report does not simply end well.
    """
    progress = ProgressLine()
    with runner:
        if thread is None:
            if answer is not None:
                raise UsageMistakeError("an answer goes with --thread THREAD")
            thread_id = str(uuid.uuid4())
            asked = question or _question_of(runner, config, from_thread)
            asks = {"hitl_after_planning": is_asking, "hitl_before_output": is_asking}
            workflow = report_workflow(
                config, progress, {**run, "from_thread": from_thread, **asks}
            )
            begin = workflow.start if is_asking else workflow.run
            beginning = begin(asked, thread_id=thread_id)
        else:
            if question or from_thread:
                raise UsageMistakeError("--thread goes on with a report; it takes no QUESTION")
            thread_id = thread
            workflow = runner.run(restored_report(config, thread, progress))
            beginning = _taken_up(workflow, thread_id, answer)
        desk = _Desk(home, workflow, progress, delivery, thread_id)
        standing = desk.to_the_end(runner, beginning, is_asking=is_asking and answer is None)
    if isinstance(standing, Review):
        desk.pause(standing)
    else:
        desk.hand_over(standing)


def resume_report(
    config: AppConfig,
    home: Path | None,
    delivery: ReportDelivery,
    answer: ReportAnswer | None,
    thread: str,
) -> None:
    """Go on with a report, ask whoever is there, and hand it over; see `drive_report`."""
    drive_report(
        config,
        home,
        delivery,
        answer,
        question=None,
        from_thread=None,
        thread=thread,
        is_asking=True,
        run={},
        runner=asyncio.Runner(),
    )


def refuse_marks(*marks: str | None) -> None:
    """Refuse to mark papers of a report.

    Raises:
        UsageMistakeError: some are marked.
    """
    if any(each is not None for each in marks):
        raise UsageMistakeError(
            "papers are marked in a search, and this thread is a report: answer it with "
            "--approve, --edit FILE, --note WORDS or --reject NOTE"
        )


class _Desk:
    """One report and the person at hand."""

    def __init__(
        self,
        home: Path | None,
        workflow: ReportWorkflow,
        progress: ProgressLine,
        delivery: ReportDelivery,
        thread_id: str,
    ) -> None:
        self._workflow = workflow
        self._progress = progress
        self._delivery = delivery
        self._thread_id = thread_id
        self._continuation = ReportContinuation(thread_id, home, tuple(delivery.options))

    def to_the_end(
        self,
        runner: asyncio.Runner,
        beginning: Coroutine[Any, Any, Review | Report],
        *,
        is_asking: bool,
    ) -> Review | Report:
        """Work and ask until the report ends or the person leaves."""
        try:
            standing = self._worked(runner, beginning)
            while isinstance(standing, Review) and is_asking and is_interactive():
                try:
                    decision = ReportReview(Terminal()).decide(standing)
                except QuitError:
                    break
                try:
                    standing = self._worked(
                        runner, self._workflow.answer(self._thread_id, decision)
                    )
                except InvalidDecisionError as error:
                    say(visible(error))
        except KeyboardInterrupt:
            self._say_how_to_go_on("interrupted")
            raise typer.Exit(ExitCode.INTERRUPTED) from None
        except (InputError, ThreadError):
            raise
        except PaperSearchError:
            self._say_how_to_go_on("stopped")
            raise
        return standing

    def pause(self, review: Review) -> None:
        """Say what waits and how to answer, and leave."""
        if self._delivery.is_json:
            print_json(self._continuation.document(review))
        elif not is_interactive():
            show_review(messages(), review)
        for line in self._continuation.lines(review):
            say(line)
        raise typer.Exit(ExitCode.WAITING)

    def hand_over(self, report: Report) -> None:
        """Deliver the report; one that came to nothing is a failure."""
        self._delivery.deliver(report, {"thread_id": self._thread_id})
        ended = str(report.provenance.get("ended_by") or "").replace("_", " ")
        count = report.metadata.get("word_count", 0)
        parts = (f"{report.status} report", f"{count:,} words", ended)
        say(f"{', '.join(filter(None, parts))}; thread {self._thread_id}")
        if report.reason:
            say(visible(f"not a finished report: {report.reason}"))
        for each in report.provenance.get("errors") or []:
            say(visible(each))
        if report.status != "complete" and not report.sections:
            raise typer.Exit(ExitCode.FAILED)

    def _worked(
        self, runner: asyncio.Runner, work: Coroutine[Any, Any, Review | Report]
    ) -> Review | Report:
        with self._progress.shown():
            return runner.run(work)

    def _say_how_to_go_on(self, what: str) -> None:
        say(f"{what}; report {self._thread_id}; continue with:")
        say(f"  {self._continuation.command()}")


async def _taken_up(
    workflow: ReportWorkflow, thread_id: str, answer: ReportAnswer | None
) -> Review | Report:
    """Bring a report to its next open question or its end; a finished one is given as it is."""
    if answer is not None:
        return await workflow.answer(thread_id, await _named(workflow, thread_id, answer))
    from paper_search.errors import ThreadFinishedError, ThreadWaitingError

    try:
        return await workflow.proceed(thread_id)
    except ThreadFinishedError:
        return await workflow.report(thread_id)
    except ThreadWaitingError:
        review = await workflow.pending(thread_id)
        if review is None:
            raise
        return review


async def _named(workflow: ReportWorkflow, thread_id: str, answer: ReportAnswer) -> dict[str, Any]:
    """Return the decision with the question that is open now: it shall not answer the next one."""
    review = await workflow.pending(thread_id)
    if review is None:
        return answer.decision
    return {"review": review.reference.model_dump(mode="json"), **answer.decision}


def _question_of(runner: asyncio.Runner, config: AppConfig, from_thread: str | None) -> str:
    """Return the question of the search that the report is made from."""
    if from_thread is None:
        raise UsageMistakeError("give a QUESTION, --from THREAD, or --thread THREAD")
    from paper_search.cli.reading import reading_session

    async def asked() -> str:
        async with reading_session(config.persistence_url, from_thread) as session:
            return (await session.state()).question

    return runner.run(asked())


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
