"""Authentication: who comes, by a token or the page's cookie."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection

from paper_search.config import ServerConfig

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
