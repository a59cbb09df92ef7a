"""Fast JSON, with the standard library as a fallback."""

import json
from typing import Any

import orjson


def decoded(text: str) -> Any:
    """Return the value in a JSON text; NaN, Infinity and long integers are taken as well.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        return orjson.loads(text)
    except ValueError:
        return json.loads(text)


def encoded(value: Any) -> str:
    """Return a value as compact JSON, keys sorted: equal values give equal texts."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        # Half surrogates and integers of more than 64 bits.
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
