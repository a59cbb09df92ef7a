"""The list of threads, a new search, and a thread while it runs."""

import asyncio
import base64
from http import HTTPStatus
from typing import Any

from starlette.responses import RedirectResponse, Response

from paper_search.audit.logs import subject_of
from paper_search.config import WEB_SOURCES
from paper_search.errors import InputError, PaperSearchError
from paper_search.report_workflow.listing import SEARCH
from paper_search.review.files import DatabaseSearch, parse_files
from paper_search.server.access import Run
from paper_search.server.guard import SESSION_COOKIE, owner_of, session_of
from paper_search.threads.catalog import BriefInfo, ThreadStatus
from paper_search.threads.sharing import Role
from paper_search.web.runs import source_choice
from paper_search.web.site import Visit, set_cookie
from paper_search.workflow.session import SearchSession

LISTED = 200
_ORDER = (
    (ThreadStatus.WAITING, "Waiting for you"),
    (ThreadStatus.RUNNING, "Running"),
    (ThreadStatus.FAILED, "Stopped"),
    (ThreadStatus.DAMAGED, "Damaged"),
    (ThreadStatus.LOCKED, "Written with another key, or without one"),
    (ThreadStatus.DONE, "Done"),
)
_OF_OTHERS = "Shared with you, not done yet"


async def begin(visit: Visit) -> Response:
    site, question = visit.site, visit.field("question")
    lines = [line.strip() for line in visit.field("must_find").split("\n")]
    most = visit.field("max_results").strip()
    options: dict[str, Any] = {
        "sources": source_choice(site.config, visit.fields("source")),
        "max_results": most or None,
        "must_find": list(filter(None, lines)),
    }
    try:
        run = Run({"question": question}, options)
        await site.access.check_begin(
            visit.persistence, SearchSession, run, visit.owner, is_page=True
        )
        options["max_results"] = int(most) if most else None
        thread_id = await site.runs.begin(visit.persistence, question, visit.owner, options)
    except PaperSearchError as error:
        return await threads(visit, problem=str(error))
    return visit.redirect(f"/review/threads/{thread_id}")


async def import_files(visit: Visit) -> Response:
    """Screen the records of files on a new thread, or add them to a thread."""
    names, contents = visit.fields("name"), visit.fields("content")
    if len(names) != len(contents):
        raise InputError("the files did not arrive completely: try again")
    try:
        data = [base64.b64decode(content, validate=True) for content in contents]
    except ValueError as error:
        raise InputError("the files did not arrive completely: try again") from error
    files = list(zip(names, data, strict=True))
    databases = [name for name in visit.fields("database") if name.strip()]
    search = DatabaseSearch(visit.field("searched"), visit.field("strategy").strip())
    if thread_id := visit.field("thread"):
        await visit.require_thread(thread_id)
        await visit.site.runs.add(
            visit.persistence, thread_id, visit.person, (files, databases, search)
        )
        await visit.screening(thread_id).forget()
        return visit.json({"to": f"/review/threads/{thread_id}"})
    if not files:
        raise InputError("nothing was imported: no file was chosen")
    records = await asyncio.to_thread(parse_files, files, databases, search=search)
    thread_id = await visit.site.runs.begin_import(
        visit.persistence,
        visit.field("question"),
        (visit.owner, visit.person),
        records,
    )
    return visit.json({"to": f"/review/threads/{thread_id}", "files": [f.summary for f in records]})


async def thread(visit: Visit) -> Response:
    """Show the open question of a thread, its result or its progress."""
    thread_id = await visit.require_thread(shows_decisions=False)
    if visit.site.runs.is_active(thread_id):
        return await _running(visit)
    info = await visit.info()
    place = f"/review/threads/{thread_id}"
    if info.status is ThreadStatus.RUNNING:
        return await _running(visit)
    if info.status is ThreadStatus.FAILED:
        return visit.page("stopped.html", info=info, tab="")
    if info.checkpoint is not None and info.checkpoint.value == "strategy_confirmation":
        return visit.redirect(f"{place}/strategy")
    return visit.redirect(f"{place}/{'reviewers' if visit.is_reviewer else 'results'}")


async def progress(visit: Visit) -> Response:
    """Return the current step of a run as JSON, for `page.js`."""
    thread_id = await visit.require_thread(shows_decisions=False)
    is_active = visit.site.runs.is_active(thread_id)
    try:
        info = await visit.info()
    except PaperSearchError:
        if not is_active:
            raise
        return visit.json({"is_running": True, "step": None})
    is_running = is_active or info.status is ThreadStatus.RUNNING
    return visit.json({"is_running": is_running, "step": info.next_step})


async def log(visit: Visit) -> Response:
    """Show who decided what, the rounds, and what each source was sent."""
    await visit.require_thread()
    reading = await visit.reading()
    decisions = await visit.catalogs.searches.decisions(visit.thread_id)
    state = reading.state
    return visit.page(
        "log.html",
        reading=reading,
        decisions=[(entry, subject_of(entry.detail)) for entry in decisions],
        history=state.history,
        reports=state.journal,
        tab="log",
    )


async def resume(visit: Visit) -> Response:
    thread_id = await visit.require_thread()
    await visit.site.runs.proceed(visit.persistence, thread_id, visit.person)
    return visit.redirect(f"/review/threads/{thread_id}")


async def sign_in(visit: Visit) -> Response:
    return visit.page("sign_in.html", problem=None)


async def log_in(visit: Visit) -> Response:
    token = visit.field("token").strip()
    if owner_of(visit.site.config.server, f"Bearer {token}") is None:
        problem = "this token is unknown; PAPER_SEARCH_TOKENS on the server lists all tokens"
        return visit.page("sign_in.html", HTTPStatus.FORBIDDEN, problem=problem)
    response = RedirectResponse("/review", HTTPStatus.SEE_OTHER)
    set_cookie(response, SESSION_COOKIE, session_of(token))
    return response


async def sign_out(visit: Visit) -> Response:
    del visit
    response = RedirectResponse("/review/sign-in", HTTPStatus.SEE_OTHER)
    set_cookie(response, SESSION_COOKIE, "")
    return response


async def _running(visit: Visit) -> Response:
    try:
        info: BriefInfo = await visit.info()
    except PaperSearchError:  # the first step has not begun
        info = BriefInfo(thread_id=visit.thread_id, status=ThreadStatus.RUNNING, graph=SEARCH)
    return visit.page("running.html", info=info, tab="")


async def threads(visit: Visit, problem: str | None = None) -> Response:
    """Show the form for a new search, and the threads that the visitor may see."""
    config = visit.site.config
    names = dict(_ORDER)
    first, *rest = names.values()
    by_group: dict[str, list[BriefInfo]] = {name: [] for name in (first, _OF_OTHERS, *rest)}
    is_listed = visit.site.access.visibility(visit.owner)
    infos = await visit.catalogs.threads(limit=LISTED + 1, is_listed=is_listed)
    for info in infos[:LISTED]:
        if role := await visit.role(info.thread_id, info.graph):
            is_asked = role is Role.OWNER or info.status is not ThreadStatus.WAITING
            by_group[names[info.status] if is_asked else _OF_OTHERS].append(info)
    return visit.page(
        "threads.html",
        groups=[(name, infos) for name, infos in by_group.items() if infos],
        of_others=_OF_OTHERS,
        listed=LISTED if len(infos) > LISTED else None,
        problem=problem,
        given={name: visit.field(name) for name in ("question", "max_results", "must_find")},
        ticked=visit.fields("source")
        or [name for name, source in config.sources.items() if source.enabled],
        sources=visit.site.source_problems,
        public=WEB_SOURCES,
    )
