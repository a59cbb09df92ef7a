"""The text inside an XML element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_search.bibliography.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element  # for its type only


def inner_text(element: Element | None, path: str = "") -> str:
    """Return all text inside the first element of a path, on one line, or an empty text.

    Args:
        element: where the path begins; None has no text.
        path: of names in any namespace, `a/b`; empty: the element itself.
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
