"""`paper-search screen`: decide on papers one by one, alone or as one of several reviewers."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from paper_search.cli import options
from paper_search.cli.arrivals import contents_of, say_files, search_of
from paper_search.cli.console import (
    ExitCode,
    ProgressLine,
    UsageMistakeError,
    is_interactive,
    print_json,
    run,
    say,
    stderr_console,
    text,
    visible,
    with_persistence,
)
from paper_search.cli.options import flag, option, settings
from paper_search.cli.prompts import Choice, QuitError, Terminal, decide
from paper_search.cli.reconcile import with_reviewers

if TYPE_CHECKING:
    from paper_search.cli.stored_threads import NextCommands
    from paper_search.config import AppConfig
    from paper_search.models import Paper
    from paper_search.persistence.leases import WorkLock
    from paper_search.review.files import FileReport
    from paper_search.workflow.reviewers import Reviewers
    from paper_search.workflow.screening import Screening
    from paper_search.workflow.session import SearchSession

T = TypeVar("T")


def screen(  # noqa: PLR0913, PLR0917  # one for each option
    thread: options.OptionalThread = None,
    files: list[Path] | None = option(
        "FILE", "Screen the records of this file; repeatable.", "--import"
    ),
    database: options.Database = None,
    searched: options.Searched = "",
    strategy: options.StrategyFile = None,
    question: str | None = option("TEXT", "What imported records must be about, in a sentence."),
    reviewer: str | None = option(
        "NAME", "Decide as one of several blinded reviewers; see `reconcile`."
    ),
    done: bool = flag("--done", "Mark the reviewer as done; the rest stays undecided."),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Screen the papers of a result one by one.

    The most likely relevant paper comes first. Type r for relevant, i for irrelevant, k to skip, u
    to undo, n for a note, q to quit. Every answer is saved at once, and the next start continues
    where you stopped. Your marks are added to your next answer to the thread's question; they do
    not answer it. They also reorder the remaining papers, and an estimate says how many relevant
    papers are left.

    With --reviewer, several people decide on the same papers, and nobody sees the decisions of
    others until all are done.

    With --import and --question instead of THREAD, the records of files are merged into a new
    thread to be screened; its next round can search for more. Use `add` for files of other
    searches.

    Needs a terminal; --json prints the papers in order, the marks and the stopping estimate
    instead. On the page of `review` you screen with single keys and can add labels of your own.
    """
    if done and reviewer is None:
        raise UsageMistakeError("--done needs --reviewer NAME")
    if (database or searched or strategy) and not files:
        raise UsageMistakeError("--database, --searched and --strategy need --import FILE")
    if (thread is None) != bool(files) or bool(files) != (question is not None):
        raise UsageMistakeError("give THREAD, or --import FILE with --question TEXT")
    config = settings(home)
    if thread is None:
        from paper_search.review.files import parse_files

        search = search_of(searched, strategy)
        reports = parse_files(contents_of(files or []), database or [], search=search)
        thread = run(_import(config, question or "", reports))
    from paper_search.cli.stored_threads import NextCommands

    commands, url = NextCommands(thread, home), config.persistence_url
    if done and reviewer is not None:
        run(with_reviewers(url, thread, lambda reviewers: _finish(reviewers, reviewer)))
        _say_reconcile(commands)
    else:
        _screen(url, commands, reviewer, is_json=as_json)


def _screen(url: str, commands: NextCommands, reviewer: str | None, *, is_json: bool) -> None:
    """Screen until all papers are marked or the person leaves; as JSON, print queue and marks."""
    from paper_search.persistence import open_persistence
    from paper_search.persistence.leases import WorkLock
    from paper_search.workflow.session import SearchSession

    thread, stack = commands.thread_id, contextlib.AsyncExitStack()
    with asyncio.Runner() as runner:
        try:
            persistence = runner.run(stack.enter_async_context(open_persistence(url)))
            session = SearchSession.on(persistence, thread)
            if is_json:
                print_json(_document(thread, runner.run(_screening(session, reviewer))))
                return
            runner.run(session.state())  # an unknown thread is reported first
            if not is_interactive():
                raise UsageMistakeError(
                    "screening needs a terminal; elsewhere, --json prints the papers in order, "
                    f"and `paper-search review {thread}` shows a page to screen on"
                )
            # Lock before reading the marks: another process may have just saved some.
            lock = WorkLock(persistence.leases, thread, reviewer or "")
            runner.run(lock.acquire())
            stack.push_async_callback(lock.release)
            screening = runner.run(_screening(session, reviewer, is_joining=True))
            if reviewer is None and (names := runner.run(session.records.rows("reviewers"))):
                say(
                    f"{', '.join(names)} decide independently on these papers. What you decide "
                    "here counts for the thread at once; to decide as one of them, add --reviewer "
                    "NAME."
                )
            options_again = () if reviewer is None else ("--reviewer", reviewer)
            again = commands.command("screen", *options_again)
            ScreeningPrompt(runner, screening, lock, again).run()
            if reviewer is not None:
                _say_reconcile(commands)
            else:
                _say_question(runner, session, commands)
        finally:
            runner.run(stack.aclose())


class ScreeningPrompt:
    """Shows papers and saves the answers.

    The event loop is idle at the prompt, where Ctrl-C raises KeyboardInterrupt.
    """

    def __init__(
        self, runner: asyncio.Runner, screening: Screening, lock: WorkLock, command: str
    ) -> None:
        self._runner = runner
        self._screening = screening
        self._lock = lock
        self._command = command

    def run(self) -> None:
        try:
            while queue := self._screening.queue():
                self._one(queue[0], len(queue))
            say("all papers are marked")
        except QuitError:
            say(f"saved; to continue: {self._command}")
        except KeyboardInterrupt:
            say(f"\ninterrupted; everything is saved; to continue: {self._command}")
            raise typer.Exit(ExitCode.INTERRUPTED) from None

    def _one(self, paper: Paper, remaining: int) -> None:
        screening, terminal = self._screening, Terminal()

        def verdict(key: str, word: str, *, is_relevant: bool) -> Choice:
            def mark(_words: str) -> bool:
                self._save(screening.say(paper, is_relevant=is_relevant))
                return True

            return Choice(key, word, f"the paper is {word}", mark)

        def skip(_words: str) -> bool:
            self._save(screening.skip(paper))
            return True

        def note(words: str) -> None:
            if words := words or terminal.ask("note: "):
                self._save(screening.note(paper, words))
                say("noted")

        _show_paper(screening, paper, remaining)
        decide(
            terminal,
            [
                verdict("r", "relevant", is_relevant=True),
                verdict("i", "irrelevant", is_relevant=False),
                Choice("k", "skip", "leave the paper for later", skip),
                Choice("u", "undo", "undo the last answer", lambda _: self._undo()),
                Choice("n", "note", "write a note", note, takes_words=True),
            ],
        )

    def _undo(self) -> bool | None:
        undone = self._save(self._screening.undo())
        say(visible(f"undone: {undone.title}") if undone else "nothing to undo in this round")
        return True if undone else None

    def _save(self, saving: Coroutine[Any, Any, T]) -> T:

        async def save() -> T:
            try:
                await self._lock.renew()
            except BaseException:
                saving.close()
                raise
            return await saving

        return self._runner.run(save())


async def _screening(
    session: SearchSession, reviewer: str | None, *, is_joining: bool = False
) -> Screening:
    if reviewer is None:
        return await session.screening()
    reviewers = await session.reviewers()
    if is_joining:
        await reviewers.join(reviewer)
    return await reviewers.screening(reviewer)


async def _finish(reviewers: Reviewers, name: str) -> None:
    await reviewers.join(name)
    await reviewers.finish(name)


def _say_reconcile(commands: NextCommands) -> None:
    say("your decisions stay separate until all reviewers are done; then compare them:")
    say(f"  {commands.command('reconcile')}")


def _say_question(runner: asyncio.Runner, session: SearchSession, commands: NextCommands) -> None:
    async def question() -> Any:
        is_complete = (await session.state()).is_complete
        return None if is_complete else await session.open_question()

    if (waiting := runner.run(question())) is not None:
        say("your marks will be added to your answer, which the thread still waits for:")
        for line in commands.lines(waiting.question):
            say(line)


def _show_paper(screening: Screening, paper: Paper, remaining: int) -> None:
    from paper_search.cli.tables import highlighted, score, short_authors
    from paper_search.models.source_report import quantity

    console, estimate = stderr_console(), screening.stopping_estimate
    console.print()
    if estimate is not None:
        console.print(text(estimate.advice, style="green" if estimate.is_enough else ""))
    else:
        console.print(text(f"{quantity(remaining, 'paper')} to screen"))
    console.print(text(paper.title, style="bold"))
    facts = (short_authors(paper), paper.year, paper.venue)
    console.print(text(", ".join(str(fact) for fact in facts if fact not in {None, "", "-"})))
    reason = text(f"{score(paper)}: {paper.relevance_reason}", style="italic")
    console.print(highlighted(reason, paper))
    keywords = f"no abstract; keywords: {', '.join(paper.keywords)}" if paper.keywords else ""
    console.print(highlighted(text(paper.abstract or keywords or "no abstract"), paper))
    mark = screening.mark_of(paper)
    if mark is not None and mark.note:
        console.print(text(f"your note: {mark.note}", style="yellow"))
    if mark is not None and mark.labels:
        console.print(text(f"your labels: {', '.join(mark.labels)}", style="yellow"))


def _document(thread_id: str, screening: Screening) -> dict[str, Any]:
    estimate = screening.stopping_estimate
    fields = ("screened", "relevant", "unseen", "at_most", "is_enough", "advice")
    return {
        "thread_id": thread_id,
        "papers": len(screening.papers),
        "stopping_estimate": estimate and {name: getattr(estimate, name) for name in fields},
        "queue": [{"id": paper.id, "title": paper.title} for paper in screening.queue()],
        "marks": [mark.model_dump(mode="json") for mark in screening.marks],
    }


async def _import(config: AppConfig, question: str, reports: Sequence[FileReport]) -> str:
    from paper_search.audit import flow_of_thread
    from paper_search.review.arrivals import begin_import

    progress, thread_id, url = ProgressLine(), str(uuid.uuid4()), config.persistence_url
    with progress.show():
        await begin_import(config, question, thread_id, reports, progress_reporter=progress)
    say_files(reports)
    flow = await with_persistence(url, lambda p: flow_of_thread(p, thread_id))
    say(f"{flow.summary}; thread {thread_id}")
    return thread_id
