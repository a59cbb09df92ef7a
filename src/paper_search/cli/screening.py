"""Screening at the terminal: one paper, one key, one save."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from paper_search.audit import flow_of_thread
from paper_search.cli.console import (
    command_line,
    is_interactive,
    messages,
    print_json,
    say,
    text,
    visible,
)
from paper_search.cli.failures import ExitCode, UsageMistakeError
from paper_search.cli.progress import ProgressLine
from paper_search.cli.tables import highlighted, score, short_authors
from paper_search.cli.terminal import QuitError, Terminal, pressed
from paper_search.errors import InputError
from paper_search.library.importers.reports import read_files
from paper_search.persistence import open_persistence
from paper_search.persistence.leases import WorkLock
from paper_search.workflow.imported import (
    ImportedRecords,
    begin_import,
    import_workflow,
)
from paper_search.workflow.session import SearchSession

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from paper_search.cli.continuation import SearchContinuation
    from paper_search.config import AppConfig
    from paper_search.models import Paper
    from paper_search.workflow.screening import Screening

_Said = TypeVar("_Said")

PROMPT = "[r]elevant  [i]rrelevant  s[k]ip  [u]ndo  [n]ote  [l]abel  [p]aper  [q]uit > "
ABSTRACT_SHOWN = 1_200
"""Characters of an abstract; `p` shows the rest."""


class ScreeningPrompt:
    """Shows papers and saves what the person says of them.

    The event loop rests while the person reads, so Ctrl-C at the prompt is an ordinary one.

    Args:
        runner: runs what waits for the disk.
        url: where threads live.
        continuation: the commands that go on with the thread.
        reviewer: who decides apart from others on the same papers; None: the person at the
            terminal, whose marks are those of the thread.
    """

    def __init__(
        self,
        runner: asyncio.Runner,
        url: str,
        continuation: SearchContinuation,
        reviewer: str | None = None,
    ) -> None:
        self._runner = runner
        self._url = url
        self._continuation = continuation
        self._reviewer = reviewer

    def run(self, *, is_json: bool) -> None:
        """Screen until all papers are marked or the person leaves; as JSON, print queue and marks.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadNotWaitingError: it has no result to screen.
            ThreadBusyError: it is being screened elsewhere.
            UsageMistakeError: there is no terminal.
        """
        thread_id = self._continuation.thread_id
        stack = contextlib.AsyncExitStack()
        try:
            persistence = self._runner.run(stack.enter_async_context(open_persistence(self._url)))
            session = SearchSession.on(persistence, thread_id)
            if is_json:
                print_json(_document(thread_id, self._runner.run(self._opened(session))))
                return
            self._runner.run(session.state())  # a thread that is not there is said first
            if not is_interactive():
                raise UsageMistakeError(
                    "screening needs a terminal, where keys can be pressed; elsewhere, --json "
                    "prints the papers in order, and `paper-search resume THREAD --relevant IDS` "
                    "marks them"
                )
            # Before the marks are read: a lock that is free may have been left a moment ago.
            lock = self._runner.run(
                _locked(stack, WorkLock(persistence.leases.table, thread_id, self._work))
            )
            if self._reviewer is not None:
                self._runner.run(_joined(session, self._reviewer))
            self._screen(self._runner.run(self._opened(session)), lock)
            self._say_next(session)
        finally:
            self._runner.run(stack.aclose())

    def finish(self) -> None:
        """Note that the reviewer is done; Raises as `run`."""
        self._runner.run(_finished(self._url, self._continuation.thread_id, self._reviewer or ""))
        self._say_whats_next()

    @property
    def _work(self) -> str:
        return "screened" if self._reviewer is None else f"screened as {self._reviewer}"

    async def _opened(self, session: SearchSession) -> Screening:
        if self._reviewer is None:
            return await session.screening()
        return await (await session.reviewers()).screening(self._reviewer)

    def _screen(self, screening: Screening, lock: WorkLock) -> None:
        try:
            while queue := screening.queue():
                self._one(screening, lock, queue[0], len(queue))
            say("all papers are marked")
        except QuitError:
            say("saved; run the same command to continue")
        except KeyboardInterrupt:
            say("\ninterrupted; everything is saved; run the same command to continue")
            raise typer.Exit(ExitCode.INTERRUPTED) from None

    def _one(self, screening: Screening, lock: WorkLock, paper: Paper, left: int) -> None:
        """Show a paper and obey keys until it is out of the way."""
        _show(screening, paper, left)
        while True:
            match pressed(PROMPT):
                case "r":
                    return self._saved(lock, screening.say(paper, is_relevant=True))
                case "i":
                    return self._saved(lock, screening.say(paper, is_relevant=False))
                case "k":
                    return self._saved(lock, screening.skip(paper))
                case "u":
                    if self._has_undone(screening, lock):
                        return None
                case "q":
                    raise QuitError
                case other:
                    self._look(screening, lock, paper, other)

    def _saved(self, lock: WorkLock, saying: Coroutine[Any, Any, _Said]) -> _Said:
        """Return what a save returns, unless somebody else has sat down here."""
        return self._runner.run(_kept(lock, saying))

    def _has_undone(self, screening: Screening, lock: WorkLock) -> bool:
        undone = self._saved(lock, screening.undo())
        say(visible(f"undone: {undone.title}") if undone else "nothing to undo in this round")
        return undone is not None

    def _look(self, screening: Screening, lock: WorkLock, paper: Paper, key: str) -> None:
        """Obey a key that leaves the paper where it is."""
        match key:
            case "n":
                # Whoever presses Enter after a key has typed the first, empty line with it.
                terminal = Terminal()
                if words := terminal.ask("note: ") or terminal.ask("note (Enter: none): "):
                    self._saved(lock, screening.note(paper, words))
                    say("noted")
            case "l":
                self._label(screening, lock, paper)
            case "p" | "s":
                messages().print(text(_abstract(paper)))
            case _:
                say(f"{visible(key)!r} is none of: r, i, k, u, n, l, p, s, q")

    def _label(self, screening: Screening, lock: WorkLock, paper: Paper) -> None:
        if screening.labels:
            say(visible(f"labels so far: {', '.join(screening.labels)}"))
        terminal = Terminal()
        words = terminal.ask("labels: ") or terminal.ask("labels (Enter: none): ")
        if not words:
            return
        try:
            self._saved(lock, screening.label(paper, words))
        except InputError as error:
            say(str(error))
            return
        _show_labels(screening, paper)

    def _say_whats_next(self) -> None:
        command = command_line(
            "reconcile", self._continuation.thread_id, home=self._continuation.home
        )
        say("what you decided stays apart until all reviewers are done; this compares it then:")
        say(f"  {command}")

    def _say_next(self, session: SearchSession) -> None:
        if self._reviewer is not None:
            self._say_whats_next()
            return
        question = self._runner.run(_open_question(session))
        if question is not None:
            say("your marks will be part of your answer, which the thread still waits for:")
            for line in self._continuation.lines(question.question):
                say(line)


async def _joined(session: SearchSession, reviewer: str) -> None:
    await (await session.reviewers()).join(reviewer)


async def _finished(url: str, thread_id: str, reviewer: str) -> None:
    async with open_persistence(url) as persistence:
        reviewers = await SearchSession.on(persistence, thread_id).reviewers()
        await reviewers.join(reviewer)
        await reviewers.finish(reviewer)


async def _locked(stack: contextlib.AsyncExitStack, lock: WorkLock) -> WorkLock:
    await lock.acquire()
    stack.push_async_callback(lock.release)
    return lock


async def _kept(lock: WorkLock, saying: Coroutine[Any, Any, _Said]) -> _Said:
    try:
        await lock.renew()
    except BaseException:
        saying.close()
        raise
    return await saying


async def _open_question(session: SearchSession) -> Any:
    return None if (await session.state()).is_complete else await session.open_question()


def _show(screening: Screening, paper: Paper, left: int) -> None:
    console = messages()
    stopping_estimate = screening.stopping_estimate
    console.print()
    if stopping_estimate is not None:
        style = "green" if stopping_estimate.is_enough else ""
        console.print(text(stopping_estimate.advice, style=style))
    else:
        console.print(text(f"{left} papers to screen"))
    console.print(text(paper.title, style="bold"))
    facts = (short_authors(paper), paper.year, paper.venue)
    console.print(text(", ".join(str(fact) for fact in facts if fact not in {None, "", "-"})))
    reason = text(f"{score(paper)}: {paper.relevance_reason}", style="italic")
    console.print(highlighted(reason, paper))
    abstract = _abstract(paper)
    cut = len(abstract) > ABSTRACT_SHOWN
    shown = text(abstract[:ABSTRACT_SHOWN] + (" ..." if cut else ""))
    console.print(highlighted(shown, paper))
    mark = screening.mark_of(paper)
    if mark is not None and mark.note:
        console.print(text(f"your note: {mark.note}", style="yellow"))
    _show_labels(screening, paper)


def _show_labels(screening: Screening, paper: Paper) -> None:
    mark = screening.mark_of(paper)
    if mark is not None and mark.labels:
        messages().print(text(f"your labels: {', '.join(mark.labels)}", style="yellow"))


def _abstract(paper: Paper) -> str:
    """Return what a person judges by beside the title."""
    keywords = f"no abstract; keywords: {', '.join(paper.keywords)}" if paper.keywords else ""
    return paper.abstract or keywords or "no abstract"


def _document(thread_id: str, screening: Screening) -> dict[str, Any]:
    """Return the queue, the marks and the stopping estimate for machines."""
    stopping_estimate = screening.stopping_estimate
    return {
        "thread_id": thread_id,
        "papers": len(screening.papers),
        "stopping_estimate": None
        if stopping_estimate is None
        else {
            "screened": stopping_estimate.screened,
            "relevant": stopping_estimate.relevant,
            "unseen": stopping_estimate.unseen,
            "at_most": stopping_estimate.at_most,
            "is_enough": stopping_estimate.is_enough,
            "advice": stopping_estimate.advice,
        },
        "queue": [{"id": paper.id, "title": paper.title} for paper in screening.queue()],
        "marks": [mark.model_dump(mode="json") for mark in screening.marks],
    }


async def import_for_screening(
    config: AppConfig, files: Sequence[Path], question: str, databases: Sequence[str]
) -> str:
    """Read the files, merge their records on a new thread, and return its id.

    Args:
        config: the settings.
        files: what to read.
        question: what the records have to be about.
        databases: that they are from; see `paper_search.library.importers.reports.read_files`.

    Raises:
        InputError: a file cannot be read, or has no record.
        QuestionError: the question cannot be used.
    """
    read = read_files([(file.name, _content(file)) for file in files], databases)
    for remark in (remark for file in read for remark in file.remarks):
        say(visible(remark))
    source = ImportedRecords(read)
    progress, thread_id = ProgressLine(), str(uuid.uuid4())
    workflow = import_workflow(
        config, source, persistence=config.persistence_url, progress_reporter=progress
    )
    with progress.shown():
        await begin_import(workflow, question, thread_id)
    for file in read:
        say(visible(file.summary))
    async with open_persistence(config.persistence_url) as persistence:
        flow = await flow_of_thread(persistence, thread_id)
    say(f"{flow.summary}; thread {thread_id}")
    return thread_id


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{str(file)!r} cannot be read: {error.strerror or error}") from error
