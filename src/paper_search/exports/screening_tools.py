"""Tables for programs that screen: ASReview and Rayyan, with the decisions made so far."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from paper_search.bibliography.names import written
from paper_search.exports.csv_table import csv_text
from paper_search.exports.text import (
    identifier,
    keywords,
    own_keywords,
    page_range,
    single_line,
    web_address,
)

if TYPE_CHECKING:
    from paper_search.exports.csv_table import Cell
    from paper_search.models import Paper, PaperCollection

_INCLUDED = {"included": 1, "excluded": 0}
_IN_RAYYAN = {"included": "Included", "excluded": "Excluded"}
_REVIEWER = "paper-search"
"""Who decided, where nobody is named."""


def export_asreview(collection: PaperCollection) -> str:
    """Return the papers as a labelled data set of ASReview (CSV).

    `included` is 1 or 0, and empty for a paper that nobody decided on: ASReview puts these up for
    screening and learns from the others. Names and keywords have a semicolon between them and no
    space, which ASReview would keep. Cells are made safe as in `export_csv`.
    """
    columns = ("title", "abstract", "authors", "year", "keywords", "doi", "url", "included", "note")
    return csv_text([columns, *(_asreview(paper) for paper in collection.papers)])


def export_rayyan(collection: PaperCollection) -> str:
    """Return the papers in the columns of Rayyan's own CSV.

    Decisions, labels, reasons of exclusion and notes are in `notes`, as Rayyan writes them.
    """
    columns = (
        *("key", "title", "year", "journal", "issn", "volume", "issue", "pages", "authors"),
        *("url", "language", "publisher", "abstract", "notes", "doi", "keywords"),
        *("pubmed_id", "pmc_id"),
    )
    rows = [_rayyan(number, paper) for number, paper in enumerate(collection.papers, start=1)]
    return csv_text([columns, *rows])


def _asreview(paper: Paper) -> list[Cell]:
    return [
        paper.title,
        paper.abstract or "",
        _authors(paper, ";"),
        paper.year or "",
        ";".join(keywords(paper)),
        identifier(paper.doi),
        web_address(paper),
        _INCLUDED.get(paper.decision, ""),
        paper.note or "",
    ]


def _rayyan(number: int, paper: Paper) -> list[Cell]:
    return [
        number,
        paper.title,
        paper.year or "",
        paper.venue or "",
        identifier(paper.issn),
        paper.volume or "",
        paper.issue or "",
        "-".join(page for page in page_range(paper.pages) if page),
        _authors(paper, " and "),
        web_address(paper),
        paper.language or "",
        paper.publisher or "",
        paper.abstract or "",
        " | ".join(_notes(paper)),
        identifier(paper.doi),
        ", ".join(own_keywords(paper)),
        identifier(paper.pmid),
        identifier(paper.pmcid),
    ]


def _notes(paper: Paper) -> list[str]:
    """Return what was decided and noted, in Rayyan's words: `RAYYAN-INCLUSION: {...}`."""
    word, screening = _IN_RAYYAN.get(paper.decision), paper.screening
    notes = [single_line(paper.note)] if paper.note else []
    if labels := ",".join(filter(None, map(single_line, paper.labels))):
        notes = [f"RAYYAN-LABELS: {labels}", *notes]
    if word is None or screening is None:
        return notes
    by = json.dumps(single_line(screening.decided_by) or _REVIEWER, ensure_ascii=False)
    inclusion = f'RAYYAN-INCLUSION: {{{by}=>"{word}"}}'
    reason = single_line(screening.reason)
    is_excluded = word == "Excluded" and reason
    return [inclusion, *([f"RAYYAN-EXCLUSION-REASONS: {reason}"] if is_excluded else []), *notes]


def _authors(paper: Paper, between: str) -> str:
    names = (single_line(written(author)) for author in paper.authors)
    return between.join(name for name in names if name)
