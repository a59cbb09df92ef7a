"""Full texts on the page: their status, their files, and the decision beside each text."""

import functools
import hashlib
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from paper_search.errors import InputError, RequestRefusedError, ThreadNotWaitingError
from paper_search.pages.network import PageContentError
from paper_search.review.full_texts import FullTexts, flow_of_works
from paper_search.review.open_texts import addresses_of
from paper_search.server.guard import MAX_UPLOAD_BYTES
from paper_search.threads.sharing import Right, Role
from paper_search.web.downloads_view import attachment
from paper_search.web.readings import PAGE, number_of
from paper_search.web.site import Visit
from paper_search.workflow.full_texts import TextStatus


async def full_texts(visit: Visit) -> Response:
    return await _list(visit, await _texts(visit))


async def work(visit: Visit) -> Response:
    return await _work(visit, await _texts(visit), visit.request.query_params.get("paper", ""))


async def act(visit: Visit) -> Response:
    """Decide on a work and go to the next one, join the reviewers, or change the reasons."""
    texts = await _texts(visit, Right.SCREEN)
    paper, (action, _, reason) = visit.field("paper"), visit.field("say").partition(":")
    is_verdict = action in {"include", "exclude"} and paper in (await texts.reviewers()).pending
    is_own = action in {"join", "done", "give up"} or (action, reason) == ("leave", _name(visit))
    if not is_verdict and not is_own:
        await visit.require_thread(right=Right.DECIDE)
    changes: dict[str, Callable[[], Awaitable[object]]] = {
        "done": texts.finish,
        "leave": functools.partial(texts.leave, reason),
        "give up": functools.partial(texts.give_up, paper, visit.field("reason")),
        "add": functools.partial(texts.add_reason, visit.field("reason")),
        "remove": functools.partial(texts.remove_reason, reason),
    }
    try:
        if action in {"include", "exclude"}:
            words = reason or visit.field("reason")
            await texts.decide(paper, is_included=action == "include", reason=words)
            return visit.redirect(await _path_of_next(visit, texts, paper))
        if action == "join":
            await texts.join()
            name = "" if visit.accounts else visit.field("reviewer").strip()
            return visit.redirect(_path(visit, reviewer=name or visit.reviewer))
        if action not in changes:
            raise RequestRefusedError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"say is include, exclude, join, {', '.join(changes)}",
            )
        await changes[action]()
    except InputError as error:
        if not paper:
            return await _list(visit, texts, problem=str(error))
        return await _work(visit, texts, paper, problem=str(error))
    return visit.redirect(_path(visit))


async def file(visit: Visit) -> Response:
    texts = await _texts(visit)
    content = await texts.content(visit.request.query_params.get("paper", ""))
    return attachment(content, f"{hashlib.sha256(content).hexdigest()[:12]}.pdf")


async def _list(visit: Visit, texts: FullTexts, problem: str = "") -> Response:
    works = await texts.works()
    query = visit.request.query_params
    statuses = [text.status for _, text in works]
    status = query.get("status", "")
    selection = [(paper, text) for paper, text in works if status in {"", text.status.value}]
    pages = max(1, -(-len(selection) // PAGE))
    page = min(number_of(query.get("page")) or 1, pages)
    return visit.page(
        "full_texts.html",
        reading=await visit.reading(),
        tab="full-texts",
        works=selection[(page - 1) * PAGE : page * PAGE],
        page=page,
        pages=pages,
        flow=flow_of_works(works),
        counts={kind.value: statuses.count(kind) for kind in TextStatus},
        status=status,
        addresses_of=addresses_of,
        reasons=await texts.reasons(),
        problem=problem,
        **await _common(visit, texts),
        most=MAX_UPLOAD_BYTES,
    )


async def _work(visit: Visit, texts: FullTexts, paper_id: str, problem: str = "") -> Response:
    works = {paper.id: (paper, text) for paper, text in await texts.works()}
    if paper_id not in works:
        raise RequestRefusedError(HTTPStatus.NOT_FOUND, "this work is not included (any more)")
    paper, text = works[paper_id]
    document, unread = None, ""
    if text.digest:
        try:
            document = await texts.read(paper_id)
        except (InputError, PageContentError) as error:
            unread = str(error)
    return visit.page(
        "full_text.html",
        reading=await visit.reading(),
        tab="full-texts",
        paper=paper,
        text=text,
        document=document,
        unread=unread,
        problem=problem,
        reasons=list(await texts.reasons()),
        following=await _path_of_next(visit, texts, paper_id),
        **await _common(visit, texts),
    )


async def _path_of_next(visit: Visit, texts: FullTexts, paper_id: str) -> str:
    """Return the path of the next text to decide on, else of the list."""
    works, reviewers, me = await texts.works(), await texts.reviewers(), _name(visit)
    pending = set(reviewers.pending)
    place = next((n for n, (paper, _) in enumerate(works) if paper.id == paper_id), 0)
    for paper, text in (*works[place + 1 :], *works[:place]):
        is_own = me in reviewers.names and not reviewers.verdict(me, paper.id)
        if text.status is TextStatus.RETRIEVED and (is_own or paper.id not in pending):
            return _path(visit, "/text", paper=paper.id)
    return _path(visit)


async def _common(visit: Visit, texts: FullTexts) -> dict[str, Any]:
    role = await visit.role(visit.thread_id)
    return {
        "reviewers": await texts.reviewers(),
        "me": _name(visit),
        "accounts": visit.accounts,
        "is_owner": role is Role.OWNER,
        "may_attach": role is not Role.READER,
        "path": functools.partial(_path, visit),
    }


def _path(visit: Visit, below: str = "", **query: object) -> str:
    values = {"reviewer": visit.reviewer, **query}
    text = urlencode({name: value for name, value in values.items() if value})
    return f"/review/threads/{visit.thread_id}/full-texts{below}{'?' if text else ''}{text}"


def _name(visit: Visit) -> str:
    """Return the name under which the visitor decides; with accounts, it is their own."""
    name = visit.reviewer_named(visit.field("reviewer").strip())
    return name or visit.reviewer or visit.person


async def attach(visit: Visit) -> Response:
    """Store the request's body as the full text of a work."""
    query = visit.request.query_params
    texts = await _texts(visit, Right.SCREEN)
    if {paper.id: text.digest for paper, text in await texts.works()}.get(query.get("paper", "")):
        await visit.require_thread(right=Right.DECIDE)
    content = await visit.request.body()
    text = await texts.attach(query.get("paper", ""), query.get("name", ""), content)
    return visit.json({"status": text.status.value})


async def _texts(visit: Visit, right: Right = Right.READ) -> FullTexts:
    """Return the full texts of the thread in the path; the visitor needs `right` on it."""
    await visit.require_thread(right=Right.READ)
    await visit.require_thread(right=right)
    if not (await visit.reading()).is_approved:
        raise ThreadNotWaitingError("full texts are assessed when the result is approved")
    return FullTexts(visit.search, visit.site.config.home, _name(visit))


READS = {"": full_texts, "/text": work, "/file": file}
WRITES = {"": act, "/file": attach}
"""By the path below that of the tab."""
