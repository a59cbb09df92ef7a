"""Extract the text of a document in a separate process; recognise log-in pages."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from paper_search.bibliography.text import clean, normalised_title, one_line
from paper_search.errors import how_to_install
from paper_search.pages.fetching import Document
from paper_search.pages.network import PageContentError, PagePolicy
from paper_search.pages.worker import MISSING

READER = ["-I", "-m", "paper_search.pages.worker"]
"""Arguments of the interpreter; -I ignores the working directory and the environment."""
INSTALL = how_to_install("pages")
_SHORTEST = 200
"""Fewer characters are not a text."""
_SHORT = 3000
"""A page with fewer characters that matches one of `_INSTEAD` is not a text."""
_MOST_TITLE = 5000
"""Characters at the beginning of a paper that contain its title."""
_SAME_TITLE = 0.7
"""Share of the words of a title that must occur."""

_INSTEAD = {
    what: re.compile(patterns, re.IGNORECASE)
    for what, patterns in {
        "a log-in page": r"\b(?:sign|log) ?in\b|\bpassword\b|\bcreate an account\b",
        "a paywall": r"\b(?:purchase|buy|rent) (?:this )?(?:article|access|pdf)\b"
        r"|\bsubscribe to (?:read|continue)|\bget (?:full )?access\b"
        r"|\binstitutional access\b|\bsubscribers? only\b",
        "a cookie or script notice": r"\b(?:enable|accept|disabled?) (?:javascript|cookies)\b"
        r"|\b(?:cookies are|javascript is) (?:disabled|required)|\bwe use cookies\b",
        "a robot check": r"\bcaptcha\b|\bare you (?:a )?(?:human|robot)\b|\bnot a robot\b"
        r"|\bverify(?:ing)? you are|\bunusual traffic\b|\baccess denied\b"
        r"|\brequest (?:was )?blocked\b|\bjust a moment\b",
        "an error page": r"\b(?:page|article|document|file) (?:was |could )?not (?:be )?found\b"
        r"|\berror (?:404|403|500)\b|\b(?:404|403) (?:error|not found|forbidden)\b"
        r"|\bno longer available\b|\binternal server error\b|\bservice unavailable\b"
        r"|\bsomething went wrong\b",
    }.items()
}
_LOG_IN_PATH = re.compile(
    r"/(?:login|signin|sign-in|sso|auth|authenticate|cookieabsent)(?:[/.?]|$)", re.IGNORECASE
)
_WITHDRAWN = re.compile(
    r"^\W{0,3}(?:retracted|withdrawn)\b(?: article| paper)?\s*[:\]–—-]"
    r"|^\W{0,3}(?:retraction|withdrawal)(?: notice| note)?\s*(?::|to\b|of\b)"
    r"|\bthis (?:article|paper|work) has been (?:retracted|withdrawn)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a document.

    Attributes:
        title: in the document's own metadata; may be empty.
        text: paragraphs separated by empty lines, without control or invisible characters.
        pages: of a PDF.
        pages_read: completely; fewer than `pages` if there are too many, or too much text.
        page_texts: of each page of a PDF that was read, including references.
    """

    title: str
    text: str
    pages: int | None
    pages_read: int | None
    page_texts: tuple[str, ...]


def missing_libraries() -> list[str]:
    return [package for package in ("trafilatura", "pypdfium2") if find_spec(package) is None]


async def document_text(document: Document, policy: PagePolicy | None = None) -> DocumentText:
    """Return the text of a document.

    A separate process reads it, with limits on memory and time and an empty environment: a file
    that makes the parser hang or crash affects only that process.

    Raises:
        PageContentError: it cannot be read within the limits, or a library is missing.
    """
    limits = policy or PagePolicy()
    if document.kind == "html" and document.content.count(b"<") > limits.max_tags:
        raise PageContentError(f"the page has more than {limits.max_tags:,} elements")
    reading = _Reading(document, limits)
    try:
        answer = await asyncio.to_thread(reading.run)
    except asyncio.CancelledError:
        reading.stop()
        raise
    if "error" in answer:
        if answer["error"] == MISSING:
            raise PageContentError(
                f"{answer['reason']} is not installed, so no {document.kind} can be read; {INSTALL}"
            )
        raise PageContentError(f"its {document.kind} cannot be read: {answer['reason']}")
    return DocumentText(
        clean(str(answer["title"]))[:500],
        _paragraphs(answer["text"], clean),
        answer.get("pages"),
        answer.get("pages_read"),
        # A PDF has no tags: what looks like one is text to be shown.
        tuple(_paragraphs(text, one_line) for text in answer.get("page_texts", ())),
    )


def _paragraphs(text: str, clean_one: Callable[[str], str]) -> str:
    return "\n\n".join(filter(None, map(clean_one, text.split("\n\n"))))


class _Reading:
    def __init__(self, document: Document, limits: PagePolicy) -> None:
        options = {
            "kind": document.kind,
            "charset": document.charset,
            "max_chars": limits.max_chars,
            "max_pdf_pages": limits.max_pdf_pages,
            "memory_bytes": limits.memory_bytes,
            "parse_s": limits.parse_s,
        }
        self._input = json.dumps(options).encode() + b"\n" + document.content
        self._patience_s = 2.0 * limits.parse_s
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def run(self) -> dict[str, Any]:
        """Run the process to its end and return its answer."""
        with subprocess.Popen(  # noqa: S603  # this program, without the document on its command line
            [sys.executable, *READER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
        ) as process:
            self._process = process
            if self._is_stopped:
                process.kill()
            try:
                output, _ = process.communicate(self._input, timeout=self._patience_s)
            except subprocess.TimeoutExpired:
                process.kill()
                return {"error": "failed", "reason": "it took too long"}
        try:
            answer = json.loads(output)
        except ValueError:
            return {"error": "failed", "reason": "the reader process ended (too large or too slow)"}
        return answer if isinstance(answer, dict) else {"error": "failed", "reason": "no answer"}

    def stop(self) -> None:
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()


def placeholder_of(text: str, title: str, url: str) -> str | None:
    """Return what a document is in place of the text, such as a log-in page; None for a text."""
    if _LOG_IN_PATH.search(url):
        return "a log-in page"
    if len(text) < _SHORT:
        page_text = f"{title}\n{text}"
        for what, pattern in _INSTEAD.items():
            if pattern.search(page_text):
                return what
    if len(text) < _SHORTEST:
        return "nearly empty"
    return None


def is_about(title: str, text: str, own_title: str = "") -> bool:
    """Whether a document begins with most of the words of a paper's title."""
    words = {normalised_title(word) for word in title.split()} - {""}
    beginning = f"{own_title} {text[:_MOST_TITLE]}"
    first_words = {normalised_title(word) for word in beginning.split()}
    together = normalised_title(beginning)
    if normalised_title(title) and normalised_title(title) in together:
        return True
    long = {word for word in words if len(word) > 3}  # noqa: PLR2004  # shorter words are in every text
    return bool(long) and len(long & first_words) >= _SAME_TITLE * len(long)


def is_withdrawn(title: str, text: str) -> bool:
    return bool(_WITHDRAWN.search(title) or _WITHDRAWN.search(text[:600]))
