"""The commands `screen` and `reconcile`: papers decided one by one, by one person or several."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from paper_search.cli.console import data, is_interactive, print_json, say, text, visible
from paper_search.cli.failures import UsageMistakeError
from paper_search.cli.options import Home, Json, Thread, given_home, settings
from paper_search.cli.terminal import QuitError, Terminal, pressed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paper_search.workflow.reviewers import Agreement, Conflict, Reviewers

_Found = TypeVar("_Found")
_PROMPT = "[r]elevant  [i]rrelevant  s[k]ip  [q]uit > "


def screen(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Annotated[
        str | None, typer.Argument(metavar="[THREAD]", help="Id of a thread; see `threads`.")
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--import", metavar="FILE", help="Screen the records of this file; repeatable."
        ),
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Database that the imported records are from, such as 'Embase (Ovid)': one for "
            "all files, or one for each in their order. Default: what each record says, or the "
            "name of its file.",
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What imported records have to be about, in a sentence."),
    ] = None,
    reviewer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Decide as one of several reviewers, apart from the others; see `reconcile`.",
        ),
    ] = None,
    done: Annotated[
        bool,
        typer.Option("--done", help="Say that the reviewer is done; the rest stays undecided."),
    ] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Screen the papers of a result one by one, most likely relevant first.

    Keys: r relevant, i irrelevant, k skip, u undo, n note, l labels of your own, p full abstract,
    q quit. Every key is saved at once, and the next start continues where you stopped. Your marks
    are added to your next answer to the thread's question; they do not answer it. They also
    reorder the remaining papers, and an estimate says how many relevant papers are left.

    With --reviewer, several people decide on the same papers. None of them is shown what the
    others decided until all are done.

    With --import and --question in place of THREAD, the records of files are merged into a new
    thread, all of them to be screened; its next round can search for more.

    Needs a terminal; --json prints the papers in order, the marks and the stopping estimate
    instead.
    """
    from paper_search.cli.continuation import SearchContinuation
    from paper_search.cli.screening import ScreeningPrompt

    if done and reviewer is None:
        raise UsageMistakeError("--done says that a reviewer is done; name them with --reviewer")
    if database and not files:
        raise UsageMistakeError("--database says where the records of --import FILE are from")
    if (thread is None) != bool(files) or bool(files) != (question is not None):
        raise UsageMistakeError("give a THREAD, or --import FILE with --question TEXT")
    config = settings(ctx, home)
    with asyncio.Runner() as runner:
        if thread is None:
            from paper_search.cli.screening import import_for_screening

            importing = import_for_screening(config, files or [], question or "", database or [])
            thread = runner.run(importing)
        commands = SearchContinuation(thread, given_home(ctx, home))
        prompt = ScreeningPrompt(runner, config.persistence_url, commands, reviewer)
        if done:
            prompt.finish()
        else:
            prompt.run(is_json=as_json)


def reconcile(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    relevant: Annotated[
        str | None,
        typer.Option(metavar="IDS", help="Resolve these conflicts as relevant, with commas."),
    ] = None,
    irrelevant: Annotated[
        str | None, typer.Option(metavar="IDS", help="Resolve these conflicts as irrelevant.")
    ] = None,
    reason: Annotated[str | None, typer.Option(metavar="WORDS", help="Why.")] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Compare what the reviewers of a result decided, and resolve what they disagree on.

    While a reviewer is not done, it only says how far each has come. After that it makes what all
    agree on decisions of the thread, prints their agreement (Cohen's kappa) and lists the
    conflicts. At a terminal, it asks about each one.
    """
    if reason and not relevant and not irrelevant:
        raise UsageMistakeError("--reason goes with --relevant IDS or --irrelevant IDS")
    url = settings(ctx, home).persistence_url
    chosen = {True: _ids(relevant), False: _ids(irrelevant)}

    async def resolved(reviewers: Reviewers) -> tuple[Agreement, int]:
        entered = await reviewers.enter_agreed()
        for is_relevant, ids in chosen.items():
            await reviewers.settle(ids, is_relevant=is_relevant, reason=reason)
        return await reviewers.agreement(), entered

    found, entered = _reviewed(url, thread, resolved)
    if as_json:
        print_json({"thread_id": thread, **found.model_dump(mode="json")})
        return
    _show(found, entered)
    if is_interactive() and not any(chosen.values()):
        _ask(url, thread, [conflict for conflict in found.conflicts if conflict.settled is None])


def _reviewed(url: str, thread: str, work: Callable[[Reviewers], Awaitable[_Found]]) -> _Found:
    """Return what some work with the reviewers of a thread returns."""
    from paper_search.persistence import open_persistence
    from paper_search.workflow.session import SearchSession

    async def done() -> _Found:
        async with open_persistence(url) as persistence:
            return await work(await SearchSession.on(persistence, thread).reviewers())

    return asyncio.run(done())


def _ids(given: str | None) -> list[str]:
    return [name for part in (given or "").split(",") if (name := part.strip())]


def _show(found: Agreement, entered: int) -> None:
    for reviewer in found.reviewers:
        done = ", done" if reviewer.is_done else ""
        say(visible(f"{reviewer.name}: {reviewer.decided} of {reviewer.of} papers decided{done}"))
    if found.is_blind:
        say(
            "what they decided is shown when all are done, at least two; a reviewer who stops "
            "early says so with `paper-search screen THREAD --reviewer NAME --done`"
        )
        return
    agreed = f"{found.included} included and {found.excluded} excluded by all"
    say(f"decided by all: {found.decided_by_all}; {agreed}; {len(found.conflicts)} conflicts")
    if found.observed is not None:
        kappa = "not defined" if found.kappa is None else f"{found.kappa:.2f}"
        say(f"agreement: {found.observed:.0%}, Cohen's kappa: {kappa}")
    if entered:
        say(f"{entered} agreed decisions are decisions of the thread now")
    for conflict in found.conflicts:
        data().print(text(_told(conflict)))


def _told(conflict: Conflict) -> str:
    said = f"relevant: {', '.join(conflict.included_by)}; not: {', '.join(conflict.excluded_by)}"
    notes = "".join(f"\n  {name} noted: {note}" for name, note in conflict.notes.items())
    settled = (
        f"\n  resolved by {conflict.settled_by}: {conflict.settled}" if conflict.settled else ""
    )
    return visible(f"{conflict.paper_id}  {conflict.title}\n  {said}") + notes + settled


def _ask(url: str, thread: str, conflicts: list[Conflict]) -> None:
    """Ask about each open conflict; every answer is saved at once."""
    with contextlib.suppress(QuitError):
        for conflict in conflicts:
            say(_told(conflict))
            is_relevant = _verdict()
            if is_relevant is not None:
                # Whoever presses Enter after a key has typed the first, empty line with it.
                terminal = Terminal()
                reason = terminal.ask("reason: ") or terminal.ask("reason (Enter: none): ")
                _reviewed(url, thread, _decision(conflict.paper_id, is_relevant, reason or None))
        return
    say("saved; run the same command to continue")


def _decision(
    paper_id: str,
    is_relevant: bool,  # as a partial application
    reason: str | None,
) -> Callable[[Reviewers], Awaitable[None]]:
    return lambda reviewers: reviewers.settle([paper_id], is_relevant=is_relevant, reason=reason)


def _verdict() -> bool | None:
    """Return what the person at the terminal says of a paper; None: it stays open.

    Raises:
        QuitError: they leave.
    """
    while True:
        match pressed(_PROMPT):
            case "r":
                return True
            case "i":
                return False
            case "k":
                return None
            case "q":
                raise QuitError
            case other:
                say(f"{visible(other)!r} is none of: r, i, k, q")
