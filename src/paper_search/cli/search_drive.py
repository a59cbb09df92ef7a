"""A search at the command line: its two questions, its papers, and what to know of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from paper_search.cli.console import command_line, say, shortened, visible
from paper_search.cli.continuation import SearchContinuation
from paper_search.cli.delivery import Delivery
from paper_search.cli.drive import Drive
from paper_search.cli.failures import ExitCode
from paper_search.cli.progress import ProgressLine
from paper_search.cli.restoration import reading
from paper_search.cli.source_lines import (
    failure_lines,
    no_network,
    unfinished_line,
    world_line,
)
from paper_search.cli.terminal import Terminal
from paper_search.models import EndReason, PaperCollection
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind
from paper_search.workflow.counts import summaries
from paper_search.workflow.judging import JudgingReport
from paper_search.workflow.questions import remarks
from paper_search.workflow.results import part_of
from paper_search.workflow.session import SearchSession

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models import MergeDecision
    from paper_search.workflow import Decision, SearchWorkflow
    from paper_search.workflow.state import WorkflowState


class SearchDrive(Drive[Checkpoint, PaperCollection, Delivery]):
    """Takes a search as far as the person takes it; see `Drive`."""

    session_type = SearchSession
    noun = "thread"

    def __init__(
        self,
        config: AppConfig,
        workflow: SearchWorkflow,
        progress: ProgressLine,
        delivery: Delivery,
        continuation: SearchContinuation,
    ) -> None:
        super().__init__(config.persistence_url, workflow, progress, delivery, continuation)
        self._config = config
        self._commands = continuation

    def _decide(self, question: Checkpoint, terminal: Terminal, runner: asyncio.Runner) -> Decision:
        if question.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            from paper_search.cli.strategy_review import StrategyReview
            from paper_search.workflow.assembly import translations

            review = StrategyReview(
                terminal, self._config.editor, lambda given: translations(self._config, given)
            )
            return review.decide(question)
        from paper_search.cli.result_review import ResultReview

        save = _Saver(runner, self._url, self._thread_id)
        return ResultReview(terminal, save, self._commands.home).decide(question)

    def _hand_over(self, result: PaperCollection, state: WorkflowState) -> None:
        ended_by = result.ended_by.value if result.ended_by else None
        about = {"thread_id": self._thread_id, "status": "done"}
        self._delivery.deliver(part_of(result), about)
        words = (ended_by or "done").replace("_", " ")
        count = len(result.papers)
        counted = "1 paper" if count == 1 else f"{count} papers"
        say(f"{counted}, {words}; thread {self._thread_id}")
        if excluded := sum(paper.decision == "excluded" for paper in result.set_aside):
            export = ("export", self._thread_id, "--decision", "excluded")
            command = command_line(*export, home=self._commands.home)
            say(f"{excluded} decided irrelevant and left out; to list them: {command}")
        for line in self._remarks(result, state):
            say(line)
        judging = JudgingReport.of([*result.papers, *result.set_aside])
        if judging.summary is not None:
            say(visible(f"{judging.summary}; `{self._commands.judging()}` asks again"))
        if judging.is_failure:
            raise typer.Exit(ExitCode.FAILED)
        failures = [report for report in state.reports if report.is_failure]
        if failures and len(failures) == len(state.reports) and not result.papers:
            raise typer.Exit(ExitCode.FAILED)

    def _remarks(self, collection: PaperCollection, state: WorkflowState) -> Iterator[str]:
        """Return what to know of a search that ended: notes, failures, and where else to search."""
        if state.intent is not None:
            yield from map(visible, state.intent.notes)
        strategy = state.strategy
        is_unseen = collection.ended_by is EndReason.NOT_REVIEWED
        if (
            is_unseen
            and strategy
            and any(query.boolean_query == state.question for query in strategy.queries)
        ):
            yield from map(visible, remarks(strategy))
        for source in summaries(state.reports):
            if source.note and not source.status.is_failure:
                yield shortened(visible(f"{source.source}: {source.note}"))
        if collection.known_papers is not None:
            yield visible(collection.known_papers.summary)
        is_offline = no_network(state.reports) is not None
        if not collection.papers and not is_offline:
            command = self._commands.details()
            is_answered = any(not report.is_failure for report in state.reports)
            what = "no relevant papers" if is_answered else "no source answered"
            yield f"{what}; to see each query and what the sources answered: {command}"
        yield from map(visible, failure_lines(state.reports))
        failed = {report.source for report in state.reports if report.is_failure}
        if silent := [name for name in collection.silent_sources if name not in failed]:
            yield visible(f"No results from: {', '.join(silent)}")
        home = self._commands.home
        unseen = state.reports if is_unseen else []
        closing = (
            unfinished_line(state.question, unseen, home),
            world_line(state.question, state.reports, len(collection.papers), home),
        )
        yield from (visible(line) for line in closing if line is not None)


@dataclass(frozen=True)
class _Saver:
    """Saves what a person says of papers while the event loop rests."""

    runner: asyncio.Runner
    url: str
    thread_id: str

    def mark(self, paper_ids: list[str], *, is_relevant: bool | None, reason: str | None) -> None:
        """See `SavesDecisions`."""

        async def save() -> None:
            async with reading(SearchSession, self.url, self.thread_id) as session:
                await session.mark(paper_ids, is_relevant=is_relevant, reason=reason)

        self.runner.run(save())

    def mark_pairs(self, decisions: list[MergeDecision]) -> None:
        """See `SavesDecisions`."""

        async def save() -> None:
            async with reading(SearchSession, self.url, self.thread_id) as session:
                await session.mark_pairs(decisions)

        self.runner.run(save())
