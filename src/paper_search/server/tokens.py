"""Tokens: who somebody is, told by what only they know."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from paper_search.config import ServerConfig

EVERYBODY = "everybody"
"""Whose threads are where no tokens are set."""


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


def keeper(tokens: Mapping[str, str]) -> str:
    """Return whose the threads are that nobody began over the server: the first one's."""
    return next(iter(tokens), EVERYBODY)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", errors="surrogateescape")).digest()
