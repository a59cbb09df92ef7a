"""The body of an answer: read up to a cap, unpacked, and made of it what was meant."""

from __future__ import annotations

import html
import json
import math
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paper_search.http.errors import HttpBodyError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element

    import httpx

    from paper_search.http.limits import Quota

ACCEPTED_ENCODINGS = "gzip, deflate"
"""What `read_body` unpacks under a cap; httpx would unpack a whole chunk at once."""

_PAGE_START = 20_000
"""Bytes of a page in which a challenge says what it is."""
_CHALLENGES = (
    b"making sure you",  # Anubis: "Making sure you're not a bot!"
    b"/.within.website/",  # where Anubis keeps its scripts
    b"anubis_challenge",
    b"cf-challenge",  # Cloudflare
    b"validate.perfdrive.com",
    b"_incapsula_resource",
)
"""Words of the pages of bot walls, in lower case."""
_CHECKS = (b"challenge-platform", b"g-recaptcha", b"hcaptcha.com")
"""Words of theirs that are on pages of articles, too; they count where an article is refused."""
_NOTHING = "the server answered without content"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A successful answer.

    Attributes:
        status: 200 to 299.
        content_type: in lower case, without parameters; empty: none was given.
        content: unpacked.
        attempts: requests that it took.
        from_cache: it was on disk; nothing was sent.
        url: where it is from, without keys.
        charset: that the server names; empty: none.
        quota: what the server still allows for a day or so; None if it does not say.
        headers: all of them, by names in any case.
    """

    status: int
    content_type: str
    content: bytes
    attempts: int
    from_cache: bool = False
    url: str = ""
    charset: str = ""
    quota: Quota | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def json(self) -> Any:
        """Return the data, without NaN and infinite numbers.

        What begins as JSON is read as such, also where the server calls it a web page.

        Raises:
            HttpBodyError: it is empty or `null`, a web page, or no JSON.
        """
        text = self.content.decode("utf-8-sig", errors="replace").strip()
        if text in {"", "null"}:
            raise HttpBodyError(_NOTHING)
        if text.startswith("<"):
            raise HttpBodyError("the server answered with a web page instead of JSON")
        try:
            return _storable(json.loads(text, parse_constant=lambda _: None))
        except RecursionError:
            raise HttpBodyError("the server's JSON is nested too deeply") from None
        except ValueError as error:
            raise HttpBodyError(f"the server's answer is no JSON: {_reason(error)}") from None

    def xml(self) -> Element:
        """Return the root of the document.

        Raises:
            HttpBodyError: it is empty, a web page, no XML, or XML of the kind that attacks its
                reader.
        """
        if not self.content.strip():
            raise HttpBodyError(_NOTHING)
        if "html" in self.content_type:
            raise HttpBodyError("the server answered with a web page instead of XML")
        return parse_xml(self.content)


def is_challenge(content: bytes, *, is_success: bool) -> bool:
    """Whether it is a page that keeps programs out; in XML, an abstract may hold such words."""
    start = content[:_PAGE_START].lstrip().lower()
    is_page = start.startswith(b"<") and not start.startswith(b"<?xml")
    marks = _CHALLENGES if is_success else (*_CHALLENGES, *_CHECKS)
    return is_page and any(mark in start for mark in marks)


def error_text(content: bytes) -> str:
    """Return what an error says in words: of a feed its summary, of a web page nothing."""
    text = content.decode("utf-8", "replace").strip()
    if not text.startswith("<"):
        return text
    _, _, summary = text.partition("<summary>") if "<feed" in text else ("", "", "")
    return html.unescape(summary.partition("</summary>")[0]).strip()


async def body_of(response: httpx.Response, max_bytes: int) -> bytes:
    """Return the unpacked body.

    Raises:
        HttpBodyError: it is larger than `max_bytes` when unpacked, or cannot be unpacked.
    """
    if response.is_stream_consumed:  # made in memory, by a test's transport
        _check_size(len(response.content), max_bytes)
        return response.content
    unpacker = _unpacker(response.headers.get("content-encoding", "").strip().lower())
    body = bytearray()
    async for packed in response.aiter_raw():
        body += unpacker.unpack(packed, max_bytes + 1 - len(body)) if unpacker else packed
        _check_size(len(body), max_bytes)
    if unpacker:
        unpacker.finish()
    return bytes(body)


class _Unpacker:
    """Unpacks gzip or deflate, never more than it is asked for."""

    def __init__(self, encoding: str) -> None:
        self._is_raw_possible = encoding == "deflate"
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def unpack(self, packed: bytes, room: int) -> bytes:
        try:
            return self._stream.decompress(packed, room)
        except zlib.error as error:
            if self._is_raw_possible:  # some servers send deflate without its zlib header
                self._is_raw_possible = False
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
                return self.unpack(packed, room)
            raise HttpBodyError(f"the server's answer cannot be unpacked: {error}") from None
        finally:
            self._is_raw_possible = False

    def finish(self) -> None:
        if not self._stream.eof:
            raise HttpBodyError("the server's packed answer is cut off", is_cut_off=True)


def _unpacker(encoding: str) -> _Unpacker | None:
    if encoding in {"", "identity"}:
        return None
    if encoding in {"gzip", "x-gzip", "deflate"}:
        return _Unpacker(encoding)
    raise HttpBodyError(f"the server packed its answer as {encoding!r}, which was not asked for")


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise HttpBodyError(f"the server's answer is larger than {max_bytes:,} bytes")


def _storable(value: Any) -> Any:
    """Return the data without what no file, database or JSON can hold."""
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {_storable(key): _storable(entry) for key, entry in value.items()}
        case list():
            return [_storable(entry) for entry in value]
        case _:
            return value


def _reason(error: ValueError) -> str:
    """Return why it is no JSON, without the text itself."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return type(error).__name__


_DEEPEST = 200
"""Elements inside each other; an article has about 20."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
"""No document may hold them, yet abstracts that were copied from PDFs do."""


def parse_xml(content: bytes) -> Element:
    """Return the root of a document.

    A DOCTYPE is accepted, as PubMed sends one; what it names is neither read nor expanded. Control
    characters are left out: one of them would cost all records of a page.
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
