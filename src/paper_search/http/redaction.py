"""Keeps keys out of the texts that people, logs and files see."""

import functools
import json
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
LOGGERS = (
    *("httpx", "httpx2", "openai._base_client", "anthropic._base_client"),
    *(
        f"{package}.{part}"
        for package in ("httpcore", "httpcore2")
        for part in ("connection", "http11", "http2", "proxy", "socks")
    ),
)
"""They say what is sent and received; a filter does not hold for the loggers below its own."""

_SHORTEST = 4
_SHORTEST_RESPELLED = 12
"""Characters: a shorter secret in another spelling may be a word."""
_PARAMETER = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?token|token|password|secret)=)[^\s&\"'<>]+"
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text without the secrets, in any form that URLs, JSON and bytes give them.

    Values of query parameters that are named like a secret (`api_key=`) go, too.
    """
    secrets = tuple(secrets)
    forms = {
        form
        for secret in secrets
        if secret
        for form in (
            secret,
            quote(secret, safe=""),
            quote_plus(secret),
            json.dumps(secret)[1:-1],
            repr(secret.encode())[2:-1],
        )
    }
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, REDACTED)
    for secret in secrets:
        if (spelled := _respelled(secret)) is not None:
            text = spelled.sub(REDACTED, text)
    return _PARAMETER.sub(rf"\1{REDACTED}", text)


@functools.lru_cache(maxsize=64)
def _respelled(secret: str) -> re.Pattern[str] | None:
    """Return what finds a secret of several words in other spellings; None if it is one word.

    A question that holds a key is asked in its spellings, with blanks for hyphens or with none.
    """
    words = re.split(r"[-_\s]+", secret)
    if len(words) == 1 or len(secret) < _SHORTEST_RESPELLED:
        return None
    return re.compile(r"[-_\s]?".join(map(re.escape, words)), re.IGNORECASE)


def redact_logs(secrets: Iterable[str]) -> None:
    """Keep secrets out of what HTTP libraries log, for as long as the process runs.

    Packages of models send by clients of their own, which nobody else can watch. What is shorter
    than 4 characters is no secret: a server of one's own takes any key, such as "x".
    """
    long_enough = frozenset(secret for secret in secrets if len(secret) >= _SHORTEST)
    if not long_enough:
        return
    lasting = _LastingFilter(long_enough)
    for logger in map(logging.getLogger, LOGGERS):
        logger.addFilter(lasting)


class RedactingFilter(logging.Filter):
    """Redacts what a logger says: httpx logs every URL with its query."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact(record.getMessage(), self._secrets)
        record.args = None
        return True


@dataclass(frozen=True)
class _LastingFilter:
    """Equal to any other with the same secrets: a logger takes one of them."""

    secrets: frozenset[str] = field(repr=False)

    def filter(self, record: logging.LogRecord) -> bool:
        return RedactingFilter(self.secrets).filter(record)
