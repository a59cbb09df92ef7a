"""What keeps foreign pages out of this one: headers, cookies, and a token in every form."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from paper_search.errors import RequestRefusedError
from paper_search.server.guard import SESSION_COOKIE

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
    """Return what every form of this browser has to send: the cookie's value, or a new one."""
    cookie = request.cookies.get(CSRF_COOKIE, "")
    return cookie if len(cookie) == len(secrets.token_hex()) and cookie.isalnum() else _fresh()


def check_form(request: Request, form: Sequence[tuple[str, str]], token: str) -> None:
    """Let a form pass that this page gave out.

    The guard has compared `Origin` with `Host`. A cookie alone proves nothing: other programs
    on this machine share the cookies of its address.

    Raises:
        RequestRefusedError: the form came from elsewhere, or the browser keeps no cookies.
    """
    field = request.headers.get("x-csrf-token") or dict(form).get(CSRF_FIELD, "")
    if "origin" not in request.headers or not hmac.compare_digest(field.encode(), token.encode()):
        raise RequestRefusedError(
            HTTPStatus.FORBIDDEN,
            "this form is not from this page, or its page is out of date: go back, reload the "
            "page and send it again; the page needs cookies",
        )


def secure(response: Response, token: str) -> Response:
    """Return the response with what tells the browser to be strict; its own policy stays."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("cache-control", "no-store")
    set_cookie(response, CSRF_COOKIE, token)
    return response


def set_cookie(response: Response, name: str, value: str) -> None:
    """Give the browser a cookie for the page alone; an empty one is deleted."""
    age = _SESSION_S if value else 0
    response.set_cookie(name, value, age, path="/review", httponly=True, samesite="strict")


def sign_in(response: Response, session: str) -> None:
    """Let the browser in from now on; an empty session lets it out."""
    set_cookie(response, SESSION_COOKIE, session)


def _fresh() -> str:
    return secrets.token_hex()
