"""XML from strangers: parsed without entities, outside references, or depth without end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paper_search.http.errors import HttpBodyError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_DEEPEST = 200
"""Elements inside each other; an article has about 20."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
"""No document may hold them, yet abstracts that were copied from PDFs do."""


def parse_xml(content: bytes) -> Element:
    """Return the root of a document.

    A DOCTYPE is accepted, as PubMed sends one; what it names is neither read nor expanded. Control
    characters are left out: one of them would cost all records of a page.

    Raises:
        HttpBodyError: it is no XML, declares entities, or is nested too deeply.
    """
    import xml.etree.ElementTree as ET  # noqa: PLC0415  # its errors and builder; the parser is defusedxml's

    from defusedxml.common import DefusedXmlException  # noqa: PLC0415  # only where XML is read
    from defusedxml.ElementTree import XMLParser  # noqa: PLC0415  # only where XML is read

    parser = XMLParser(target=_Shallow(ET.TreeBuilder()))
    try:
        # In UTF-16 every other byte is a zero; in all that services send, a control is one byte.
        parser.feed(content if b"\0" in content[:4] else content.translate(None, _CONTROLS))
        root: Element = parser.close()
    except DefusedXmlException as error:
        reason = type(error).__name__
        raise HttpBodyError(f"the server's XML is refused: {reason}") from None
    except (ET.ParseError, ValueError, LookupError) as error:
        raise HttpBodyError(f"the server's answer is no XML: {error}") from None
    return root


class _Shallow:
    """Builds a tree of at most `_DEEPEST` levels."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder
        self._depth = 0
        self.data = builder.data
        self.close = builder.close

    def start(self, tag: str, attributes: dict[str, str]) -> Any:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise HttpBodyError("the server's XML is nested too deeply")
        return self._builder.start(tag, attributes)

    def end(self, tag: str) -> Any:
        self._depth -= 1
        return self._builder.end(tag)
