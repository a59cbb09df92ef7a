"""What the views of the page share: the site, and the visit that a request makes to it."""

import asyncio
import functools
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from paper_search.config import AppConfig, current_person
from paper_search.errors import (
    ConfigError,
    InputError,
    PaperSearchError,
    RequestRefusedError,
    ThreadError,
    ThreadNotFoundError,
    ThreadWaitingError,
)
from paper_search.persistence import Persistence
from paper_search.report_workflow.engine import ReportSession
from paper_search.report_workflow.listing import SEARCH, ThreadCatalogs
from paper_search.server.access import Access, Session
from paper_search.server.guard import EVERYBODY, VISITOR
from paper_search.sources import create_source, known_sources
from paper_search.threads.sharing import Right, Role
from paper_search.web.readings import Reading, Readings
from paper_search.web.runs import Runs
from paper_search.web.screening_sessions import ScreeningSession
from paper_search.web.templates import render_template
from paper_search.workflow.listing import ThreadInfo
from paper_search.workflow.session import SearchSession

CSRF_COOKIE = "paper_search_form"
CSRF_FIELD = "csrf"
_SESSION_S = 30 * 24 * 3600
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def csrf_token(request: Request) -> str:
    """Return the token that every form of this browser must send: its cookie, or a new one."""
    cookie = request.cookies.get(CSRF_COOKIE, "")
    fresh = secrets.token_hex()
    return cookie if len(cookie) == len(fresh) and cookie.isalnum() else fresh


def check_form(request: Request, form: Sequence[tuple[str, str]], token: str) -> None:
    """Refuse a form that this page did not issue.

    The guard has compared `Origin` with `Host`. A cookie alone proves nothing: other programs
    on this machine share the cookies of its address.
    """
    field = request.headers.get("x-csrf-token") or dict(form).get(CSRF_FIELD, "")
    if "origin" not in request.headers or not hmac.compare_digest(field.encode(), token.encode()):
        raise RequestRefusedError(
            HTTPStatus.FORBIDDEN,
            "this form is not from this page, or its page is out of date: go back, reload the "
            "page and send it again; the page needs cookies",
        )


def secure(response: Response, token: str) -> Response:
    """Add security headers, unless the response has its own, and the cookie for forms."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("cache-control", "no-store")
    set_cookie(response, CSRF_COOKIE, token)
    return response


def set_cookie(response: Response, name: str, value: str) -> None:
    """Set a cookie for the page only; an empty value deletes it."""
    age = _SESSION_S if value else 0
    response.set_cookie(name, value, age, path="/review", httponly=True, samesite="strict")


class Site:
    def __init__(self, config: AppConfig, access: Access) -> None:
        self.config = config
        self.access = access
        self.runs = Runs(config)
        self.readings = Readings()
        self.screening: dict[tuple[str, str], ScreeningSession] = {}
        self.pictures: dict[str, dict[str, bytes]] = {}
        self.drawing_lock = asyncio.Lock()  # the settings of matplotlib are global

    @functools.cached_property
    def source_problems(self) -> dict[str, str]:
        """Why a source that a person may choose cannot be searched, by name; empty if it can."""
        names = self.access.page_sources
        return {
            name: _problem(name, self.config)
            for name in (known_sources() if names is None else names)
        }

    def view(self, answer: "View", *, is_open: bool = False) -> Callable[[Request], Any]:
        """Return the endpoint of a view; `is_open`: whether it needs no sign-in."""

        async def serve(request: Request) -> Response:
            token = csrf_token(request)
            if request.scope.get(VISITOR) is None and not is_open:
                return secure(RedirectResponse("/review/sign-in", HTTPStatus.SEE_OTHER), token)
            async with self.access.shared.use() as persistence:
                visit = Visit(self, request, persistence, token, await _form(request))
                try:
                    if request.method == "POST":
                        check_form(request, visit.form, token)
                    with self.access.shared.mask_errors():
                        response = await answer(visit)
                except PaperSearchError as error:
                    response = visit.error_page(error)
            return secure(response, token)

        return serve


@dataclass
class Visit:
    site: Site
    request: Request
    persistence: Persistence
    csrf: str
    form: list[tuple[str, str]]
    """The fields of the submitted form, in order."""
    is_reader: bool = False
    """Whether the thread is shared with the visitor only for reading."""
    is_reviewer: bool = False

    @property
    def owner(self) -> str:
        return str(self.request.scope.get(VISITOR))

    @property
    def person(self) -> str:
        """The visitor's name in the ledger."""
        return current_person() if self.owner == EVERYBODY else self.owner

    @property
    def thread_id(self) -> str:
        return str(self.request.path_params["thread"])

    @property
    def accounts(self) -> list[str]:
        """Names of those who can sign in; empty if everybody is one person."""
        return list(self.site.config.server.tokens)

    @property
    def reviewer(self) -> str:
        """Reviewer as whom the visitor screens; empty: for the thread."""
        return self.reviewer_named(self.request.query_params.get("reviewer", ""))

    def reviewer_named(self, name: str) -> str:
        """Return the name of a reviewer, refused if it belongs to another account."""
        if name and self.accounts and name != self.owner:
            raise RequestRefusedError(
                HTTPStatus.FORBIDDEN,
                f"you are signed in as {self.owner!r}, so you cannot screen as {name!r}",
            )
        return name

    @property
    def wants_json(self) -> bool:
        return "application/json" in self.request.headers.get("accept", "")

    def field(self, name: str, default: str = "") -> str:
        """Return the last field of that name in the form."""
        return next((value for key, value in reversed(self.form) if key == name), default)

    def fields(self, name: str) -> list[str]:
        return [value for key, value in self.form if key == name]

    def page(self, template: str, code: int | None = None, /, **values: Any) -> HTMLResponse:
        """Render a page; a `problem` changes the default status to 422.

        Templates of a thread get `info` from `reading`.
        """
        if code is None:
            code = HTTPStatus.UNPROCESSABLE_ENTITY if values.get("problem") else HTTPStatus.OK
        if "reading" in values:
            values["info"] = values["reading"].info
        common = {
            "csrf": self.csrf,
            "visitor": None if self.owner == EVERYBODY else self.request.scope.get(VISITOR),
            "is_reader": self.is_reader,
            "is_guest": self.is_reader or self.is_reviewer,
        }
        return HTMLResponse(render_template(template, **common, **values), code)

    def json(self, document: Mapping[str, Any], status: int = HTTPStatus.OK) -> Response:
        return Response(json.dumps(document), status, media_type="application/json")

    def redirect(self, path: str) -> Response:
        return RedirectResponse(path, HTTPStatus.SEE_OTHER)

    def error_page(self, error: PaperSearchError) -> Response:
        status = _status(error)
        if self.wants_json:
            return self.json({"error": str(error)}, status)
        place = f"/review/threads/{self.request.path_params.get('thread')}"
        is_below = self.request.url.path.startswith(f"{place}/")
        back = place if is_below and status in _OF_VISIBLE_THREAD else ""
        return self.page("failed.html", status, error=str(error), status=int(status), back=back)

    @property
    def catalogs(self) -> ThreadCatalogs:
        return self.site.access.catalogs(self.persistence)

    @property
    def search(self) -> SearchSession:
        return self.catalogs.searches.session(self.thread_id)

    def screening(self, thread_id: str, reviewer: str = "") -> ScreeningSession:
        session = ScreeningSession(self.persistence, thread_id, reviewer)
        return self.site.screening.setdefault((thread_id, reviewer), session)

    async def info(self) -> ThreadInfo:
        return await self.catalogs.searches.info(self.thread_id)

    async def reading(self) -> Reading:
        return await self.site.readings.of(self.catalogs.searches, self.thread_id)

    def question_reference(self) -> dict[str, Any]:
        try:
            document = json.loads(self.field("asked"))
            return {"checkpoint": document["checkpoint"], "token": document["token"]}
        except (ValueError, LookupError, TypeError):
            raise InputError("the form names no question; reload the page") from None

    async def require_thread(
        self, thread_id: str = "", right: Right | None = None, *, shows_decisions: bool = True
    ) -> str:
        """Return the id of a thread, by default that in the path, if the visitor has the right.

        `right`: by default to read, or to decide if a form was sent. `shows_decisions`: whether
        decisions are shown, which a reviewer may not see before all reviewers are done.

        Raises:
            RequestRefusedError: there is no such thread, or the visitor lacks the right.
            ThreadWaitingError: it is a report.
        """
        name = thread_id or self.thread_id
        if self.site.runs.owner_of(name) == self.owner:
            return name
        right = right or (Right.DECIDE if self.request.method == "POST" else Right.READ)
        session = await self.session(name, right, shows_decisions=shows_decisions)
        if isinstance(session, ReportSession):
            raise ThreadWaitingError(
                f"thread {name!r} is a report: read it at /review/reports/{name}"
            )
        role = await self.role(name)
        self.is_reader, self.is_reviewer = role is Role.READER, role is Role.REVIEWER
        return name

    async def role(self, thread_id: str, graph: str = SEARCH) -> Role | None:
        return await self.site.access.role(self.catalogs.by_graph.get(graph), thread_id, self.owner)

    async def session(
        self, thread_id: str, right: Right = Right.READ, *, shows_decisions: bool = True
    ) -> Session:
        whose = self.persistence, thread_id, self.owner
        access = self.site.access
        session = await access.session(*whose, right, shows_decisions=shows_decisions)
        if session is None:
            raise RequestRefusedError(HTTPStatus.NOT_FOUND, f"no thread {thread_id!r}")
        return session


View = Callable[[Visit], Awaitable[Response]]


def _problem(source: str, config: AppConfig) -> str:
    try:
        create_source(source, config)
    except ConfigError as error:
        return str(error)
    return ""


_STATUS: tuple[tuple[type[PaperSearchError], HTTPStatus], ...] = (
    (ThreadNotFoundError, HTTPStatus.NOT_FOUND),
    (ThreadError, HTTPStatus.CONFLICT),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
)


_OF_VISIBLE_THREAD = {HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}
"""Statuses that only visitors who may see the thread get."""


def _status(error: PaperSearchError) -> HTTPStatus:
    if isinstance(error, RequestRefusedError):
        return HTTPStatus(error.status)
    statuses = (status for kind, status in _STATUS if isinstance(error, kind))
    return next(statuses, HTTPStatus.INTERNAL_SERVER_ERROR)


async def _form(request: Request) -> list[tuple[str, str]]:
    is_file = request.headers.get("content-type") == "application/octet-stream"
    if request.method != "POST" or is_file:
        return []
    body = (await request.body()).decode("utf-8", errors="replace")
    return [
        (name, value.replace("\r\n", "\n"))
        for name, value in parse_qsl(body, keep_blank_values=True, max_num_fields=10_000)
    ]
