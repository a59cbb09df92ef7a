"""What is left to do with a thread that did not end, and the commands that do it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.program import command_line

if TYPE_CHECKING:
    from paper_search.workflow import Checkpoint

_QUESTIONS = {
    "strategy_confirmation": "is this the search strategy?",
    "result_review": "is this the result?",
}


@dataclass(frozen=True)
class Continuation:
    """The commands that go on with one thread.

    Args:
        thread_id: which thread.
        home: as given on the command line; None: it was not.
        options: on where the papers go.
    """

    thread_id: str
    home: Path | None
    options: tuple[str, ...] = ()

    def command(self, *decision: str) -> str:
        """Return the command that resumes the thread, with this decision."""
        return command_line("resume", self.thread_id, *decision, *self.options, home=self.home)

    def details(self) -> str:
        """Return the command that shows all that the sources were asked and said."""
        return command_line("show", self.thread_id, "--details", home=self.home)

    def lines(self, checkpoint: Checkpoint) -> list[str]:
        """Return what to tell a person: who waits, and how to answer."""
        edit, screen = ["--edit", "FILE"], []
        if checkpoint.kind.value == "result_review":
            edit = ["--relevant", "IDS", "--irrelevant", "IDS", "--note", "WORDS"]
            one_by_one = command_line("screen", self.thread_id, home=self.home)
            screen = [f"  screen:  {one_by_one}"]
        return [
            f"thread {self.thread_id} waits for you: {_QUESTIONS[checkpoint.kind.value]}",
            f"  approve: {self.command('--approve')}",
            f"  edit:    {self.command(*edit)}",
            f"  reject:  {self.command('--reject', 'NOTE')}",
            *screen,
        ]

    def document(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return the same for machines."""
        return {
            "thread_id": self.thread_id,
            "status": "waiting",
            "checkpoint": checkpoint.model_dump(mode="json"),
            "continue": self.command("--approve"),
        }
