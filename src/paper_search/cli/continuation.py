"""What is left to do with a thread that did not end, and the commands that do it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import typer

from paper_search.cli.console import command_line, is_interactive, messages, print_json, say
from paper_search.cli.failures import ExitCode

if TYPE_CHECKING:
    from paper_search.report_workflow import Review
    from paper_search.workflow import Checkpoint

_QUESTIONS = {
    "strategy_confirmation": "is this the search strategy?",
    "result_review": "is this the result?",
}
_REVIEW_OPTIONS = {
    "approve": ("--approve",),
    "modify": ("--note", "WORDS"),
    "reject": ("--reject", "NOTE"),
    "skip": ("--skip",),
}
QuestionT = TypeVar("QuestionT")


@dataclass(frozen=True)
class Continuation(ABC, Generic[QuestionT]):
    """The commands that go on with one thread.

    Args:
        thread_id: which thread.
        home: as given on the command line; None: it was not.
        options: on where the result goes.
    """

    thread_id: str
    home: Path | None
    options: tuple[str, ...] = ()

    @abstractmethod
    def command(self, *decision: str) -> str:
        """Return the command that goes on with the thread, with this decision."""

    @abstractmethod
    def lines(self, question: QuestionT) -> list[str]:
        """Return what to tell a person: who waits, and how to answer."""

    @abstractmethod
    def show(self, question: QuestionT) -> None:
        """Show the question on stderr."""

    @abstractmethod
    def _asked(self, question: QuestionT) -> dict[str, Any]:
        """Return the question for machines."""

    def pause(self, question: QuestionT, *, is_json: bool) -> NoReturn:
        """Say what waits and how to answer, and end the command with the exit code for that."""
        if is_json:
            print_json(self.document(question))
        elif not is_interactive():
            self.show(question)
        for line in self.lines(question):
            say(line)
        raise typer.Exit(ExitCode.WAITING)

    def document(self, question: QuestionT) -> dict[str, Any]:
        """Return what waits, and how to answer, for machines."""
        return {
            "thread_id": self.thread_id,
            "status": "waiting",
            **self._asked(question),
            "continue": self.command("--approve", *_token(question)),
        }


class SearchContinuation(Continuation["Checkpoint"]):
    """The commands that go on with one search."""

    def command(self, *decision: str) -> str:
        """See `Continuation.command`."""
        return command_line("resume", self.thread_id, *decision, *self.options, home=self.home)

    def details(self) -> str:
        """Return the command that shows all that the sources were asked and said."""
        return command_line("show", self.thread_id, "--details", home=self.home)

    def judging(self) -> str:
        """Return the command that asks a model about the papers that are unjudged."""
        return command_line("judge", self.thread_id, "--unjudged", home=self.home)

    def lines(self, question: Checkpoint) -> list[str]:
        """See `Continuation.lines`."""
        edit, screen, judged = ["--edit", "FILE"], list[str](), list[str]()
        late = getattr(question.payload, "unfinished_sources", [])
        if question.kind.value == "result_review":
            edit = ["--relevant", "IDS", "--irrelevant", "IDS", "--note", "WORDS"]
            one_by_one = command_line("screen", self.thread_id, home=self.home)
            screen = [f"  screen:  {one_by_one}"]
            judged = self._judged(question)
        return [
            f"thread {self.thread_id} waits for you: {_QUESTIONS[question.kind.value]}",
            f"  approve: {self.command('--approve', *_token(question))}",
            f"  edit:    {self.command(*edit, *_token(question))}",
            f"  reject:  {self.command('--reject', 'NOTE', *_token(question))}",
            *([f"  wait:    {self.command('--wait', *_token(question))}"] if late else []),
            *screen,
            *judged,
        ]

    def _judged(self, question: Checkpoint) -> list[str]:
        """Return the command for papers that the model did not judge; none: there are none."""
        collection = getattr(question.payload, "collection", None)
        every = [*collection.papers, *collection.set_aside] if collection else []
        has_judged_all = all(paper.is_judged for paper in every)
        return [] if has_judged_all else [f"  judge:   {self.judging()}"]

    def show(self, question: Checkpoint) -> None:
        """See `Continuation.show`."""
        from paper_search.cli.views import show_checkpoint

        show_checkpoint(messages(), question, home=self.home)

    def _asked(self, question: Checkpoint) -> dict[str, Any]:
        return {"checkpoint": question.model_dump(mode="json")}


class ReportContinuation(Continuation["Review"]):
    """The commands that go on with one report."""

    def command(self, *decision: str) -> str:
        """See `Continuation.command`."""
        options = ("--thread", self.thread_id, *decision, *self.options)
        return command_line("report", *options, home=self.home)

    def lines(self, question: Review) -> list[str]:
        """See `Continuation.lines`."""
        from paper_search.report_workflow.breakpoints import HITL_BREAKPOINTS

        asked = HITL_BREAKPOINTS[question.kind].question
        taken = {action.value for action in question.actions}
        answers = [
            f"  {action + ':':9}{self.command(*options, *_token(question))}"
            for action, options in _REVIEW_OPTIONS.items()
            if action in taken
        ]
        return [f"report {self.thread_id} waits for you: {asked}", *answers]

    def show(self, question: Review) -> None:
        """See `Continuation.show`."""
        from paper_search.cli.report_review import show_review

        show_review(messages(), question)

    def _asked(self, question: Review) -> dict[str, Any]:
        return {
            "review": question.model_dump(mode="json"),
            "expires_at": question.expires_at.isoformat(),
        }


def _token(question: Any) -> tuple[str, ...]:
    """Return the options that name a question; none for one of an older program."""
    return ("--token", question.token) if question.token else ()
