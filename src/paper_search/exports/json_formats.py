"""JSON without loss, CSL-JSON for pandoc, Zotero and citeproc, and formatted references."""

import html
import json
import re
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from paper_search.bibliography.names import fields_of
from paper_search.errors import ConfigError, InputError, how_to_install
from paper_search.exports.text import (
    citation_keys,
    csl_type_of,
    identifier,
    join_keywords,
    name_of,
    page_range,
    single_line,
    web_address,
)
from paper_search.models import Author, Paper, PaperCollection


def export_json(collection: PaperCollection, indent: int | None = 2) -> str:
    """Return the collection as JSON that `PaperCollection.model_validate_json` reads back.

    Letters of all scripts are unescaped; with `indent` None, everything is on one line.
    """
    return collection.model_dump_json(indent=indent)


def export_csl_json(collection: PaperCollection) -> str:
    """Return the papers as a JSON list of CSL items (schema csl-data 1.0.2).

    The id of an item is its BibTeX key, so that a manuscript can switch between the formats. The
    screening decision is in `custom`, which the schema leaves to programs.
    """
    keys = citation_keys(collection.papers)
    items = [_item(key, paper) for key, paper in zip(keys, collection.papers, strict=True)]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def _item(key: str, paper: Paper) -> dict[str, Any]:
    arxiv_id = identifier(paper.arxiv_id)
    columns = {name: single_line(value) for name, value in paper.screening_columns.items()}
    fields: dict[str, Any] = {
        "title": single_line(paper.title),
        "author": [name for name in map(_name, paper.authors) if name],
        "issued": {"date-parts": [[paper.year]]} if paper.year is not None else None,
        "container-title": single_line(paper.venue),
        "volume": single_line(paper.volume),
        "issue": single_line(paper.issue),
        "page": "-".join(page for page in page_range(paper.pages) if page),
        "publisher": single_line(paper.publisher),
        "language": single_line(paper.language),
        "DOI": identifier(paper.doi),
        "ISBN": identifier(paper.isbn),
        "PMID": identifier(paper.pmid),
        "PMCID": identifier(paper.pmcid),
        "archive": "arXiv" if arxiv_id else None,
        "archive_location": arxiv_id,
        "URL": web_address(paper),
        "keyword": join_keywords(paper),
        "abstract": single_line(paper.abstract),
        "ISSN": identifier(paper.issn),
        "note": columns.pop("note"),
        "custom": {name: value for name, value in columns.items() if value},
    }
    present = {name: value for name, value in fields.items() if value}
    return {"id": key, "type": csl_type_of(paper), **present}


_NAME_PARTS = {"particle": "non-dropping-particle"}
"""Parts of names that have another name in CSL."""


def _name(author: Author) -> dict[str, str]:
    parts = fields_of(name_of(author))
    return {_NAME_PARTS.get(part, part): text for part, text in parts.items()}


_TAG = re.compile(r"<[^<>]+>")
_STYLE_ERRORS = (
    ValueError, OSError, AttributeError, LookupError, TypeError, SyntaxError, RecursionError,
)  # fmt: skip
"""What citeproc-py raises for a bad style."""


def export_references(collection: PaperCollection, style: str) -> str:
    """Return the papers as references, one per line, in the order and style of a .csl file.

    Raises:
        ConfigError: citeproc-py (the extra `cite`) is not installed.
        InputError: the file cannot be used.
    """
    items: list[dict[str, Any]] = json.loads(export_csl_json(collection))
    return "".join(f"{line}\n" for _, line in format_items(items, style)) if items else ""


def check_style(style: str) -> None:
    """Raise as `export_references` if a style cannot be used, as far as is known beforehand."""
    if find_spec("citeproc") is None:
        raise ConfigError(
            f"the reference style {style!r} needs citeproc-py: {how_to_install('cite')}"
        )
    if not Path(style).is_file():
        raise InputError(f"no reference style {style!r}: give the path of a .csl file")


def format_items(items: list[dict[str, Any]], style: str) -> list[tuple[str, str]]:
    """Return id and reference of each item, in the order of the style, a .csl file.

    Ids are in lower case. citeproc-py follows APA, IEEE and NLM well, MLA and Chicago less.
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
        warnings.simplefilter("ignore")  # it warns of every unknown field
        try:
            loaded = CitationStylesStyle(style, validate=False)
            book = CitationStylesBibliography(loaded, CiteProcJSON(items), formatter.html)
            for item in items:
                book.register(Citation([CitationItem(item["id"])]))
            book.sort()
            keys = [key.lower() for key in book.keys]
            lines = [_plain(str(entry)) for entry in book.bibliography()]
        except _STYLE_ERRORS as error:
            raise InputError(f"the reference style {style!r} cannot be used: {error}") from None
    return list(zip(keys, lines, strict=False))


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", line)).split())
