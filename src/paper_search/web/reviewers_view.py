"""Reviewers who decide on the same papers apart from each other, and what they disagree on."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import Response

from paper_search.errors import InputError, RequestRefusedError
from paper_search.web.site import Visit
from paper_search.workflow.reviewers import Reviewers

_SETTLES = {"include": True, "exclude": False}


async def reviewers(visit: Visit) -> Response:
    """Show how far each reviewer is; once all are done, their agreement and their conflicts."""
    await visit.require_thread()
    return await _page(visit)


async def act(visit: Visit) -> Response:
    """Let a reviewer begin or end, settle a conflict, or take over what all agree on."""
    thread_id = await visit.require_thread()
    found = await visit.every.searches.session(thread_id).reviewers()
    said, name = visit.field("say"), visit.field("reviewer").strip()
    place = f"/review/threads/{thread_id}"
    try:
        if said == "join":
            await found.join(name)
            return visit.to(f"{place}/screen?reviewer={quote(name)}")
        if said == "done":
            await _finish(visit, found, name)
        elif said in _SETTLES:
            reason = " ".join(visit.field("reason").split()) or None
            papers, by = [visit.field("paper")], visit.person
            await found.settle(papers, is_relevant=_SETTLES[said], by=by, reason=reason)
        elif said == "enter":
            await found.enter_agreed()
        else:
            raise RequestRefusedError(
                HTTPStatus.UNPROCESSABLE_ENTITY, "say is join, done, include, exclude or enter"
            )
    except InputError as error:
        return await _page(visit, problem=str(error))
    await visit.site.screening.of(visit.persistence, thread_id).forget()
    number = visit.field("number")
    return visit.to(f"{place}/reviewers{f'#conflict-{number}' if number.isdigit() else ''}")


async def _finish(visit: Visit, found: Reviewers, name: str) -> None:
    await visit.site.screening.of(visit.persistence, visit.thread_id, name).forget()
    if (await found.agreement()).is_blind:
        await found.join(name)
        await found.finish(name)
    await found.enter_agreed()


async def _page(visit: Visit, problem: str | None = None) -> Response:
    reading = await visit.reading()
    found = await visit.every.searches.session(visit.thread_id).reviewers()
    agreement = await found.agreement()
    return visit.page(
        "reviewers.html",
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        info=reading.info,
        reading=reading,
        agreement=agreement,
        not_entered=0 if agreement.is_blind else len(await found.agreed()),
        papers={paper.id: paper for paper in found.papers},
        reasons=found.reasons,
        problem=problem,
        tab="reviewers",
    )
