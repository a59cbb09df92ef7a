"""Removes keys from texts for people, logs and files."""

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
"""Loggers of requests, listed one by one: filters do not apply to child loggers."""

SHORTEST_SECRET = 4
"""Characters: a shorter key of a local server may be an ordinary word."""
_SHORTEST_RESPELLED = 12
"""Characters: another spelling of a shorter secret may be an ordinary word."""
_PARAMETER = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?token|token|password|secret)=)[^\s&\"'<>]+"
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Remove secrets, as they are and as encoded in URLs, JSON and bytes.

    Values of query parameters with names like `api_key` are removed, too.
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
    """Return a pattern for a secret with other or no hyphens, or None for a single or short word.

    The query reader tries such spellings of a question, which may hold a key.
    """
    words = re.split(r"[-_\s]+", secret)
    if len(words) == 1 or len(secret) < _SHORTEST_RESPELLED:
        return None
    return re.compile(r"[-_\s]?".join(map(re.escape, words)), re.IGNORECASE)


def redact_logs(secrets: Iterable[str]) -> None:
    """Keep secrets out of the logs of HTTP libraries, which model packages use on their own."""
    long_enough = frozenset(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
    if not long_enough:
        return
    lasting = _LastingFilter(long_enough)
    for logger in map(logging.getLogger, LOGGERS):
        logger.addFilter(lasting)


class RedactingFilter(logging.Filter):
    """Redacts log records: httpx logs every URL with its query."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact(record.getMessage(), self._secrets)
        record.args = None
        return True


@dataclass(frozen=True)
class _LastingFilter:
    """Equal to any other with the same secrets, so that a logger adds it only once."""

    secrets: frozenset[str] = field(repr=False)

    def filter(self, record: logging.LogRecord) -> bool:
        return RedactingFilter(self.secrets).filter(record)
