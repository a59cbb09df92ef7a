"""Read values of unknown type from JSON and XML; invalid values count as missing."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element  # for its type only

from paper_search.bibliography.fields import MOST_CITATIONS
from paper_search.bibliography.identifiers import host_of
from paper_search.bibliography.text import remove_invisible
from paper_search.http.errors import utc_now
from paper_search.query.ast import YEAR

_FIRST_YEAR = 1400
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
YEAR_IN_TEXT = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")

_MARKS = re.compile(r"[\"“”\\\[\]{}<>|^~\x00-\x1f\x7f]+")
"""Characters that end a quotation or have a meaning inside it."""


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return a list: a single value becomes a list of one, None an empty list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    return (entry for entry in items(value) if isinstance(entry, dict))


def text(value: Any) -> str:
    """Return visible text: a string, a number as text, or all text in an XML element."""
    if isinstance(value, Element):
        value = " ".join("".join(value.itertext()).split())
    if isinstance(value, str):
        return remove_invisible(value).strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def without_stop(title: str) -> str:
    """Remove the final full stop of a title, but not an ellipsis."""
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def without_brackets(title: str) -> str:
    """Remove the final full stop and the brackets of a translated title."""
    title = without_stop(title)
    is_translated = title.startswith("[") and title.endswith("]") and title.count("[") == 1
    return title[1:-1].strip() if is_translated else title


def count(value: Any) -> int | None:
    citations = number(value)
    return citations if citations is not None and citations <= MOST_CITATIONS else None


def number(value: Any) -> int | None:
    """Return a non-negative integer, also from a string of digits, or None."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value) if len(value) < 16 else None  # noqa: PLR2004  # digits of a number that is exact
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value >= 0 else None


def year(value: Any) -> int | None:
    """Return the plausible year that a number or date (`2019-05-01`) begins with, or None."""
    match = YEAR.match(text(int(value) if isinstance(value, float) else value))
    if match is None:
        return None
    return int(match[0]) if _FIRST_YEAR <= int(match[0]) <= utc_now().year + 2 else None


def address(value: Any) -> str | None:
    match = _ADDRESS.fullmatch(text(value))
    return match[0] if match and host_of(match[0]) else None


def flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def quoted(text: str) -> str:
    """Return the text in quotation marks, without special characters."""
    return f'"{" ".join(_MARKS.sub(" ", text).split())}"'
