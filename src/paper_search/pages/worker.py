"""The worker process that extracts the text of one document; if it dies, the report continues.

`python -m paper_search.pages.worker` reads a line of JSON (the limits) and the document from its
standard input, and writes a line of JSON: title and text, or the error. Libraries for HTML and PDF
are imported late: the limits must be set before one is loaded.
"""

import codecs
import itertools
import json
import re
import sys
from typing import Any

MISSING, FAILED = "missing", "failed"
"""Kinds of failure: a library is not installed; the document cannot be read."""
_LOCKED = 4
"""PDFium's error code for a file that needs a password."""
_HIDDEN = (
    "//*[@hidden or @aria-hidden='true']"
    " | //*[contains(translate(@style, ' ', ''), 'display:none')]"
    " | //*[contains(translate(@style, ' ', ''), 'visibility:hidden')]"
    " | //*[contains(translate(@style, ' ', ''), 'font-size:0')]"
    " | //*[contains(translate(@style, ' ', ''), 'opacity:0')"
    " and not(contains(translate(@style, ' ', ''), 'opacity:0.'))]"
    " | //script | //style | //template | //noscript | //comment()"
)
"""Elements that readers do not see, where instructions to a program may hide."""
_TITLES = (
    "string((//meta[@name='citation_title']/@content)[1])",
    "string((//meta[@property='og:title']/@content)[1])",
    "string((//title)[1])",
    "string((//h1)[1])",
)
_HYPHENATED = re.compile(r"(?<=[a-z])(?:[-\u00ad]\n|\ufffe\n?)(?=[a-z])")
"""The hyphen of a word divided at the end of a line; pypdfium2 writes U+FFFE for those it knows."""
_REFERENCES = re.compile(
    r"^[\d. ]{0,6}(?:references|bibliography|literature cited|works cited)[ :]{0,3}$",
    re.IGNORECASE | re.MULTILINE,
)
_EARLIEST = 0.4
"""Share of a paper before which "References" is not the heading of its list."""
_FULL_LINE = 0.6
"""Share of the usual length of a line; a shorter line ends its paragraph."""


def main() -> int:
    limits = json.loads(sys.stdin.buffer.readline())
    _limit(limits)
    content = sys.stdin.buffer.read()
    result: dict[str, Any]
    try:
        result = _extract(content, limits)
    except ImportError as error:
        result = {"error": MISSING, "reason": str(error.name)}
    except (MemoryError, RecursionError) as error:
        result = {"error": FAILED, "reason": type(error).__name__}
    except Exception as error:  # noqa: BLE001  # a parser of hostile input may raise anything
        is_locked = getattr(error, "err_code", None) == _LOCKED
        reason = "a password locks it" if is_locked else f"{type(error).__name__}: {error}"
        result = {"error": FAILED, "reason": reason[:200]}
    sys.stdout.buffer.write(json.dumps(result).encode("ascii", "replace"))
    return 0


def _limit(limits: dict[str, Any]) -> None:
    try:
        import resource  # noqa: PLC0415  # not on every system
    except ImportError:
        return
    limits_of_process = {
        resource.RLIMIT_AS: limits["memory_bytes"],
        resource.RLIMIT_CPU: limits["parse_s"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
    }
    for limit, value in limits_of_process.items():
        try:
            resource.setrlimit(limit, (value, value))
        except (ValueError, OSError):  # the system has the limit but does not allow setting it
            continue


def _extract(content: bytes, limits: dict[str, Any]) -> dict[str, Any]:
    match limits["kind"]:
        case "html":
            return html_text(content, limits["charset"], limits["max_chars"])
        case "pdf":
            return pdf_text(content, limits["max_pdf_pages"], limits["max_chars"])
        case _:
            text = content.decode(limits["charset"] or "utf-8", "replace")
            return {"title": "", "text": text[: limits["max_chars"]], "pages": None}


def html_text(content: bytes, charset: str, max_chars: int) -> dict[str, Any]:
    """Return title and text of a page, with paragraphs separated by empty lines.

    Navigation, visitors' comments and hidden elements are left out; links and `meta refresh` are
    not followed.

    Args:
        content: of the page.
        charset: from the server; if empty, from the page itself, else guessed.
        max_chars: of text kept.

    Raises:
        ValueError: it has no element.
        ImportError: trafilatura is not installed.
    """
    import trafilatura  # noqa: PLC0415  # only in a process that reads pages
    from lxml import html  # noqa: PLC0415  # as trafilatura
    from trafilatura.utils import decode_file  # noqa: PLC0415  # as trafilatura

    text = _decoded(content, charset)
    tree = html.document_fromstring(
        (text if text is not None else decode_file(content)).encode("utf-8", "replace"),
        parser=html.HTMLParser(encoding="utf-8"),
    )
    titles = (" ".join(str(tree.xpath(path)).split()) for path in _TITLES)
    title = next(filter(None, titles), "")
    for element in tree.xpath(_HIDDEN):
        if element.getparent() is not None:
            element.drop_tree()
    body = trafilatura.extract(
        html.tostring(tree, encoding="unicode"),
        include_comments=False,
        include_tables=False,
        include_formatting=False,
        favor_precision=True,
    )
    paragraphs = [part.strip() for part in (body or "").split("\n")]
    return {
        "title": title,
        "text": "\n\n".join(filter(None, paragraphs))[:max_chars],
        "pages": None,
    }


def _decoded(content: bytes, charset: str) -> str | None:
    try:
        codec = codecs.lookup(charset).name if charset else ""
    except LookupError:
        codec = ""
    return content.decode(codec, "replace") if codec else None


def pdf_text(content: bytes, max_pages: int, max_chars: int) -> dict[str, Any]:
    """Return title, text and texts of the first pages, with paragraphs separated by empty lines.

    Raises:
        pypdfium2.PdfiumError: it is damaged, or locked with a password.
        ImportError: pypdfium2 is not installed.
    """
    import pypdfium2  # noqa: PLC0415  # only in a process that reads PDFs

    open_document: Any = pypdfium2.PdfDocument  # untyped
    document = open_document(content)
    try:
        count = len(document)
        texts: list[str] = []
        room = max_chars
        for number in range(min(count, max_pages)):
            page = document[number]
            words = page.get_textpage()
            texts.append(words.get_text_range().replace("\r\n", "\n").replace("\r", "\n")[:room])
            room -= len(texts[-1])
            words.close()
            page.close()
            if room <= 0:
                break
        title = document.get_metadata_dict().get("Title", "")
    finally:
        document.close()
    return {
        "title": " ".join(title.split()),
        "text": "\n\n".join(_paragraphs(_without_references("\n".join(texts)))),
        "pages": count,
        "pages_read": len(texts) - (room <= 0),
        "page_texts": ["\n\n".join(_paragraphs(text)) for text in texts],
    }


def _without_references(text: str) -> str:
    places = (match.start() for match in _REFERENCES.finditer(text))
    return text[: next((place for place in places if place > _EARLIEST * len(text)), None)]


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs; a short line that ends a sentence or is a heading ends one."""
    lines = [" ".join(part.split()) for part in _HYPHENATED.sub("", text).split("\n")]
    lengths = sorted(len(line) for line in lines if line)
    usual = lengths[len(lengths) * 3 // 4] if lengths else 0
    paragraphs: list[list[str]] = [[]]
    for line, following in itertools.pairwise([*lines, ""]):
        if line:
            paragraphs[-1].append(line)
        is_short = len(line) < _FULL_LINE * usual
        is_end = line.endswith((".", "!", "?", ":")) or not following[:1].islower()
        if not line or (is_short and is_end):
            paragraphs.append([])
    return [" ".join(paragraph) for paragraph in paragraphs if paragraph]


if __name__ == "__main__":
    raise SystemExit(main())
