"""One thread, driven from the command line: from question to question, to its end or its pause."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, ClassVar, Generic, TypeVar

import typer
from typing_extensions import TypeIs

from paper_search.cli.console import is_interactive, say, visible
from paper_search.cli.continuation import Continuation
from paper_search.cli.delivery import Destination
from paper_search.cli.failures import ExitCode
from paper_search.cli.progress import ProgressLine
from paper_search.cli.restoration import reading
from paper_search.cli.running import run
from paper_search.cli.terminal import QuitError, Terminal
from paper_search.errors import InputError, InvalidDecisionError, PaperSearchError, ThreadError
from paper_search.threads.engine import ThreadEngine
from paper_search.threads.session import ThreadSession

QuestionT = TypeVar("QuestionT")
ResultT = TypeVar("ResultT")
DestinationT = TypeVar("DestinationT", bound=Destination)


class Drive(ABC, Generic[QuestionT, ResultT, DestinationT]):
    """Takes a thread as far as the person takes it.

    Everything runs on one event loop, which rests while the person thinks: clients of sources
    live on, and Ctrl-C at a prompt is an ordinary one.

    Args:
        url: where threads live.
        workflow: what drives the thread.
        progress: the workflow's reporter.
        delivery: where the result goes.
        continuation: what to print if the thread does not end.
    """

    session_type: ClassVar[type[ThreadSession[Any, Any, Any]]]
    noun: ClassVar[str]
    """What such a thread is called."""

    def __init__(
        self,
        url: str,
        workflow: ThreadEngine[Any, Any, Any],
        progress: ProgressLine,
        delivery: DestinationT,
        continuation: Continuation[QuestionT],
    ) -> None:
        self._url = url
        self._workflow = workflow
        self._progress = progress
        self._delivery = delivery
        self._continuation = continuation
        self._thread_id = continuation.thread_id

    # --- what each graph has of its own -----------------------------------------------------------

    @abstractmethod
    def _decide(self, question: QuestionT, terminal: Terminal, runner: asyncio.Runner) -> Any:
        """Return what the person decides; Raises QuitError."""

    @abstractmethod
    def _hand_over(self, result: ResultT, state: Any) -> None:
        """Deliver the result and say what there is to know of it."""

    # --- driving ----------------------------------------------------------------------------------

    def run(self, beginning: Coroutine[Any, Any, QuestionT | ResultT], *, is_asking: bool) -> None:
        """Begin, ask whoever is there, and hand over the result or say how to go on.

        Args:
            beginning: the call that brings the thread to its first question or its end.
            is_asking: ask the person at the terminal, if there is one.

        Raises:
            typer.Exit: with the exit code, if the thread does not simply end well.
            PaperSearchError: it failed; if the thread can be resumed, this was said already.
        """
        with asyncio.Runner() as runner:
            try:
                reached = self._worked(runner, beginning)
                if is_asking and is_interactive():
                    reached = self._asked(runner, reached)
                state = run(self._state(), runner)
            except KeyboardInterrupt:
                if not self._is_resumable(runner, "interrupted"):
                    say("interrupted; there is nothing to resume")
                raise typer.Exit(ExitCode.INTERRUPTED) from None
            except (InputError, ThreadError):
                raise
            except Exception:
                self._is_resumable(runner, "stopped")
                raise
            # Closing the loop waits for look-ups of names, which take long without a network.
            if self._is_question(reached):
                self._continuation.pause(reached, is_json=self._delivery.is_json)
            else:
                self._hand_over(reached, state)

    def _is_question(self, reached: QuestionT | ResultT) -> TypeIs[QuestionT]:
        return isinstance(reached, self.session_type.question_type)

    def _worked(
        self, runner: asyncio.Runner, work: Coroutine[Any, Any, QuestionT | ResultT]
    ) -> QuestionT | ResultT:
        with self._progress.shown():
            return run(work, runner)

    def _asked(self, runner: asyncio.Runner, reached: QuestionT | ResultT) -> QuestionT | ResultT:
        """Ask the person until the thread ends or they leave."""
        while self._is_question(reached):
            try:
                decision = self._decide(reached, Terminal(), runner)
            except QuitError:
                break
            try:
                reached = self._worked(runner, self._workflow.answer(self._thread_id, decision))
            except InvalidDecisionError as error:
                say(visible(error))
        return reached

    def _is_resumable(self, runner: asyncio.Runner, what: str) -> bool:
        """Whether there is a thread to go on with; if so, say how."""
        try:
            state = run(self._state(), runner)
        except PaperSearchError:
            return False
        if state.is_complete:
            return False
        say(f"{what}; {self.noun} {self._thread_id}; continue with:")
        say(f"  {self._continuation.command()}")
        return True

    async def _state(self) -> Any:
        async with reading(self.session_type, self._url, self._thread_id) as session:
            return await session.state()
