"""JSON objects in the text that models write: bare, fenced, or wrapped in prose."""

from __future__ import annotations

import json
import re
from typing import Any

from paper_search.errors import LLMResponseError

_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)```", re.DOTALL | re.IGNORECASE)
_MAX_STARTS = 50
"""How many opening braces are tried: a long answer must not cost quadratic time."""
_EXCERPT = 200


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` is, or holds in a code fence or between sentences.

    A text cut off in the middle of its object is never completed.

    Raises:
        LLMResponseError: there is no complete object; says what the text begins with.
    """
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped:
        raise LLMResponseError("the model's answer is empty")
    for candidate in (stripped, *(match.strip() for match in _FENCE.findall(stripped))):
        value = _loaded(candidate)
        if isinstance(value, dict):
            return value
    found = _embedded(stripped)
    if found is None:
        raise LLMResponseError(
            f"the model's answer holds no JSON object; it begins {stripped[:_EXCERPT]!r}"
        )
    return found


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _embedded(text: str) -> dict[str, Any] | None:
    """Return the first object after prose; an object inside an unclosed one does not count."""
    if text[0] in "[{":
        return None
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(_MAX_STARTS):
        if start < 0:
            return None
        try:
            value, _end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            if _opens_object(text, start):
                return None
            start = text.find("{", start + 1)
            continue
        if isinstance(value, dict):
            return value
    return None


def _opens_object(text: str, start: int) -> bool:
    """Whether a JSON object seems to begin here, so that its failure is a truncated answer."""
    return re.match(r'\{\s*"', text[start:]) is not None
