"""Stored threads: load and reopen them, and the commands that continue them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import typer

from paper_search.cli.console import (
    ExitCode,
    ProgressLine,
    UsageMistakeError,
    command_line,
    is_interactive,
    print_json,
    say,
    stderr_console,
    with_persistence,
)
from paper_search.persistence import open_persistence
from paper_search.workflow import SearchWorkflow, ThreadDetail
from paper_search.workflow.assembly import sources_of_run, translations
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind, StrategyPayload
from paper_search.workflow.session import SearchSession

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models.usage import Budget
    from paper_search.report.document import Report
    from paper_search.report_workflow import ReportWorkflow, Review
    from paper_search.report_workflow.engine import ReportDetail
    from paper_search.report_workflow.reviews import BreakpointName
    from paper_search.threads.catalogs import PlainDetail
    from paper_search.threads.engine import ProgressReporter

    Question = Checkpoint | Review

AnyDetail: TypeAlias = "ThreadDetail | ReportDetail | PlainDetail"


async def thread_detail(url: str, thread_id: str) -> AnyDetail:
    from paper_search.report_workflow.listing import ThreadCatalogs

    async with open_persistence(url) as persistence:
        catalog: Any = await ThreadCatalogs(persistence).catalog_of(thread_id)
        detail: AnyDetail = await catalog.show(thread_id)
        return detail


def with_translations(config: AppConfig, detail: AnyDetail) -> AnyDetail:
    """Return a thread with what each source will be sent, if a strategy waits for a decision."""
    waiting = detail.open_checkpoint if isinstance(detail, ThreadDetail) else None
    if waiting is None or not isinstance(waiting.payload, StrategyPayload):
        return detail
    strings = translations(config, waiting.payload.strategy)
    return detail.model_copy(update={"translations": strings})


async def check_is_known(url: str, thread_id: str) -> None:
    from paper_search.report_workflow.listing import ThreadCatalogs

    await with_persistence(url, lambda p: ThreadCatalogs(p).catalog_of(thread_id))


async def is_report(url: str, thread_id: str) -> bool:
    from paper_search.report_workflow.listing import REPORT, ThreadCatalogs

    return await with_persistence(url, lambda p: ThreadCatalogs(p).graph_of(thread_id)) == REPORT


async def preview(url: str, thread_id: str) -> Report:
    from paper_search.report_workflow.engine import ReportSession

    return await with_persistence(url, lambda p: ReportSession.on(p, thread_id).preview())


async def load_search(
    config: AppConfig, thread_id: str, progress: ProgressReporter
) -> SearchWorkflow:
    url = config.persistence_url
    values = await with_persistence(url, lambda p: SearchSession.on(p, thread_id).channels())
    return SearchWorkflow.from_config(
        config, progress_reporter=progress, persistence=url, sources=sources_of_run(config, values)
    )


async def load_report(
    config: AppConfig, thread_id: str, progress: ProgressReporter
) -> ReportWorkflow:
    from paper_search.report_workflow import ReportWorkflow
    from paper_search.report_workflow.assembly import services_begun_with
    from paper_search.report_workflow.engine import ReportSession

    url = config.persistence_url
    values = await with_persistence(url, lambda p: ReportSession.on(p, thread_id).channels())
    return ReportWorkflow.from_config(
        config, progress_reporter=progress, persistence=url, **services_begun_with(values)
    )


def set_budget(config: AppConfig, thread_id: str, budget: Budget | None) -> None:
    """Limit the total spending of a thread; None changes nothing."""
    from paper_search.llm.usage_log import BudgetSet, UsageLog

    if budget is not None:
        UsageLog(config.usage_path, thread_id).append(BudgetSet(budget=budget))


async def _delete_damaged(config: AppConfig, thread_id: str) -> None:
    """Delete states that cannot be read, so that the settings are read from one before them."""
    url = config.persistence_url
    await with_persistence(url, lambda p: SearchSession.on(p, thread_id).delete_damaged())


async def reopen(config: AppConfig, thread_id: str, to: str | None, number: int | None) -> object:
    """Go back to a decided question of a search or report.

    `number`: of the round, or of the question in a report; None means the latest.
    """
    if await is_report(config.persistence_url, thread_id):
        if to in {"strategy", "result"}:
            raise UsageMistakeError(f"a report has no {to}; --to takes plan or draft here")
        draft: tuple[BreakpointName, ...] = ("pre_output_review", "critical_issue_review")
        names = ("plan_review",) if to == "plan" else draft if to == "draft" else ()
        await _delete_damaged(config, thread_id)
        report = await load_report(config, thread_id, ProgressLine())
        return await report.fork(thread_id, *names, number=number)
    if to in {"plan", "draft"}:
        raise UsageMistakeError(f"a search has no {to}; --to takes strategy or result here")
    strategy, result = CheckpointKind.STRATEGY_CONFIRMATION, CheckpointKind.RESULT_REVIEW
    kind = strategy if to == "strategy" else result
    await _delete_damaged(config, thread_id)
    search = await load_search(config, thread_id, ProgressLine())
    question = await search.fork(thread_id, kind, None if number is None else number - 1)
    url = config.persistence_url
    *_, last = await with_persistence(url, lambda p: p.ledger.audit(thread_id))
    for name in last.detail.get("files", ()):
        say(f"{name!r}, added later, is no longer part of the thread; use `add` to add it again")
    return question


_REVIEW_OPTIONS = {
    "approve": ("--approve",),
    "modify": ("--note", "WORDS"),
    "reject": ("--reject", "NOTE"),
    "skip": ("--skip",),
}


@dataclass(frozen=True)
class NextCommands:
    thread_id: str
    home: Path | None
    options: tuple[str, ...] = ()

    def command(self, name: str, *options: str) -> str:
        return command_line(name, self.thread_id, *options, home=self.home)

    def resume(self, *decision: str) -> str:
        return self.command("resume", *decision, *self.options)

    def lines(self, question: Question) -> list[str]:
        """Return which question is open, and the commands that answer it."""
        token = ("--token", question.token) if question.token else ()
        if isinstance(question, Checkpoint):
            is_result = question.kind is CheckpointKind.RESULT_REVIEW
            topic = "is this the result?" if is_result else "is this the search strategy?"
            noun, answers, others = "thread", *self._of_search(question, is_result=is_result)
        else:
            from paper_search.report_workflow.reviews import HITL_BREAKPOINTS

            noun, topic, others = "report", HITL_BREAKPOINTS[question.kind].question, {}
            actions = {action.value for action in question.actions}
            answers = {name: it for name, it in _REVIEW_OPTIONS.items() if name in actions}
        commands = {name: self.resume(*options, *token) for name, options in answers.items()}
        return [
            f"{noun} {self.thread_id} waits for you: {topic}",
            *(f"  {f'{name}:':9}{command}" for name, command in (commands | others).items()),
        ]

    def _of_search(
        self, question: Checkpoint, *, is_result: bool
    ) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
        marks = ("--relevant", "IDS", "--irrelevant", "IDS", "--note", "WORDS")
        answers: dict[str, tuple[str, ...]] = {
            "approve": ("--approve",),
            "edit": marks if is_result else ("--edit", "FILE"),
            "reject": ("--reject", "NOTE"),
        }
        if getattr(question.payload, "unfinished_sources", []):
            answers["wait"] = ("--wait",)
        others = {"screen": self.command("screen")} if is_result else {}
        collection = getattr(question.payload, "collection", None)
        papers = [*collection.papers, *collection.set_aside] if collection else []
        if not all(paper.is_judged for paper in papers):
            others["judge"] = self.command("judge", "--unjudged")
        return answers, others

    def exit_waiting(self, question: Question, *, is_json: bool) -> NoReturn:
        """Print the open question and how to answer it, and exit with ExitCode.WAITING."""
        from paper_search.cli.views import show_question

        if is_json:
            waiting = {"thread_id": self.thread_id, "status": "waiting", **_fields(question)}
            token = ("--token", question.token) if question.token else ()
            print_json({**waiting, "continue": self.resume("--approve", *token)})
        elif not is_interactive():
            show_question(stderr_console(), question, home=self.home)
        for line in self.lines(question):
            say(line)
        raise typer.Exit(ExitCode.WAITING)


def _fields(question: Question) -> dict[str, Any]:
    document = question.model_dump(mode="json")
    if isinstance(question, Checkpoint):
        return {"checkpoint": document}
    return {"review": document, "expires_at": question.expires_at.isoformat()}
