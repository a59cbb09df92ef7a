"""The commands that continue a thread, and the end of a command whose thread waits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from paper_search.cli.console import (
    ExitCode,
    command_line,
    is_interactive,
    messages,
    print_json,
    say,
)
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind

if TYPE_CHECKING:
    from paper_search.report_workflow import Review

    Question = Checkpoint | Review

_REVIEW_OPTIONS = {
    "approve": ("--approve",),
    "modify": ("--note", "WORDS"),
    "reject": ("--reject", "NOTE"),
    "skip": ("--skip",),
}


@dataclass(frozen=True)
class NextCommands:
    """The commands that continue one search or report."""

    thread_id: str
    home: Path | None
    options: tuple[str, ...] = ()

    def command(self, name: str, *options: str) -> str:
        return command_line(name, self.thread_id, *options, home=self.home)

    def resume(self, *decision: str) -> str:
        return self.command("resume", *decision, *self.options)

    def lines(self, question: Question) -> list[str]:
        """Return what to tell a person: who waits, and how to answer."""
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
        commands = {
            name: self.resume(*options, *token) for name, options in answers.items()
        } | others
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

    def pause(self, question: Question, *, is_json: bool) -> NoReturn:
        """Say what waits and how to answer, and end the command with the exit code for that."""
        from paper_search.cli.views import show_question

        if is_json:
            waiting = {"thread_id": self.thread_id, "status": "waiting", **_fields(question)}
            token = ("--token", question.token) if question.token else ()
            print_json({**waiting, "continue": self.resume("--approve", *token)})
        elif not is_interactive():
            show_question(messages(), question, home=self.home)
        for line in self.lines(question):
            say(line)
        raise typer.Exit(ExitCode.WAITING)


def _fields(question: Question) -> dict[str, Any]:
    document = question.model_dump(mode="json")
    if isinstance(question, Checkpoint):
        return {"checkpoint": document}
    return {"review": document, "expires_at": question.expires_at.isoformat()}
