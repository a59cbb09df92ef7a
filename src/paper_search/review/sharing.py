"""Share a review with other accounts."""

from collections.abc import Collection

from paper_search.config import current_person
from paper_search.errors import InputError, ThreadNotWaitingError
from paper_search.persistence import Persistence
from paper_search.threads.sharing import Role
from paper_search.workflow.listing import ThreadCatalog
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.reviewers import ReviewerMarks, Reviewers, status_of

NOBODY = "none"
"""The role that ends sharing."""
ROLES = (Role.REVIEWER.value, Role.READER.value, NOBODY)


async def share_thread(  # noqa: PLR0913  # who shares what with whom
    persistence: Persistence,
    thread_id: str,
    account: str,
    role: str,
    *,
    accounts: Collection[str],
    by: str | None = None,
) -> None:
    """Let an account see a search as a reviewer or a reader, or end that with the role `none`.

    An invited reviewer counts at once, so the others stay blinded until they are done. Decisions
    of a reviewer who leaves are kept. `account`: a name in PAPER_SEARCH_TOKENS. `accounts`: all
    names of the server, empty if unknown.

    Raises:
        InputError: there is no such account or role, or the account is the owner.
        ThreadNotFoundError: there is no such thread.
        ThreadFinishedError: all reviewers are done, and nobody is blinded any more.
        ThreadBusyError: another process drives it.
    """
    if role not in ROLES:
        raise InputError(f"{role!r} is not a role; accepted: {', '.join(ROLES)}")
    if not account.strip() or (accounts and account not in accounts):
        names = ", ".join(accounts) or "the names"
        raise InputError(f"there is no account {account!r}; PAPER_SEARCH_TOKENS has {names}")
    catalog = ThreadCatalog(persistence)
    await catalog.info(thread_id)
    if account == (await catalog.ownership(thread_id)).owner(accounts):
        raise InputError(f"{account!r} owns this search and may do everything with it")
    own = Role(role) if role != NOBODY else None
    session = catalog.session(thread_id)
    async with session.lease():
        try:
            reviewers = await session.reviewers()
        except ThreadNotWaitingError:
            reviewers = None
        if own is Role.REVIEWER:
            await _invite(session.records, account, reviewers)
        else:
            await _dismiss(session.records, account, reviewers)
        await session.records.share(account, own)
        detail = {"with": account, "as": role}
        await persistence.ledger.note(thread_id, "", "shared", by or current_person(), detail)


async def _invite(records: SearchRecords, account: str, reviewers: Reviewers | None) -> None:
    if await status_of(records, account) is not None:
        return
    if reviewers is not None:
        await reviewers.join(account)
        return
    await records.put("reviewers", {account: {"joined": True, "done_in": None}})


async def _dismiss(records: SearchRecords, account: str, reviewers: Reviewers | None) -> None:
    """Stop waiting for a reviewer who leaves; their decisions are kept."""
    if await status_of(records, account) is not False:
        return
    if not await ReviewerMarks(records, account).marks():
        await records.put("reviewers", {account: None})
    elif reviewers is not None:
        await reviewers.finish(account)
