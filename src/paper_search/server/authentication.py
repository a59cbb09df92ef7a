"""Authentication for LangGraph's server: threads and runs are their owner's, the rest is closed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from typing import Any

from langgraph_sdk import Auth

from paper_search.config import AppConfig, ServerConfig

EVERYBODY = "an unnamed person"
"""Whose threads are where no tokens are set, as people read it: "decided by an unnamed person"."""
SESSION_COOKIE = "paper_search_session"
"""What tells the page who signed in."""


def owner_of(config: ServerConfig, authorization: str | None) -> str | None:
    """Return who comes with an `Authorization` header; None: nobody that is known.

    All tokens are compared, each in constant time, so that an answer's time tells nothing.
    """
    if not config.tokens:
        return EVERYBODY
    scheme, _, given = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    digest = _digest(given.strip())
    found = [
        owner
        for owner, token in config.tokens.items()
        if hmac.compare_digest(_digest(token), digest)
    ]
    return found[0] if found else None


def session_of(token: str) -> str:
    """Return what the page's cookie holds in place of a token: good for the page alone."""
    return hmac.new(token.encode(), b"the page of paper_search", hashlib.sha256).hexdigest()


def owner_of_session(config: ServerConfig, cookies: str | None) -> str | None:
    """Return who comes with a `Cookie` header; None: nobody that is known."""
    pairs = [pair.strip().partition("=") for pair in (cookies or "").split(";")]
    given = _digest(next((value for name, _, value in pairs if name == SESSION_COOKIE), ""))
    found = [
        owner
        for owner, token in config.tokens.items()
        if hmac.compare_digest(_digest(session_of(token)), given)
    ]
    return found[0] if found else None


def thread_owner(recorded: str | None, owners: Collection[str]) -> str:
    """Return whose a thread is: who began it, or the first owner where that one has no token.

    Args:
        recorded: who began it over a server; None: it was begun elsewhere.
        owners: who has a token now; none: everybody is one person.
    """
    if recorded is not None and recorded in owners:
        return recorded
    return next(iter(owners), EVERYBODY)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", errors="surrogateescape")).digest()


def create_auth(config: AppConfig) -> Auth:
    """Return what `auth` in langgraph.json names.

    Without tokens everybody is the same person; with them, a thread is there for its owner alone.
    """
    auth = Auth()
    server = config.server

    @auth.authenticate
    async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
        owner = owner_of(server, authorization)
        if owner is None:
            raise Auth.exceptions.HTTPException(401, "this server needs a token")
        return {"identity": owner, "is_authenticated": True}

    @auth.on
    async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
        del ctx, value
        return False

    async def own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        owner = {"owner": ctx.user.identity}
        if isinstance(value, dict) and ctx.action in {"create", "create_run"}:
            value["metadata"].update(owner)  # the server keeps the object, not what is put there
        return owner

    async def read_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
        del value
        return ctx.action in {"read", "search"}

    auth.on.threads(own)
    auth.on.assistants(read_assistants)
    return auth
