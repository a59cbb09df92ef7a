"""Reads values of unknown type from JSON and XML; an invalid value counts as missing."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element  # for its type only

from paper_search.http.errors import utc_now
from paper_search.query.ast import YEAR

MOST_CITATIONS = 10_000_000
"""No work has more; what claims so is a fault."""
_FIRST_YEAR = 1400
_ADDRESS = re.compile(r"https?://[^\s/]+\S*", re.IGNORECASE)
YEAR_IN_TEXT = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")

_MARKS = re.compile(r"[\"“”\\\[\]{}<>|^~\x00-\x1f\x7f]+")
"""What could end a quotation, or means something inside of one."""


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return the list; a lone value is a list of one, nothing is an empty one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; other items are skipped."""
    return (entry for entry in items(value) if isinstance(entry, dict))


def text(value: Any) -> str:
    """Return the text as it is, also of a number, or all text inside of an element of XML."""
    if isinstance(value, Element):
        return " ".join("".join(value.itertext()).split())
    if isinstance(value, bool):
        return ""
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def without_stop(title: str) -> str:
    """Return a title without the full stop at its end; an ellipsis stays."""
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def without_brackets(title: str) -> str:
    """Return a title without full stop, and without the brackets of a translated one."""
    title = without_stop(title)
    is_translated = title.startswith("[") and title.endswith("]") and title.count("[") == 1
    return title[1:-1].strip() if is_translated else title


def count(value: Any) -> int | None:
    """Return the number of citations; None if there is none, or it is invalid."""
    citations = number(value)
    return citations if citations is not None and citations <= MOST_CITATIONS else None


def number(value: Any) -> int | None:
    """Return a whole number from 0, also from digits in a text, or None."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value) if len(value) < 16 else None  # noqa: PLR2004  # digits of a number that is exact
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value >= 0 else None


def year(value: Any) -> int | None:
    """Return the year that a number or date (`2019-05-01`) begins with; None if it is none."""
    match = YEAR.match(text(int(value) if isinstance(value, float) else value))
    if match is None:
        return None
    return int(match[0]) if _FIRST_YEAR <= int(match[0]) <= utc_now().year + 2 else None


def address(value: Any) -> str | None:
    match = _ADDRESS.fullmatch(text(value))
    return match[0] if match else None


def flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def quoted(text: str) -> str:
    """Return the text between quotation marks, without what could end them or be misread."""
    return f'"{" ".join(_MARKS.sub(" ", text).split())}"'
