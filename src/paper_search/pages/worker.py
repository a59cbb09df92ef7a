"""A process of its own that turns one document into text: it may die, the report does not.

`python -m paper_search.pages.worker` reads a line of JSON (the limits) and the document from its
standard input, and writes a line of JSON: title and text, or why there is none.
"""

from __future__ import annotations

import json
import sys
from typing import Any

MISSING, FAILED = "missing", "failed"
"""Kinds of failure: a library is not installed; the document cannot be read."""


def main() -> int:
    """Read one document and write its text."""
    limits = json.loads(sys.stdin.buffer.readline())
    _limit(limits)
    content = sys.stdin.buffer.read()
    result: dict[str, Any]
    try:
        result = _read(content, limits)
    except ImportError as error:
        result = {"error": MISSING, "reason": str(error.name)}
    except (MemoryError, RecursionError) as error:
        result = {"error": FAILED, "reason": type(error).__name__}
    except Exception as error:  # noqa: BLE001  # a parser of hostile input may raise anything; it is told
        result = {"error": FAILED, "reason": f"{type(error).__name__}: {error}"[:200]}
    sys.stdout.buffer.write(json.dumps(result).encode("ascii", "replace"))
    return 0


def _limit(limits: dict[str, Any]) -> None:
    """Give up rights to more memory and processor time, where the system knows such limits."""
    try:
        import resource  # noqa: PLC0415  # not on every system
    except ImportError:
        return
    wanted = {
        resource.RLIMIT_AS: limits["memory_bytes"],
        resource.RLIMIT_CPU: limits["parse_s"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
    }
    for each, value in wanted.items():
        try:
            resource.setrlimit(each, (value, value))
        except (ValueError, OSError):  # the system knows the limit and does not let it be set
            continue


def _read(content: bytes, limits: dict[str, Any]) -> dict[str, Any]:
    # Imported here: the limits have to hold before a library is loaded.
    match limits["kind"]:
        case "html":
            from paper_search.pages.html_text import html_text  # noqa: PLC0415  # see above

            return html_text(content, limits["charset"], limits["max_chars"])
        case "pdf":
            from paper_search.pages.pdf_text import pdf_text  # noqa: PLC0415  # see above

            return pdf_text(content, limits["max_pdf_pages"], limits["max_chars"])
        case _:
            text = content.decode(limits["charset"] or "utf-8", "replace")
            return {"title": "", "text": text[: limits["max_chars"]], "pages": None}


if __name__ == "__main__":
    raise SystemExit(main())
