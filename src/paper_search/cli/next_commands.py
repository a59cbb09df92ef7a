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
class NextCommands(ABC, Generic[QuestionT]):
    """The commands that go on with one thread."""

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
    def _fields(self, question: QuestionT) -> dict[str, Any]:
        """Return the question for machines."""

    def pause(self, question: QuestionT, *, is_json: bool) -> NoReturn:
        """Say what waits and how to answer, and end the command with the exit code for that."""
        if is_json:
            waiting = {"thread_id": self.thread_id, "status": "waiting", **self._fields(question)}
            print_json({**waiting, "continue": self._answer(question, "--approve")})
        elif not is_interactive():
            self.show(question)
        for line in self.lines(question):
            say(line)
        raise typer.Exit(ExitCode.WAITING)

    def _answer(self, question: Any, *decision: str) -> str:
        return self.command(*decision, *(("--token", question.token) if question.token else ()))


class SearchCommands(NextCommands["Checkpoint"]):
    """The commands that go on with one search."""

    def command(self, *decision: str) -> str:
        """See `NextCommands.command`."""
        return command_line("resume", self.thread_id, *decision, *self.options, home=self.home)

    def details(self) -> str:
        """Return the command that shows all that the sources were asked and said."""
        return command_line("show", self.thread_id, "--details", home=self.home)

    def judging(self) -> str:
        """Return the command that asks a model about the papers that are unjudged."""
        return command_line("judge", self.thread_id, "--unjudged", home=self.home)

    def lines(self, question: Checkpoint) -> list[str]:
        """See `NextCommands.lines`."""
        is_result = question.kind.value == "result_review"
        marks = ("--relevant", "IDS", "--irrelevant", "IDS", "--note", "WORDS")
        commands = {
            "approve": self._answer(question, "--approve"),
            "edit": self._answer(question, *(marks if is_result else ("--edit", "FILE"))),
            "reject": self._answer(question, "--reject", "NOTE"),
        }
        if getattr(question.payload, "unfinished_sources", []):
            commands["wait"] = self._answer(question, "--wait")
        if is_result:
            commands["screen"] = command_line("screen", self.thread_id, home=self.home)
        collection = getattr(question.payload, "collection", None)
        papers = [*collection.papers, *collection.set_aside] if collection else []
        if not all(paper.is_judged for paper in papers):
            commands["judge"] = self.judging()
        return [
            f"thread {self.thread_id} waits for you: {_QUESTIONS[question.kind.value]}",
            *(f"  {f'{name}:':9}{command}" for name, command in commands.items()),
        ]

    def show(self, question: Checkpoint) -> None:
        """See `NextCommands.show`."""
        from paper_search.cli.views import show_checkpoint

        show_checkpoint(messages(), question, home=self.home)

    def _fields(self, question: Checkpoint) -> dict[str, Any]:
        return {"checkpoint": question.model_dump(mode="json")}


class ReportCommands(NextCommands["Review"]):
    """The commands that go on with one report."""

    def command(self, *decision: str) -> str:
        """See `NextCommands.command`."""
        options = ("--thread", self.thread_id, *decision, *self.options)
        return command_line("report", *options, home=self.home)

    def lines(self, question: Review) -> list[str]:
        """See `NextCommands.lines`."""
        from paper_search.report_workflow.reviews import HITL_BREAKPOINTS

        asks = HITL_BREAKPOINTS[question.kind].question
        actions = {action.value for action in question.actions}
        return [
            f"report {self.thread_id} waits for you: {asks}",
            *(
                f"  {f'{action}:':9}{self._answer(question, *options)}"
                for action, options in _REVIEW_OPTIONS.items()
                if action in actions
            ),
        ]

    def show(self, question: Review) -> None:
        """See `NextCommands.show`."""
        from paper_search.cli.report_questions import show_review

        show_review(messages(), question)

    def _fields(self, question: Review) -> dict[str, Any]:
        return {
            "review": question.model_dump(mode="json"),
            "expires_at": question.expires_at.isoformat(),
        }
