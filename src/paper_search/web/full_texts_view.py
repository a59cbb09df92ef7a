"""Full texts on the page: how each stands, and a file for each."""

from __future__ import annotations

from starlette.responses import Response

from paper_search.errors import ThreadNotWaitingError
from paper_search.review.full_texts import FullTexts, addresses_of, flow_of_works
from paper_search.server.guard import MAX_UPLOAD_BYTES
from paper_search.threads.sharing import Right, Role
from paper_search.web.readings import PAGE
from paper_search.web.site import Visit
from paper_search.workflow.full_texts import TextStatus


async def full_texts(visit: Visit) -> Response:
    """List the included works with the status of their full texts."""
    texts = await _texts(visit)
    works = await texts.works()
    query = visit.request.query_params
    statuses = [text.status for _, text in works]
    status = query.get("status", "")
    chosen = [(paper, text) for paper, text in works if status in {"", text.status.value}]
    number, pages = query.get("page", ""), max(1, -(-len(chosen) // PAGE))
    page = min(int(number), pages) if number.isdecimal() and number != "0" else 1
    reading = await visit.reading()
    return visit.page(
        "full_texts.html",
        info=reading.info,
        reading=reading,
        tab="full-texts",
        works=chosen[(page - 1) * PAGE : page * PAGE],
        page=page,
        pages=pages,
        flow=flow_of_works(works),
        counts={each.value: statuses.count(each) for each in TextStatus},
        status=status,
        addresses_of=addresses_of,
        may_attach=await visit.role(visit.thread_id) is not Role.READER,
        most=MAX_UPLOAD_BYTES,
    )


async def attach(visit: Visit) -> Response:
    """Keep the file that was sent as the full text of a work."""
    query = visit.request.query_params
    texts = await _texts(visit, Right.SCREEN)
    content = await visit.request.body()
    text = await texts.attach(query.get("paper", ""), query.get("name", ""), content)
    return visit.json({"status": text.status.value})


async def _texts(visit: Visit, right: Right = Right.READ) -> FullTexts:
    """Return the full texts of the thread in the path, with which the visitor may do that.

    Raises:
        RequestRefusedError: there is none, or the visitor may not see it, or not do that.
        ThreadNotWaitingError: its result is not approved.
    """
    thread_id = await visit.require_thread(right=Right.READ)
    await visit.require_thread(right=right)
    if not (await visit.reading()).is_approved:
        raise ThreadNotWaitingError("full texts are assessed when the result is approved")
    session = visit.every.searches.session(thread_id)
    return FullTexts(session, visit.persistence, visit.site.config.home, visit.person)
