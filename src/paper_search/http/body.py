"""Read the body of an answer up to a size limit, decompress and parse it."""

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
"""What `body_of` decompresses up to a limit; httpx would decompress a whole chunk at once."""

_PAGE_START = 20_000
"""Bytes of a page that are searched for signs of a challenge."""
_CHALLENGES = (
    b"making sure you",  # Anubis: "Making sure you're not a bot!"
    b"/.within.website/",  # folder of Anubis's scripts
    b"anubis_challenge",
    b"cf-challenge",  # Cloudflare
    b"validate.perfdrive.com",
    b"_incapsula_resource",
)
"""Marks of bot-check pages, in lower case."""
_CHECKS = (b"challenge-platform", b"g-recaptcha", b"hcaptcha.com")
"""Marks that pages of articles have, too; they count only on error pages."""
_NOTHING = "the server answered without content"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A successful answer.

    Attributes:
        status: 200 to 299.
        content_type: in lower case, without parameters; empty if there is none.
        content: decompressed.
        attempts: requests that were sent for it.
        from_cache: read from disk; nothing was sent.
        url: without keys.
        charset: as the server names it; empty if it does not.
        quota: what the server still allows, usually for a day; None if it does not say.
        headers: all headers; names are case-insensitive.
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
        """Return the data, with NaN and infinite numbers as None.

        The content decides, not the content type: some servers label JSON as HTML.

        Raises:
            HttpBodyError: it is empty or `null`, a web page, or not JSON.
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
            raise HttpBodyError(f"the server's answer is not JSON: {_reason(error)}") from None

    def xml(self) -> Element:
        """Return the root of the document.

        Raises:
            HttpBodyError: it is empty, a web page, not XML, or an XML attack.
        """
        if not self.content.strip():
            raise HttpBodyError(_NOTHING)
        if "html" in self.content_type:
            raise HttpBodyError("the server answered with a web page instead of XML")
        return parse_xml(self.content)


def is_challenge(content: bytes, *, is_success: bool) -> bool:
    """Whether it is a bot-check page, which XML never is: an abstract may hold such words."""
    start = content[:_PAGE_START].lstrip().lower()
    is_page = start.startswith(b"<") and not start.startswith(b"<?xml")
    marks = _CHALLENGES if is_success else (*_CHALLENGES, *_CHECKS)
    return is_page and any(mark in start for mark in marks)


def error_text(content: bytes) -> str:
    """Return the text of an error: the summary of a feed, nothing of a web page."""
    text = content.decode("utf-8", "replace").strip()
    if not text.startswith("<"):
        return text
    _, _, summary = text.partition("<summary>") if "<feed" in text else ("", "", "")
    return html.unescape(summary.partition("</summary>")[0]).strip()


async def body_of(response: httpx.Response, max_bytes: int) -> bytes:
    """Return the decompressed body.

    Raises:
        HttpBodyError: it is larger than `max_bytes`, or cannot be decompressed.
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
            raise HttpBodyError(f"the server's answer cannot be decompressed: {error}") from None
        finally:
            self._is_raw_possible = False

    def finish(self) -> None:
        if not self._stream.eof:
            raise HttpBodyError("the server's compressed answer is cut off", is_cut_off=True)


def _unpacker(encoding: str) -> _Unpacker | None:
    if encoding in {"", "identity"}:
        return None
    if encoding in {"gzip", "x-gzip", "deflate"}:
        return _Unpacker(encoding)
    raise HttpBodyError(f"the server's answer has the unsupported encoding {encoding!r}")


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise HttpBodyError(f"the server's answer is larger than {max_bytes:,} bytes")


def _storable(value: Any) -> Any:
    """Replace what files, databases or JSON cannot hold: NULs, surrogates, infinite numbers."""
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
    """Describe a JSON error without quoting the text."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return type(error).__name__


_DEEPEST = 200
"""Levels of nested elements; an article has about 20."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
"""Control characters, invalid in XML, yet abstracts copied from PDFs hold them."""


def parse_xml(content: bytes) -> Element:
    """Return the root of a document.

    A DOCTYPE is accepted, as PubMed sends one, but no entity is fetched or expanded. Control
    characters are removed: a single one would cost all records of a page.
    """
    import xml.etree.ElementTree as ET  # noqa: PLC0415  # its errors and builder; the parser is defusedxml's

    from defusedxml.common import DefusedXmlException  # noqa: PLC0415  # only where XML is read
    from defusedxml.ElementTree import XMLParser  # noqa: PLC0415  # only where XML is read

    parser = XMLParser(target=_DepthLimitedBuilder(ET.TreeBuilder()))
    try:
        # UTF-16 has zero bytes in plain text; in other encodings a control is one byte.
        parser.feed(content if b"\0" in content[:4] else content.translate(None, _CONTROLS))
        root: Element = parser.close()
    except DefusedXmlException as error:
        reason = type(error).__name__
        raise HttpBodyError(f"the server's XML is refused: {reason}") from None
    except (ET.ParseError, ValueError, LookupError) as error:
        raise HttpBodyError(f"the server's answer is not XML: {error}") from None
    return root


class _DepthLimitedBuilder:
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
