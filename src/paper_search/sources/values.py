"""Reads values of unknown type from JSON and XML; an invalid value counts as missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element  # for its type only

from paper_search.bibliography.text import clean, plain
from paper_search.http.retry import utc_now
from paper_search.query.leaves import YEAR

MOST_CITATIONS = 10_000_000
"""No work has more; what claims so is a fault."""
_FIRST_YEAR = 1400
_ADDRESS = re.compile(r"https?://[^\s/]+\S*", re.IGNORECASE)
YEAR_IN_TEXT = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")


def mapping(value: Any) -> dict[str, Any]:
    """Return the object, or an empty one."""
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


def words(value: Any) -> str | None:
    """Return the text for people, without markup and LaTeX, or None."""
    return plain(text(value)) or None


def without_stop(title: str) -> str:
    """Return a title without the full stop at its end; an ellipsis stays."""
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def without_brackets(title: str) -> str:
    """Return a title without full stop, and without the brackets of a translated one."""
    title = without_stop(title)
    is_translated = title.startswith("[") and title.endswith("]") and title.count("[") == 1
    return title[1:-1].strip() if is_translated else title


def first_text(value: Any) -> str:
    """Return the first text of a list that is not empty, or the text itself."""
    return next((found for entry in items(value) if (found := text(entry))), "")


def first_read(read: Callable[[str], str | None], value: Any) -> str | None:
    """Return what can be read of the first text of a list that it can be; None: of none."""
    return next((found for entry in items(value) if (found := read(text(entry)))), None)


def count(value: Any) -> int | None:
    """Return the number of citations; None if there is none, or it is invalid."""
    found = number(value)
    return found if found is not None and found <= MOST_CITATIONS else None


def number(value: Any) -> int | None:
    """Return a whole number from 0, also from digits in a text, or None."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value) if len(value) < 16 else None  # noqa: PLR2004  # digits of a number that is exact
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value >= 0 else None


def year(value: Any) -> int | None:
    """Return the year that a number or a date (`2019-05-01`) begins with; None: no such year."""
    found = YEAR.match(text(int(value) if isinstance(value, float) else value))
    if found is None:
        return None
    return int(found[0]) if _FIRST_YEAR <= int(found[0]) <= utc_now().year + 2 else None


def address(value: Any) -> str | None:
    """Return the URL, or None if it is not one."""
    found = _ADDRESS.fullmatch(text(value))
    return found[0] if found else None


def flag(value: Any) -> bool | None:
    """Return the truth value, or None if it is not stated."""
    return value if isinstance(value, bool) else None


def pages(first: Any, last: Any) -> str | None:
    """Return the pages from the first and the last one."""
    start, end = text(first), text(last)
    return f"{start}-{end}" if start and end and start != end else start or end or None


def inner_text(element: Element | None, path: str = "") -> str:
    """Return all text inside the first element of a path, on one line, or an empty text.

    `path` is of names in any namespace, `a/b`; empty: the element itself.
    """
    found = first(element, path)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""


def clean_text(element: Element | None, path: str = "") -> str | None:
    """Return the text as `inner_text` does, without escaped markup, or None."""
    return clean(inner_text(element, path)) or None


def first(element: Element | None, path: str) -> Element | None:
    """Return the first element of a path, in any namespace."""
    if element is None or not path:
        return element
    return element.find(_anywhere(path))


def every(element: Element | None, path: str) -> Iterator[Element]:
    """Yield the elements of a path, in any namespace."""
    yield from element.findall(_anywhere(path)) if element is not None else ()


def local_name(element: Element) -> str:
    """Return the name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _anywhere(path: str) -> str:
    return "/".join(f"{{*}}{name}" for name in path.split("/"))
