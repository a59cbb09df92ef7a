"""Reviewers who decide on the same papers apart from each other, and what they disagree on."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import Response

from paper_search.errors import InputError, RequestRefusedError
from paper_search.review.sharing import share_thread
from paper_search.threads.sharing import Right
from paper_search.web.site import Visit
from paper_search.workflow.reviewers import Reviewers

_SETTLES = {"include": True, "exclude": False}


async def reviewers(visit: Visit) -> Response:
    """Show how far each reviewer is; once all are done, their agreement and their conflicts."""
    await visit.require_thread(shows_decisions=False)
    return await _page(visit)


async def act(visit: Visit) -> Response:
    action = visit.field("say")
    is_own = action in {"join", "done"}
    thread_id = await visit.require_thread(right=Right.SCREEN if is_own else Right.DECIDE)
    name = visit.field("reviewer").strip()
    name = visit.reviewer_named(name) if is_own else name
    place = f"/review/threads/{thread_id}"
    try:
        if action == "share":
            role = visit.field("role")
            await share_thread(
                visit.persistence, thread_id, name, role, accounts=visit.accounts, by=visit.person
            )
            return visit.to(f"{place}/reviewers")
        group = await visit.every.searches.session(thread_id).reviewers()
        if action == "join":
            await group.join(name)
            return visit.to(f"{place}/screen?reviewer={quote(name)}")
        if action == "done":
            await _finish(visit, group, name)
        elif action in _SETTLES:
            reason = " ".join(visit.field("reason").split()) or None
            papers, by = [visit.field("paper")], visit.person
            await group.settle(papers, is_relevant=_SETTLES[action], by=by, reason=reason)
        elif action == "enter":
            await group.enter_agreed()
        else:
            raise RequestRefusedError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "say is join, done, include, exclude, enter or share",
            )
    except InputError as error:
        return await _page(visit, problem=str(error))
    await visit.site.screening.of(visit.persistence, thread_id).forget()
    number = visit.field("number")
    return visit.to(f"{place}/reviewers{f'#conflict-{number}' if number.isdigit() else ''}")


async def _finish(visit: Visit, group: Reviewers, name: str) -> None:
    await visit.site.screening.of(visit.persistence, visit.thread_id, name).forget()
    if (await group.agreement()).is_blind:
        await group.join(name)
        await group.finish(name)
    await group.enter_agreed()


async def _page(visit: Visit, problem: str | None = None) -> Response:
    reading = await visit.reading()
    group = await visit.every.searches.session(visit.thread_id).reviewers()
    agreement = await group.agreement()
    return visit.page(
        "reviewers.html",
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        info=reading.info,
        reading=reading,
        agreement=agreement,
        not_entered=0 if agreement.is_blind else len(await group.agreed()),
        papers={paper.id: paper for paper in group.papers},
        reasons=group.reasons,
        problem=problem,
        tab="reviewers",
        accounts=visit.accounts,
        me=visit.owner,
        role=await visit.role(visit.thread_id),
        shared=(await visit.every.searches.ownership(visit.thread_id)).shared_with,
    )
