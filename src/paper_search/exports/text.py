"""Texts and types of records, prepared for reference formats."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, product
from string import ascii_lowercase
from urllib.parse import quote

from anyascii import anyascii

from paper_search.bibliography.names import PersonName, parts_of, without_particle
from paper_search.bibliography.publication_types import CSL_TYPES, PREPRINTS, csl_type, type_word
from paper_search.bibliography.text import NOT_A_TO_Z_OR_DIGIT, SURROGATES
from paper_search.models import Author, BibliographicRecord, Paper

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WEB = re.compile(r"(?:https?|ftp)://\S", re.IGNORECASE)
_PAGE_RANGE = re.compile(r"(\w{1,20}) ?[-\u2010-\u2015\u2212]{1,2} ?(\w{1,20})")


def single_line(text: str | None) -> str:
    """Return the text on one line: breaks and control characters become single spaces.

    Lone surrogates, which cannot be encoded, become U+FFFD. None becomes "".
    """
    words = _CONTROL.sub(" ", text or "").split()
    return SURROGATES.sub("\ufffd", " ".join(words))


def name_of(author: Author) -> PersonName:
    """Return the parts of an author's name, each on one line."""
    parts = parts_of(author.model_copy(update={"name": single_line(author.name)}))
    return PersonName(
        single_line(parts.family),
        single_line(parts.given),
        single_line(parts.particle),
        single_line(parts.suffix),
        parts.is_literal,
    )


def safe_address(address: str | None) -> str:
    """Return a web URL percent-encoded (RFC 3986), or "".

    Only http, https and ftp are allowed: a URL from a source may be "javascript:...".
    """
    line = single_line(address)
    return quote(line, safe="%:/?#[]@!$&'()*+,;=~") if _WEB.match(line) else ""


def web_address(record: BibliographicRecord) -> str:
    return safe_address(record.url) or safe_address(record.full_text_url)


def identifier(text: str | None) -> str:
    compact = single_line(text).replace(" ", "")
    return compact.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D")


def page_range(pages: str | None) -> tuple[str, str]:
    """Return first and last page; anything but a simple range counts as the first page."""
    line = single_line(pages)
    match = _PAGE_RANGE.fullmatch(line)
    return (match[1], match[2]) if match else (line, "")


def keywords(paper: Paper) -> list[str]:
    labels = [*filter(None, map(single_line, paper.labels))]
    return list(dict.fromkeys([*labels, *own_keywords(paper)]))


def own_keywords(paper: Paper) -> list[str]:
    """Return the tags, "retracted" for a retracted paper, and the paper's own keywords."""
    tags = [tag.value for tag in paper.tags]
    tags += ["retracted"] if paper.is_retracted else []
    return list(dict.fromkeys([*tags, *filter(None, map(single_line, paper.keywords))]))


def join_keywords(paper: Paper) -> str:
    """Join the keywords with commas, or with semicolons if one contains a comma."""
    words = keywords(paper)
    if not any("," in word for word in words):
        return ", ".join(words)
    return "; ".join(words) + (";" if len(words) == 1 else "")


_MAX_PART = 40


def citation_keys(papers: Sequence[Paper]) -> list[str]:
    """Return a unique key of [a-z0-9_] for each paper, in order.

    Further papers with the same key get _a, _b, ... _z, _aa.
    """
    used_keys: set[str] = set()
    suffixes: dict[str, Iterator[str]] = {}
    keys = []
    for paper in papers:
        base = key = _plain_key(paper)
        while key in used_keys:
            key = f"{base}_{next(suffixes.setdefault(base, _letters()))}"
        used_keys.add(key)
        keys.append(key)
    return keys


def _plain_key(paper: Paper) -> str:
    names = (_romanised(without_particle(parts_of(author).family)) for author in paper.authors)
    words = (_romanised(word) for word in paper.title.split())
    year = "nd" if paper.year is None else _romanised(str(paper.year))
    return f"{next(filter(None, names), 'anon')}_{year}_{next(filter(None, words), 'item')}"


def _romanised(text: str) -> str:
    return NOT_A_TO_Z_OR_DIGIT.sub("", anyascii(text).lower())[:_MAX_PART]


def _letters() -> Iterator[str]:
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)


@dataclass(frozen=True, slots=True)
class PublicationKind:
    """A kind of publication, as each format calls it.

    `ris` is a value of TY; `venue_field` and `publisher_field` are BibTeX fields.
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
    """Return the kind of a record, by its type if that is specific.

    With CSL's "article" or without a type, it is a preprint if it is on a preprint server, an
    article if it has a venue, else unknown.
    """
    word = type_word(record.publication_type)
    is_article = word.startswith("article-")  # also in a magazine or newspaper
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
    """Return the more specific type to add to a format's type, or ""."""
    if kind is PREPRINT:
        return "preprint"
    csl = csl_type(record.publication_type)
    return csl if csl in CSL_TYPES and csl not in {kind.csl, PREPRINT.csl} else ""
