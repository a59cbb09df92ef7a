"""What BibTeX, RIS and CSL call each kind of publication."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paper_search.bibliography.publication_types import CSL_TYPES, PREPRINTS, csl_type, type_word

if TYPE_CHECKING:
    from paper_search.models import BibliographicRecord


@dataclass(frozen=True, slots=True)
class PublicationKind:
    """One kind of publication in the words of each format.

    Attributes:
        csl: CSL 1.0.2 type.
        bibtex: BibTeX entry type.
        biblatex: biblatex entry type.
        ris: value of TY.
        venue_field: BibTeX field for where it appeared.
        publisher_field: BibTeX field for who published it.
    """

    csl: str
    bibtex: str
    biblatex: str
    ris: str
    venue_field: str
    publisher_field: str = "publisher"


JOURNAL_ARTICLE = PublicationKind("article-journal", "article", "article", "JOUR", "journal")
PREPRINT = PublicationKind("article", "misc", "online", "UNPB", "howpublished")
UNKNOWN = PublicationKind("document", "misc", "misc", "GEN", "howpublished")

_KINDS = {
    kind.csl: kind
    for kind in (
        JOURNAL_ARTICLE,
        PREPRINT,
        UNKNOWN,
        PublicationKind(
            "paper-conference", "inproceedings", "inproceedings", "CPAPER", "booktitle"
        ),
        PublicationKind("chapter", "incollection", "incollection", "CHAP", "booktitle"),
        PublicationKind("book", "book", "book", "BOOK", "series"),
        PublicationKind("thesis", "phdthesis", "thesis", "THES", "howpublished", "school"),
        PublicationKind("report", "techreport", "report", "RPRT", "howpublished", "institution"),
        PublicationKind("dataset", "misc", "dataset", "DATA", "howpublished"),
        PublicationKind("software", "misc", "software", "COMP", "howpublished"),
        PublicationKind("webpage", "misc", "online", "ELEC", "howpublished"),
    )
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
    word = type_word(record.publication_type)
    is_article = word.startswith("article-")  # in a magazine or newspaper, too
    kind = JOURNAL_ARTICLE if is_article else _KINDS.get(csl_type(word), UNKNOWN)
    is_preprint = word in PREPRINTS
    if is_preprint or kind not in (PREPRINT, UNKNOWN):
        return kind
    venue = record.venue or ""
    if _PREPRINT_SERVER.search(venue) or (record.arxiv_id and not venue.strip()):
        return PREPRINT
    return JOURNAL_ARTICLE if venue.strip() else kind


def csl_type_of(record: BibliographicRecord) -> str:
    kind = publication_kind(record)
    return kind.csl if kind is PREPRINT else type_beside(record, kind) or kind.csl


def type_beside(record: BibliographicRecord, kind: PublicationKind) -> str:
    """Return the word to write beside a type of a format that says less; "": it says all."""
    if kind is PREPRINT:
        return "preprint"
    csl = csl_type(record.publication_type)
    return csl if csl in CSL_TYPES and csl not in {kind.csl, PREPRINT.csl} else ""
