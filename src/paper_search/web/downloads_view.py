"""Downloads of a thread: its papers in every export format, its audit and its pictures."""

import asyncio
from http import HTTPStatus
from typing import Any, cast

from starlette.responses import HTMLResponse, Response

from paper_search.audit import audit_of, pictures_of, zip_files
from paper_search.audit.pictures import CAPTIONS
from paper_search.errors import (
    RequestRefusedError,
    ThreadNotFoundError,
    ThreadNotWaitingError,
    ThreadWaitingError,
)
from paper_search.exports import FORMATS, exporter_names, get_exporter, suffix_of_format
from paper_search.models.paper import DECISIONS
from paper_search.report.outputs.figures import figures, is_available
from paper_search.report.outputs.markdown import POLICY, render_html
from paper_search.report_workflow.engine import ReportSession
from paper_search.web.site import Visit
from paper_search.workflow.results import part_of

_PICTURES_KEPT = 8
"""Threads whose pictures stay in memory."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""For pictures, in which matplotlib uses inline styles and nothing else."""
_DECIDED = (*DECISIONS, "all")


async def downloads(visit: Visit) -> Response:
    await visit.require_thread()
    reading = await visit.reading()
    return visit.page(
        "downloads.html",
        reading=reading,
        formats=FORMATS,
        others=[name for name in exporter_names() if name not in FORMATS],
        decisions=_DECIDED,
        tab="downloads",
    )


async def papers(visit: Visit) -> Response:
    """Send the papers in one format, as `paper-search export` writes them."""
    thread_id = await visit.require_thread()
    query = visit.request.query_params
    name, decision = query.get("format", ""), query.get("decision", "")
    _require("format", name, exporter_names())  # not the path of a .csl file on the server
    _require("decision", decision, ["", *_DECIDED])
    collection = await visit.search.result()
    if collection is None:
        raise ThreadNotWaitingError(f"thread {thread_id!r} has no papers yet")
    selection = part_of(collection, decision=cast("Any", decision) or None)
    content = await asyncio.to_thread(get_exporter(name), selection)
    return attachment(content, f"{thread_id}-{name}{suffix_of_format(name)}")


async def audit(visit: Visit) -> Response:
    """Send the audit as one ZIP; the same thread gives the same bytes."""
    thread_id = await visit.require_thread()
    async with visit.site.drawing_lock:
        files = await audit_of(visit.persistence, thread_id)
    content = await asyncio.to_thread(zip_files, files.files, f"{thread_id}-audit")
    return attachment(content, f"{thread_id}-audit.zip")


async def pictures(visit: Visit) -> Response:
    await visit.require_thread()
    reading = await visit.reading()
    can_draw = is_available()
    drawings = await _draw(visit, is_fresh=True) if can_draw and reading.result else {}
    return visit.page(
        "pictures.html",
        reading=reading,
        can_draw=can_draw,
        captions={name: CAPTIONS[name] for name in drawings},
        tab="pictures",
    )


async def picture(visit: Visit) -> Response:
    await visit.require_thread()
    name = str(visit.request.path_params["name"]).removesuffix(".svg")
    drawings = await _draw(visit) if name in CAPTIONS and is_available() else {}
    if name not in drawings:
        raise RequestRefusedError(HTTPStatus.NOT_FOUND, f"there is no picture {name[:60]!r}")
    headers = {"content-security-policy": _POLICY}
    return Response(drawings[name], media_type="image/svg+xml", headers=headers)


async def _draw(visit: Visit, *, is_fresh: bool = False) -> dict[str, bytes]:
    """Return pictures by name: those last shown on the page, unless `is_fresh`."""
    cache, thread_id = visit.site.pictures, visit.thread_id
    async with visit.site.drawing_lock:
        if is_fresh or thread_id not in cache:
            cache.pop(thread_id, None)
            cache[thread_id] = await pictures_of(visit.persistence, thread_id)
            while len(cache) > _PICTURES_KEPT:
                del cache[next(iter(cache))]
        return cache[thread_id]


def attachment(content: str | bytes, name: str) -> Response:
    safe = "".join(letter if letter.isascii() and letter not in '"\\/' else "_" for letter in name)
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{safe}"'},
    )


def _require(what: str, name: str, accepted: list[str]) -> None:
    if name not in accepted:
        names = ", ".join(filter(None, accepted))
        raise RequestRefusedError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"there is no {what} {name[:60]!r}; choose from {names}",
        )


async def report(visit: Visit) -> Response:
    """Show a report that has ended, or the latest draft."""
    thread_id = visit.thread_id
    session = await visit.session(thread_id)
    if not isinstance(session, ReportSession):
        raise ThreadNotFoundError(f"there is no report {thread_id!r}")
    detail = await visit.catalogs.reports.show(thread_id)
    document = detail.report
    if document is None:
        if detail.version is None:
            raise ThreadWaitingError(
                f"report {thread_id!r} has no text yet: continue it with "
                f"`paper-search resume {thread_id}`"
            )
        document = await session.preview()
    async with visit.site.drawing_lock:
        drawings = await asyncio.to_thread(figures, document) if is_available() else {}
    page = await asyncio.to_thread(render_html, document, figures=drawings)
    policy = f"{POLICY}; frame-ancestors 'none'"
    return HTMLResponse(page, headers={"content-security-policy": policy})
