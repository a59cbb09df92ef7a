"""How a thread of a workflow without commands of its own is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.cli.console import print_json, say, visible
from paper_search.cli.program import command_line

if TYPE_CHECKING:
    from paper_search.threads.plain import PlainDetail


def show_plain(detail: PlainDetail, *, is_json: bool, home: Path | None) -> None:
    """Print the state of a thread, or the question that it waits with and how to answer it."""
    if is_json:
        print_json(detail.model_dump(mode="json"))
        return
    say(f"{visible(detail.graph)}: {detail.status.value}")
    if detail.error:
        say(visible(detail.error))
    is_waiting = detail.status.value == "waiting"
    print_json(detail.open_question if is_waiting else detail.state)
    if detail.status.value in {"waiting", "failed"}:
        say(f"  {continuing(detail.thread_id, home, is_waiting=is_waiting)}")


def continuing(thread_id: str, home: Path | None, *, is_waiting: bool) -> str:
    """Return the command that takes a thread further; WHERE is where its workflow is written."""
    answer = " --answer JSON" if is_waiting else ""
    return command_line("graph", "resume", thread_id, home=home) + f" --in WHERE{answer}"
