"""A report to read: the page that `paper-search export` writes, under its own policy."""

from __future__ import annotations

import asyncio

from starlette.responses import HTMLResponse, Response

from paper_search.errors import ThreadNotFoundError, ThreadWaitingError
from paper_search.report.outputs.figures import figures, is_available
from paper_search.report.outputs.page import POLICY, render_html
from paper_search.report_workflow.catalog import REPORT
from paper_search.web.site import Visit


async def report(visit: Visit) -> Response:
    """Show a report that has ended, or the latest draft."""
    thread_id, catalog = visit.thread_id, visit.every.reports
    if await visit.every.graph_of(thread_id) != REPORT or not await visit.is_own(
        catalog, thread_id
    ):
        raise ThreadNotFoundError(f"there is no report {thread_id!r}")
    detail = await catalog.show(thread_id)
    shown = detail.report
    if shown is None:
        if detail.version is None:
            raise ThreadWaitingError(
                f"report {thread_id!r} has no text yet: continue it with "
                f"`paper-search resume {thread_id}`"
            )
        shown = await catalog.session(thread_id).preview()
    async with visit.site.drawing:
        drawn = await asyncio.to_thread(figures, shown) if is_available() else {}
    page = await asyncio.to_thread(render_html, shown, figures=drawn)
    policy = f"{POLICY}; frame-ancestors 'none'"
    return HTMLResponse(page, headers={"content-security-policy": policy})
