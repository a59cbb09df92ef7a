"""Recognises what a host shows instead of a text: log-in pages, paywalls, errors."""

from __future__ import annotations

import re

from paper_search.bibliography.text import normalised_title

_SHORTEST = 200
"""Characters of a text that says something."""
_SHORT = 3000
"""A page of fewer characters that speaks of signing in is about that, and not much else."""
_MOST_TITLE = 5000
"""Characters at the beginning of a paper in which its title is."""
_SAME_TITLE = 0.7
"""Share of the words of a title that have to be there."""

_INSTEAD = tuple(
    (re.compile("|".join(said), re.IGNORECASE), what)
    for what, said in {
        "a log-in page": (
            r"\b(?:sign|log) ?in\b",
            r"\bpassword\b",
            r"\bcreate an account\b",
        ),
        "a paywall": (
            r"\b(?:purchase|buy|rent) (?:this )?(?:article|access|pdf)\b",
            r"\bsubscribe to (?:read|continue)",
            r"\bget (?:full )?access\b",
            r"\binstitutional access\b",
            r"\bsubscribers? only\b",
        ),
        "a cookie or script notice": (
            r"\b(?:enable|accept|disabled?) (?:javascript|cookies)\b",
            r"\b(?:cookies are|javascript is) (?:disabled|required)",
            r"\bwe use cookies\b",
        ),
        "a robot check": (
            r"\bcaptcha\b",
            r"\bare you (?:a )?(?:human|robot)\b",
            r"\bnot a robot\b",
            r"\bverify(?:ing)? you are",
            r"\bunusual traffic\b",
            r"\baccess denied\b",
            r"\brequest (?:was )?blocked\b",
            r"\bjust a moment\b",
        ),
        "an error page": (
            r"\b(?:page|article|document|file) (?:was |could )?not (?:be )?found\b",
            r"\berror (?:404|403|500)\b",
            r"\b(?:404|403) (?:error|not found|forbidden)\b",
            r"\bno longer available\b",
            r"\binternal server error\b",
            r"\bservice unavailable\b",
            r"\bsomething went wrong\b",
        ),
    }.items()
)
_DOORS = re.compile(
    r"/(?:login|signin|sign-in|sso|auth|authenticate|cookieabsent)(?:[/.?]|$)", re.IGNORECASE
)
_WITHDRAWN = re.compile(
    r"^\W{0,3}(?:retracted|withdrawn)\b(?: article| paper)?\s*[:\]–—-]"
    r"|^\W{0,3}(?:retraction|withdrawal)(?: notice| note)?\s*(?::|to\b|of\b)"
    r"|\bthis (?:article|paper|work) has been (?:retracted|withdrawn)\b",
    re.IGNORECASE,
)


def shown_instead(text: str, title: str, url: str) -> str | None:
    """Return what a document is if it is not the text that was asked for; None: it is a text."""
    if _DOORS.search(url):
        return "a log-in page"
    if len(text) < _SHORT:
        said = f"{title}\n{text}"
        for pattern, what in _INSTEAD:
            if pattern.search(said):
                return what
    if len(text) < _SHORTEST:
        return "nearly empty"
    return None


def is_about(title: str, text: str, own_title: str = "") -> bool:
    """Whether a document is the paper of this title: most of its words are at the beginning."""
    words = {normalised_title(word) for word in title.split()} - {""}
    beginning = f"{own_title} {text[:_MOST_TITLE]}"
    have = {normalised_title(word) for word in beginning.split()}
    together = normalised_title(beginning)
    if normalised_title(title) and normalised_title(title) in together:
        return True
    long = {word for word in words if len(word) > 3}  # noqa: PLR2004  # shorter words are in every text
    return bool(long) and len(long & have) >= _SAME_TITLE * len(long)


def is_withdrawn(title: str, text: str) -> bool:
    """Whether a document says at its beginning that it was retracted or withdrawn."""
    return bool(_WITHDRAWN.search(title) or _WITHDRAWN.search(text[:600]))
