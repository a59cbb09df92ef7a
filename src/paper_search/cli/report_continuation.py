"""What is left to do with a report that did not end, and the commands that do it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.program import command_line

if TYPE_CHECKING:
    from paper_search.report_workflow import Review

_COMMANDS = {
    "approve": ("--approve",),
    "modify": ("--note", "WORDS"),
    "reject": ("--reject", "NOTE"),
    "skip": ("--skip",),
}


@dataclass(frozen=True)
class ReportContinuation:
    """The commands that go on with one report.

    Args:
        thread_id: which report.
        home: as given on the command line; None: it was not.
        options: on where the report goes.
    """

    thread_id: str
    home: Path | None
    options: tuple[str, ...] = ()

    def command(self, *words: str) -> str:
        """Return the command that goes on with the report, with this decision."""
        options = ("--thread", self.thread_id, *words, *self.options)
        return command_line("report", *options, home=self.home)

    def lines(self, review: Review) -> list[str]:
        """Return what to tell a person: who waits, and how to answer."""
        from paper_search.report_workflow.breakpoints import HITL_BREAKPOINTS

        asked = HITL_BREAKPOINTS[review.kind].question
        taken = {each.value for each in review.actions}
        answers = [
            f"  {action + ':':9}{self.command(*words)}"
            for action, words in _COMMANDS.items()
            if action in taken
        ]
        return [f"report {self.thread_id} waits for you: {asked}", *answers]

    def document(self, review: Review) -> dict[str, Any]:
        """Return the same for machines."""
        return {
            "thread_id": self.thread_id,
            "status": "waiting",
            "review": review.model_dump(mode="json"),
            "expires_at": review.expires_at.isoformat(),
            "continue": self.command("--approve"),
        }
