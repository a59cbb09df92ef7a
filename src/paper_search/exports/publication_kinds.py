"""What BibTeX, RIS and CSL call each kind of publication."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paper_search.models import BibliographicRecord


@dataclass(frozen=True, slots=True)
class PublicationKind:
    """One kind of publication in the words of each format.

    Attributes:
        csl: CSL 1.0.2 type.
        bibtex: BibTeX entry type.
        ris: value of TY.
        venue_field: BibTeX field for where it appeared.
        publisher_field: BibTeX field for who published it.
    """

    csl: str
    bibtex: str
    ris: str
    venue_field: str
    publisher_field: str = "publisher"


JOURNAL_ARTICLE = PublicationKind("article-journal", "article", "JOUR", "journal")
PREPRINT = PublicationKind("article", "misc", "UNPB", "howpublished")
UNKNOWN = PublicationKind("document", "misc", "GEN", "howpublished")

_KINDS = {
    kind.csl: kind
    for kind in (
        JOURNAL_ARTICLE,
        PREPRINT,
        UNKNOWN,
        PublicationKind("paper-conference", "inproceedings", "CPAPER", "booktitle"),
        PublicationKind("chapter", "incollection", "CHAP", "booktitle"),
        PublicationKind("book", "book", "BOOK", "series"),
        PublicationKind("thesis", "phdthesis", "THES", "howpublished", "school"),
        PublicationKind("report", "techreport", "RPRT", "howpublished", "institution"),
        PublicationKind("dataset", "misc", "DATA", "howpublished"),
        PublicationKind("software", "misc", "COMP", "howpublished"),
        PublicationKind("webpage", "misc", "ELEC", "howpublished"),
    )
}
# What Crossref, OpenAlex, DataCite and BibTeX files call the same things.
_SYNONYMS = {
    "journal-article": "article-journal",
    "article-magazine": "article-journal",
    "article-newspaper": "article-journal",
    "review": "article-journal",
    "proceedings-article": "paper-conference",
    "conference-paper": "paper-conference",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "incollection": "chapter",
    "inbook": "chapter",
    "monograph": "book",
    "edited-book": "book",
    "dissertation": "thesis",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "techreport": "report",
    "preprint": "article",
    "posted-content": "article",
}
_PREPRINT_SERVER = re.compile(
    r"\b(?:arxiv|biorxiv|medrxiv|chemrxiv|psyarxiv|ssrn|preprints?|research square)\b",
    re.IGNORECASE,
)


def publication_kind(record: BibliographicRecord) -> PublicationKind:
    """Return the kind of a record.

    By its type where that is known. CSL's "article" and no type at all say little: then it is a
    preprint if it is on a preprint server, an article if it has a venue, else unknown.
    """
    given = (record.publication_type or "").strip().lower().replace("_", "-").replace(" ", "-")
    kind = _KINDS.get(_SYNONYMS.get(given, given), UNKNOWN)
    is_preprint = given in {"preprint", "posted-content"}
    if is_preprint or kind not in (PREPRINT, UNKNOWN):
        return kind
    venue = record.venue or ""
    if _PREPRINT_SERVER.search(venue) or (record.arxiv_id and not venue.strip()):
        return PREPRINT
    return JOURNAL_ARTICLE if venue.strip() else kind
