"""One thread, driven from the command line: from question to question, to its end or its pause."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from paper_search.cli.console import (
    is_interactive,
    messages,
    print_json,
    say,
    shortened,
    visible,
)
from paper_search.cli.failures import ExitCode
from paper_search.cli.reading import reading_session
from paper_search.cli.source_lines import failure_lines, no_network, summaries, world_line
from paper_search.cli.terminal import QuitError, Terminal
from paper_search.errors import (
    InputError,
    InvalidDecisionError,
    PaperSearchError,
    ThreadError,
)
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind

if TYPE_CHECKING:
    from paper_search.cli.continuation import Continuation
    from paper_search.cli.delivery import Delivery
    from paper_search.cli.progress import ProgressLine
    from paper_search.config import AppConfig
    from paper_search.models import PaperCollection
    from paper_search.workflow import Decision, SearchWorkflow
    from paper_search.workflow.state import WorkflowState

Standing: TypeAlias = "Checkpoint | PaperCollection"
"""The question that is open, or the papers of the end."""


class Drive:
    """Takes a thread as far as the person at hand takes it.

    Everything runs on one event loop, which rests while the person thinks: clients of sources
    live on, and Ctrl-C at a prompt is an ordinary one.

    Args:
        config: the settings.
        workflow: what drives the thread.
        progress: the workflow's reporter.
        delivery: where the papers go.
        continuation: what to print if the thread does not end.
    """

    def __init__(
        self,
        config: AppConfig,
        workflow: SearchWorkflow,
        progress: ProgressLine,
        delivery: Delivery,
        continuation: Continuation,
    ) -> None:
        self._config = config
        self._workflow = workflow
        self._progress = progress
        self._delivery = delivery
        self._continuation = continuation
        self._thread_id = continuation.thread_id

    def run(self, beginning: Coroutine[Any, Any, Standing], *, is_asking: bool) -> None:
        """Begin, ask whoever is there, and hand over the papers or say how to go on.

        Args:
            beginning: the call that brings the thread to its first question or its end.
            is_asking: ask the person at the terminal, if there is one.

        Raises:
            typer.Exit: with the exit code, if the thread does not simply end well.
            PaperSearchError: it failed; if the thread can be resumed, this was said already.
        """
        with asyncio.Runner() as runner:
            try:
                standing = self._worked(runner, beginning)
                if is_asking and is_interactive():
                    standing = self._asked(runner, standing)
                state = runner.run(self._state())
            except KeyboardInterrupt:
                if not self._is_resumable(runner, "interrupted"):
                    say("interrupted; nothing is left to resume")
                raise typer.Exit(ExitCode.INTERRUPTED) from None
            except (InputError, ThreadError):
                raise
            except Exception:
                self._is_resumable(runner, "stopped")
                raise
            # Closing the loop waits for look-ups of names, which take long without a network.
            if isinstance(standing, Checkpoint):
                self._pause(standing)
            else:
                self._end(standing, state)

    def _worked(self, runner: asyncio.Runner, work: Coroutine[Any, Any, Standing]) -> Standing:
        with self._progress.shown():
            return runner.run(work)

    def _asked(self, runner: asyncio.Runner, standing: Standing) -> Standing:
        """Ask the person until the thread ends or they leave."""
        while isinstance(standing, Checkpoint):
            try:
                decision = self._decision(standing)
            except QuitError:
                break
            try:
                standing = self._worked(runner, self._workflow.answer(self._thread_id, decision))
            except InvalidDecisionError as error:
                say(visible(error))
        return standing

    def _decision(self, checkpoint: Checkpoint) -> Decision:
        terminal = Terminal()
        if checkpoint.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            from paper_search.cli.strategy_review import StrategyReview

            return StrategyReview(terminal, self._config.editor).decide(checkpoint)
        from paper_search.cli.result_review import ResultReview

        return ResultReview(terminal, self._continuation.home).decide(checkpoint)

    def _pause(self, checkpoint: Checkpoint) -> None:
        if self._delivery.is_json:
            print_json(self._continuation.document(checkpoint))
        elif not is_interactive():
            from paper_search.cli.views import show_checkpoint

            show_checkpoint(messages(), checkpoint, home=self._continuation.home)
        for line in self._continuation.lines(checkpoint):
            say(line)
        raise typer.Exit(ExitCode.WAITING)

    def _end(self, collection: PaperCollection, state: WorkflowState) -> None:
        ended_by = collection.ended_by.value if collection.ended_by else None
        self._delivery.deliver(
            collection,
            {
                "thread_id": self._thread_id,
                "status": "done",
            },
        )
        words = (ended_by or "done").replace("_", " ")
        say(f"{len(collection.papers)} papers, {words}; thread {self._thread_id}")
        for line in self._remarks(collection, state):
            say(line)
        failures = [each for each in state.reports if each.status.is_failure]
        if failures and len(failures) == len(state.reports) and not collection.papers:
            raise typer.Exit(ExitCode.FAILED)

    def _remarks(self, collection: PaperCollection, state: WorkflowState) -> Iterator[str]:
        """Return what to know of a search that ended: notes, failures, and where else to search."""
        if state.intent is not None:
            yield from map(visible, state.intent.notes)
        for source in summaries(state.reports):
            if source.note and not source.status.is_failure:
                yield shortened(visible(f"{source.source}: {source.note}"))
        if collection.known_papers is not None:
            yield visible(collection.known_papers.summary)
        if collection.coverage is not None:
            yield collection.coverage.summary
        is_offline = no_network(state.reports) is not None
        if not collection.papers and not is_offline:
            command = self._continuation.details()
            yield (
                "nothing relevant was found; what was asked, and what each source answered: "
                f"{command}"
            )
        yield from map(visible, failure_lines(state.reports))
        failed = {each.source for each in state.reports if each.status.is_failure}
        if silent := [name for name in collection.silent_sources if name not in failed]:
            yield visible(f"No results from: {', '.join(silent)}")
        home = self._continuation.home
        world = world_line(state.question, state.reports, len(collection.papers), home)
        if world is not None:
            yield visible(world)

    def _is_resumable(self, runner: asyncio.Runner, what: str) -> bool:
        """Whether there is a thread to go on with; if so, say how."""
        try:
            state = runner.run(self._state())
        except PaperSearchError:
            return False
        if state.is_complete:
            return False
        say(f"{what}; thread {self._thread_id}; continue with:")
        say(f"  {self._continuation.command()}")
        return True

    async def _state(self) -> WorkflowState:
        async with reading_session(self._config.persistence_url, self._thread_id) as session:
            return await session.state()
