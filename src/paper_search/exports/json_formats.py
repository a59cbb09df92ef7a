"""JSON to be read again without loss, and CSL-JSON, which pandoc, Zotero and citeproc cite from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from paper_search.bibliography.names import fields_of
from paper_search.exports.citation_keys import citation_keys
from paper_search.exports.publication_kinds import csl_type_of
from paper_search.exports.text import (
    identifier,
    join_keywords,
    name_of,
    page_range,
    single_line,
    web_address,
)

if TYPE_CHECKING:
    from paper_search.models import Author, Paper, PaperCollection


def export_json(collection: PaperCollection, indent: int | None = 2) -> str:
    """Return the collection as JSON that `PaperCollection.model_validate_json` reads back.

    Letters of all scripts are written unescaped; `indent` None puts it all on one line.
    """
    return collection.model_dump_json(indent=indent)


def export_csl_json(collection: PaperCollection) -> str:
    """Return the papers as a JSON list of CSL items (schema csl-data 1.0.2).

    The id of an item is its BibTeX key, so that a manuscript may change from one to the other.
    The screening decision is in `custom`, which the schema leaves to programs.
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
"""Where CSL calls a part of a name otherwise."""


def _name(author: Author) -> dict[str, str]:
    parts = fields_of(name_of(author))
    return {_NAME_PARTS.get(part, part): text for part, text in parts.items()}
