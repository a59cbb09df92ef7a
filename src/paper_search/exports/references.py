"""References in any style of the Citation Style Language (CSL)."""

from __future__ import annotations

import html
import json
import re
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.errors import ConfigError
from paper_search.exports.json_formats import export_csl_json

if TYPE_CHECKING:
    from paper_search.models import PaperCollection

_TAG = re.compile(r"<[^<>]+>")


def export_references(collection: PaperCollection, style: str) -> str:
    """Return the papers as references, one a line, in the order and style of a .csl file.

    Raises:
        ConfigError: citeproc-py (the extra `cite`) is not installed, or the file cannot be used.
    """
    items: list[dict[str, Any]] = json.loads(export_csl_json(collection))
    return "".join(f"{line}\n" for _, line in formatted(items, style)) if items else ""


def check_style(style: str) -> None:
    """Check that references can be formatted by a style, as far as that is known beforehand.

    Raises:
        ConfigError: citeproc-py (the extra `cite`) is not installed, or there is no such file.
    """
    if find_spec("citeproc") is None:
        raise ConfigError(
            f"the reference style {style!r} needs citeproc-py: pip install 'paper-search[cite]'"
        )
    if not Path(style).is_file():
        raise ConfigError(f"no reference style {style!r}: give the path of a .csl file")


def formatted(items: list[dict[str, Any]], style: str) -> list[tuple[str, str]]:
    """Return the reference of each item beside its id, in the order of the style.

    Args:
        items: CSL-JSON; their ids are in small letters.
        style: path of a .csl file. citeproc-py follows APA, IEEE and NLM well, MLA and Chicago
            less.

    Raises:
        ConfigError: citeproc-py is not installed, or the file cannot be used.
    """
    check_style(style)
    from citeproc import (  # noqa: PLC0415  # an extra
        Citation,
        CitationItem,
        CitationStylesBibliography,
        CitationStylesStyle,
        formatter,
    )
    from citeproc.source.json import CiteProcJSON  # noqa: PLC0415  # an extra

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every field that it does not know
        try:
            loaded = CitationStylesStyle(style, validate=False)
            book = CitationStylesBibliography(loaded, CiteProcJSON(items), formatter.html)
            for item in items:
                book.register(Citation([CitationItem(item["id"])]))
            book.sort()
            keys = [key.lower() for key in book.keys]
            lines = [_plain(str(entry)) for entry in book.bibliography()]
        except (ValueError, OSError, AttributeError, KeyError, TypeError) as error:
            raise ConfigError(f"the reference style {style!r} cannot be used: {error}") from None
    return list(zip(keys, lines, strict=False))


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", line)).split())
