"""Records of an XML file, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from paper_search.errors import InputError


def records(file: IO[bytes], names: set[str]) -> Iterator[tuple[int, Any]]:
    """Yield every element of these names as it ends, with its number in the file, from 1.

    An element is emptied once the next one is asked for. Entities and external references are
    refused, as nothing that writes references needs them.

    Raises:
        InputError: the XML is broken or unsafe; what came before was yielded.
    """
    from xml.etree.ElementTree import ParseError  # noqa: PLC0415  # only when XML is read

    from defusedxml.common import DefusedXmlException  # noqa: PLC0415  # as above
    from defusedxml.ElementTree import iterparse  # noqa: PLC0415  # as above

    number = 0
    parents: list[Any] = []
    try:
        for event, element in iterparse(file, events=("start", "end")):
            if event == "start":
                parents.append(element)
                continue
            parents.pop()
            if element.tag in names:
                number += 1
                yield number, element
                element.clear()
                if parents:
                    parents[-1].remove(element)
    except ParseError as error:
        raise InputError(
            f"the XML is invalid after record {number}: {error}; earlier records were imported"
        ) from error
    except DefusedXmlException as error:
        raise InputError(f"the XML is not safe to read ({type(error).__name__})") from error
