"""`paper-search reconcile` and `share`: several reviewers of one search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from paper_search.cli.console import (
    UsageMistakeError,
    print_json,
    run,
    say,
    stdout_console,
    text,
    visible,
    with_persistence,
)
from paper_search.cli.options import Home, Json, Thread, option, settings

if TYPE_CHECKING:
    from paper_search.persistence import Persistence
    from paper_search.workflow.reviewers import Agreement, Conflict, Reviewers

T = TypeVar("T")


def reconcile(  # noqa: PLR0913, PLR0917  # one for each option
    thread: Thread,
    relevant: str | None = option("IDS", "Resolve as relevant; ids separated by commas."),
    irrelevant: str | None = option("IDS", "Resolve as irrelevant; ids separated by commas."),
    reason: str | None = option("WORDS", "Why these are relevant, or irrelevant."),
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Compare the decisions of reviewers, and resolve conflicts.

    Until all reviewers are done, only their progress is printed. Then what all agree on becomes the
    decision of the thread, and their agreement (Cohen's kappa) and conflicts are printed. The page
    of `review` shows the papers as well.
    """
    if reason and (relevant is None) == (irrelevant is None):
        raise UsageMistakeError("--reason needs either --relevant IDS or --irrelevant IDS")
    url = settings(home).persistence_url
    included, excluded = _ids(relevant), _ids(irrelevant)
    if both := [name for name in included if name in excluded]:
        raise UsageMistakeError(f"{both[0]!r} cannot be both relevant and irrelevant")

    async def resolve(reviewers: Reviewers) -> tuple[Agreement, int]:
        reviewers.require([*included, *excluded])
        entered = await reviewers.enter_agreed()
        await reviewers.settle(included, is_relevant=True, reason=reason)
        await reviewers.settle(excluded, is_relevant=False, reason=reason)
        return await reviewers.agreement(), entered

    agreement, entered = run(with_reviewers(url, thread, resolve))
    if as_json:
        print_json({"thread_id": thread, **agreement.model_dump(mode="json")})
        return
    _show_agreement(thread, agreement, entered)


def _ids(words: str | None) -> list[str]:
    return [name for part in (words or "").split(",") if (name := part.strip())]


def _show_agreement(thread: str, agreement: Agreement, entered: int) -> None:
    from paper_search.models.source_report import quantity

    for reviewer in agreement.reviewers:
        suffix = ", done" if reviewer.is_done else ""
        of = quantity(reviewer.of, "paper")
        say(visible(f"{reviewer.name}: {reviewer.decided} of {of} decided{suffix}"))
    if agreement.is_blind:
        say(
            "decisions are shown when all reviewers are done, at least two; to stop early: "
            f"`paper-search screen {thread} --reviewer NAME --done`"
        )
        return
    for line in agreement.lines:
        say(line)
    if entered:
        say(f"decided now, as all agree: {quantity(entered, 'paper')}")
    for conflict in agreement.conflicts:
        stdout_console().print(text(_conflict_lines(conflict)))


def _conflict_lines(conflict: Conflict) -> str:
    sides = f"relevant: {', '.join(conflict.included_by)}; not: {', '.join(conflict.excluded_by)}"
    lines = [f"{conflict.paper_id}  {conflict.title}", f"  {sides}"]
    lines += [f"  {name} noted: {note}" for name, note in conflict.notes.items()]
    if conflict.settled:
        lines.append(f"  resolved by {conflict.settled_by}: {conflict.settled}")
    return "\n".join(map(visible, lines))


async def with_reviewers(url: str, thread: str, work: Callable[[Reviewers], Awaitable[T]]) -> T:
    from paper_search.persistence import open_persistence
    from paper_search.workflow.session import SearchSession

    async with open_persistence(url) as persistence:
        return await work(await SearchSession.on(persistence, thread).reviewers())


def share(
    thread: Thread,
    account: str | None = option("ACCOUNT", "A name in PAPER_SEARCH_TOKENS.", "--with"),
    role: str | None = option("ROLE", "reviewer (default), reader, or none: do not share.", "--as"),
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Share a search with another account of the server.

    Without --with, prints who can see it.

    A reviewer screens under the name of their account, and sees others' decisions when all
    reviewers are done. A reader sees everything and changes nothing.
    """
    from paper_search.review.sharing import share_thread
    from paper_search.workflow import ThreadCatalog

    config = settings(home)
    if account is None and role is not None:
        raise UsageMistakeError("--as sets the role of --with ACCOUNT; give both")

    async def shared(persistence: Persistence) -> dict[str, str]:
        if account is not None:
            accounts = list(config.server.tokens)
            what = role or "reviewer"
            await share_thread(persistence, thread, account, what, accounts=accounts)
        catalog = ThreadCatalog(persistence)
        await catalog.info(thread)
        ownership = await catalog.ownership(thread)
        return {name: own.value for name, own in ownership.shared_with.items()}

    roles = run(with_persistence(config.persistence_url, shared))
    if as_json:
        print_json({"thread_id": thread, "shared_with": roles})
    for name, own in roles.items():
        say(visible(f"{name}: {own}"))
    if not roles:
        say("Nobody else sees this search.")
    if account and not config.server.tokens:
        say("PAPER_SEARCH_TOKENS is not set here: set it where the server runs.")
