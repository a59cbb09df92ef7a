"""Run a search or a report from question to question until it ends or waits."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import typer

from paper_search.cli.console import (
    ExitCode,
    ProgressLine,
    is_interactive,
    run,
    say,
    visible,
    with_persistence,
)
from paper_search.cli.outputs import OutputTarget
from paper_search.cli.prompts import QuitError, Terminal
from paper_search.cli.source_lines import (
    failed_sources,
    failure_lines,
    in_words,
    meaning_hint,
    no_network,
    public_sources_hint,
    unfinished_line,
)
from paper_search.cli.stored_threads import NextCommands, preview
from paper_search.config import AppConfig, use_one_blas_thread
from paper_search.errors import (
    InputError,
    InvalidDecisionError,
    PaperSearchError,
    StaleDecisionError,
    ThreadError,
    ThreadWaitingError,
)
from paper_search.models import EndReason, PaperCollection
from paper_search.models.source_report import quantity
from paper_search.persistence import open_persistence
from paper_search.threads.engine import ThreadEngine
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind
from paper_search.workflow.counts import summaries
from paper_search.workflow.judging import JudgingReport
from paper_search.workflow.questions import remarks
from paper_search.workflow.results import part_of
from paper_search.workflow.session import SearchSession
from paper_search.workflow.state import WorkflowState

if TYPE_CHECKING:
    from paper_search.cli.answers import Answer
    from paper_search.report.document import Report
    from paper_search.report_workflow import Review


class ThreadRunner(ABC):
    """Runs a thread for as long as the person answers its questions.

    Everything runs on one event loop, which is idle at a prompt: clients of sources stay open, and
    Ctrl-C raises KeyboardInterrupt there.
    """

    noun: ClassVar[str] = "thread"

    def __init__(
        self,
        config: AppConfig,
        workflow: ThreadEngine[Any, Any, Any],
        progress: ProgressLine,
        output: OutputTarget,
        commands: NextCommands,
    ) -> None:
        self._config = config
        self._url = config.persistence_url
        self._workflow = workflow
        self._progress = progress
        self._output = output
        self._commands = commands
        self._thread_id = commands.thread_id

    @abstractmethod
    def _decide(self, question: Any, terminal: Terminal, runner: asyncio.Runner) -> Any:
        """Return the person's decision; QuitError if the question stays open."""

    async def _decision(self, answer: Answer) -> dict[str, Any]:
        return answer.decision(None)

    @abstractmethod
    def _hand_over(self, result: Any, state: Any) -> None: ...

    def resume(self, answer: Answer) -> None:
        self.run(self._continued(answer), is_asking=answer.is_empty)

    async def _continued(self, answer: Answer) -> Any:
        if not answer.is_empty:
            return await self._workflow.answer(self._thread_id, await self._decision(answer))
        question = await self._workflow.pending(self._thread_id)
        if question is not None and answer.token not in {None, question.token}:
            raise self._stale(answer, question)
        try:
            return await self._workflow.proceed(self._thread_id)
        except ThreadWaitingError:
            if question is None:
                raise
            return question

    def _stale(self, answer: Answer, question: Any) -> StaleDecisionError:
        return StaleDecisionError(
            f"the open question is not the one with the token {answer.token}, but "
            f"{question.reference} (token {question.token}). See `paper-search show "
            f"{self._thread_id}`"
        )

    def run(self, beginning: Coroutine[Any, Any, Any], *, is_asking: bool) -> None:
        """Run the thread, ask at a terminal, and deliver the result or print how to continue.

        Raises:
            typer.Exit: the thread waits, was interrupted or ended in failure.
            PaperSearchError: the run failed; how to resume the thread was printed before.
        """
        use_one_blas_thread()
        with asyncio.Runner() as runner:
            try:
                outcome = self._work(runner, beginning)
                if is_asking and is_interactive():
                    outcome = self._ask(runner, outcome)
                state = run(self._state(), runner)
            except KeyboardInterrupt:
                if not self._say_resumable(runner, "interrupted"):
                    say("interrupted; there is nothing to resume")
                raise typer.Exit(ExitCode.INTERRUPTED) from None
            except (InputError, ThreadError):
                raise
            except Exception:
                self._say_resumable(runner, "stopped")
                raise
            # Before the loop closes: it waits for DNS look-ups, which are slow without a network.
            if self._is_question(outcome):
                self._commands.exit_waiting(outcome, is_json=self._output.is_json)
            self._hand_over(outcome, state)

    def _is_question(self, outcome: Any) -> bool:
        return isinstance(outcome, self._workflow.session_type.question_type)

    def _work(self, runner: asyncio.Runner, work: Coroutine[Any, Any, Any]) -> Any:
        with self._progress.show():
            return run(work, runner)

    def _ask(self, runner: asyncio.Runner, outcome: Any) -> Any:
        while self._is_question(outcome):
            try:
                decision = self._decide(outcome, Terminal(), runner)
                outcome = self._work(runner, self._workflow.answer(self._thread_id, decision))
            except QuitError:
                break
            except InvalidDecisionError as error:
                say(visible(error))
        return outcome

    def _say_resumable(self, runner: asyncio.Runner, event: str) -> bool:
        """Print how to resume the thread; False if there is nothing to resume."""
        try:
            state = run(self._state(), runner)
        except PaperSearchError:
            return False
        if state.is_complete:
            return False
        say(f"{event}; {self.noun} {self._thread_id}; continue with:")
        say(f"  {self._commands.resume()}")
        return True

    async def _state(self) -> Any:
        session_type, thread_id = self._workflow.session_type, self._thread_id
        return await with_persistence(self._url, lambda p: session_type.on(p, thread_id).state())


class ReportRunner(ThreadRunner):
    noun = "report"

    def _decide(self, question: Review, terminal: Terminal, _runner: asyncio.Runner) -> Any:
        from paper_search.cli.report_questions import decide_review

        def report() -> Report:
            return run(preview(self._url, self._thread_id))

        return decide_review(terminal, question, report, self._config.editor)

    def _hand_over(self, result: Report, _state: Any) -> None:
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


class SearchRunner(ThreadRunner):
    def _decide(self, question: Checkpoint, terminal: Terminal, runner: asyncio.Runner) -> Any:
        from paper_search.cli.search_questions import ResultReview, StrategyReview
        from paper_search.workflow.assembly import translations

        if question.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            return StrategyReview(
                *(terminal, question, self._config.editor),
                lambda strategy: translations(self._config, strategy),
            ).decide()

        def save(work: Callable[[SearchSession], Awaitable[None]]) -> None:
            thread_id = self._thread_id
            saving = with_persistence(self._url, lambda p: work(SearchSession.on(p, thread_id)))
            runner.run(saving)

        return ResultReview(terminal, question, save, self._commands.home).decide()

    async def _decision(self, answer: Answer) -> dict[str, Any]:
        async with open_persistence(self._url) as persistence:
            session = SearchSession.on(persistence, self._thread_id)
            waiting = None if (await session.state()).is_complete else await session.open_question()
            if answer.token is None or answer.depends_on_question:
                waiting = await session.require_question()
        question = waiting.question if waiting else None
        if question is not None and answer.token not in {None, question.token}:
            if answer.depends_on_question:
                raise self._stale(answer, question)
            question = None
        return answer.decision(question)

    def _hand_over(self, result: PaperCollection, state: WorkflowState) -> None:
        self._output.deliver(part_of(result), {"thread_id": self._thread_id, "status": "done"})
        ending = (result.ended_by.value if result.ended_by else "done").replace("_", " ")
        say(f"{quantity(len(result.papers), 'paper')}, {ending}; thread {self._thread_id}")
        if excluded := result.excluded:
            command = self._commands.command("export", "--decision", "excluded")
            say(f"{excluded} decided irrelevant and left out; to list them: {command}")
        for line in self._closing_messages(result, state):
            say(line)
        judging = JudgingReport.of([*result.papers, *result.set_aside])
        if judging.summary is not None:
            command = self._commands.command("judge", *judging.options)
            say(visible(f"{judging.summary}; `{command}` asks again"))
        is_failure = not result.papers and _have_all_failed(state)
        if judging.is_failure or is_failure:
            raise typer.Exit(ExitCode.FAILED)

    def _closing_messages(self, collection: PaperCollection, state: WorkflowState) -> Iterator[str]:
        reports, home = state.reports, self._commands.home
        if state.intent is not None:
            yield from map(visible, state.intent.notes)
        is_unseen = collection.ended_by is EndReason.NOT_REVIEWED
        if is_unseen and (strategy := state.strategy):
            yield from map(visible, strategy.notes)
            if any(query.boolean_query == state.question for query in strategy.queries):
                yield from map(visible, remarks(strategy))
        for source in summaries(reports):
            if source.note and not source.status.is_failure:
                yield visible(f"{source.source}: {source.note}")
        if state.fit and is_unseen:  # otherwise part of the question
            yield state.fit
        if collection.known_papers is not None:
            yield visible(collection.known_papers.summary)
        failed = failed_sources(reports)
        if not collection.papers and no_network(reports) is None:
            is_failure = _have_all_failed(state)
            lack = f"no papers: {in_words(failed)} failed" if is_failure else "no papers"
            command = self._commands.command("show", "--details")
            yield visible(f"{lack}; to see each query and what the sources answered: {command}")
        yield from map(visible, failure_lines(reports))
        if silent := [name for name in collection.silent_sources if name not in failed]:
            yield visible(f"No results from: {', '.join(silent)}")
        closing = (
            unfinished_line(state.question, reports if is_unseen else [], home),
            public_sources_hint(state.question, reports, len(collection.papers), home),
            meaning_hint(self._config, reports),
        )
        yield from (visible(line) for line in closing if line is not None)


def _have_all_failed(state: WorkflowState) -> bool:
    sources = {report.source for report in state.reports}
    return bool(sources) and sources == set(failed_sources(state.reports))
