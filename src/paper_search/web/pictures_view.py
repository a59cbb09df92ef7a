"""The pictures of a thread's audit, as image files: the policy of the page forbids others."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import Response

from paper_search.audit import pictures_of
from paper_search.audit.pictures import CAPTIONS, is_available
from paper_search.errors import RequestRefusedError
from paper_search.web.site import Visit

KEPT = 8
"""Threads whose pictures stay in memory."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Of a picture, which matplotlib gives its own style and nothing else."""


async def pictures(visit: Visit) -> Response:
    """Show the pictures of a thread as it stands now."""
    await visit.require_thread()
    reading = await visit.reading()
    can_draw = is_available()
    drawn = await _drawn(visit, is_fresh=True) if can_draw and reading.shelf else {}
    return visit.page(
        "pictures.html",
        info=reading.info,
        reading=reading,
        can_draw=can_draw,
        captions={name: CAPTIONS[name] for name in drawn},
        tab="pictures",
    )


async def picture(visit: Visit) -> Response:
    """Send one picture."""
    await visit.require_thread()
    name = str(visit.request.path_params["name"]).removesuffix(".svg")
    drawn = await _drawn(visit) if name in CAPTIONS and is_available() else {}
    if name not in drawn:
        raise RequestRefusedError(HTTPStatus.NOT_FOUND, f"there is no picture {name[:60]!r}")
    headers = {"content-security-policy": _POLICY}
    return Response(drawn[name], media_type="image/svg+xml", headers=headers)


async def _drawn(visit: Visit, *, is_fresh: bool = False) -> dict[str, bytes]:
    """Return the pictures by name: those that the page was last shown with, unless `is_fresh`."""
    kept, thread_id = visit.site.pictures, visit.thread_id
    async with visit.site.drawing:
        if is_fresh or thread_id not in kept:
            kept.pop(thread_id, None)
            kept[thread_id] = await pictures_of(visit.persistence, thread_id)
            while len(kept) > KEPT:
                del kept[next(iter(kept))]
        return kept[thread_id]
