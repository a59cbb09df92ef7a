"""What a thread gives as files: its papers in every export format, and its audit."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Literal, cast, get_args

from starlette.responses import Response

from paper_search.audit import audit_of, zipped
from paper_search.errors import RequestRefusedError, ThreadNotWaitingError
from paper_search.exports import get_exporter, known_exporters, suffix_of_format
from paper_search.web.site import Visit

Decided = Literal["included", "excluded", "undecided", "all"]


async def downloads(visit: Visit) -> Response:
    """Show which files there are."""
    await visit.require_thread()
    reading = await visit.reading()
    return visit.page(
        "downloads.html",
        info=reading.info,
        reading=reading,
        formats=known_exporters(),
        decisions=get_args(Decided),
        tab="downloads",
    )


async def papers(visit: Visit) -> Response:
    """Send the papers in one format, as `paper-search export` writes them."""
    thread_id = await visit.require_thread()
    given = visit.request.query_params
    name, decision = given.get("format", ""), given.get("decision", "")
    _require("format", name, known_exporters())  # no path of a .csl file of the server
    _require("decision", decision, ["", *get_args(Decided)])
    collection = await visit.every.searches.session(thread_id).result()
    if collection is None:
        raise ThreadNotWaitingError(f"thread {thread_id!r} has no papers yet")
    chosen = collection.decided(cast("Decided", decision) if decision else None)
    content = await asyncio.to_thread(get_exporter(name), chosen)
    return _file(content, f"{thread_id}-{name}{suffix_of_format(name)}")


async def audit(visit: Visit) -> Response:
    """Send the audit as one ZIP; the same thread gives the same bytes."""
    thread_id = await visit.require_thread()
    async with visit.site.drawing:
        made = await audit_of(visit.persistence, thread_id)
    content = await asyncio.to_thread(zipped, made.files, f"{thread_id}-audit")
    return _file(content, f"{thread_id}-audit.zip")


def _file(content: str | bytes, name: str) -> Response:
    safe = "".join(letter if letter.isascii() and letter not in '"\\/' else "_" for letter in name)
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{safe}"'},
    )


def _require(what: str, given: str, accepted: list[str]) -> None:
    if given not in accepted:
        known = ", ".join(filter(None, accepted))
        raise RequestRefusedError(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"there is no {what} {given[:60]!r}; there are {known}"
        )
