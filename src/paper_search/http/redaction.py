"""Keeps keys out of the texts that people, logs and files see."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"

_PARAMETER = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?token|token|password|secret)=)[^\s&\"'<>]+"
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text without the secrets, in any form that URLs, JSON and bytes give them.

    Values of query parameters that are named like a secret (`api_key=`) go, too.
    """
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
    return _PARAMETER.sub(rf"\1{REDACTED}", text)


class RedactingFilter(logging.Filter):
    """Redacts what a logger says: httpx logs every URL with its query."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact the record; none is dropped."""
        record.msg = redact(record.getMessage(), self._secrets)
        record.args = None
        return True
