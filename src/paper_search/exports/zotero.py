"""Zotero's RDF: the only form in which notes and tags arrive in Zotero as notes and tags."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from paper_search.exports.publication_kinds import csl_type_of
from paper_search.exports.text import (
    identifier,
    keywords,
    name_of,
    page_range,
    single_line,
    web_address,
)

if TYPE_CHECKING:
    from paper_search.models import Author, Paper, PaperCollection

_SPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "z": "http://www.zotero.org/namespaces/export#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "bib": "http://purl.org/net/biblio#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "prism": "http://prismstandard.org/namespaces/1.2/basic/",
}


class ItemKind(NamedTuple):
    """A type of item, and its fields that other types lack or call otherwise."""

    name: str
    venue: str = ""
    publisher: str = ""
    fields: str = ""


_DOCUMENT = ItemKind("document", "", "publisher")
ITEM_KINDS = {
    "article-journal": ItemKind("journalArticle", "publicationTitle", "",
                                "volume issue pages ISSN DOI"),
    "article": ItemKind("preprint", "repository", "", "DOI"),
    "paper-conference": ItemKind("conferencePaper", "proceedingsTitle", "publisher",
                                 "volume pages ISBN DOI"),
    "chapter": ItemKind("bookSection", "bookTitle", "publisher", "volume pages ISBN"),
    "book": ItemKind("book", "series", "publisher", "volume ISBN"),
    "thesis": ItemKind("thesis", "", "university"),
    "report": ItemKind("report", "seriesTitle", "institution", "pages"),
    "dataset": ItemKind("dataset", "repository", "", "DOI"),
    "software": ItemKind("computerProgram", "", "company"),
    "webpage": ItemKind("webpage", "websiteTitle"),
    "standard": ItemKind("standard", "", "organization"),
}  # fmt: skip
"""By type of CSL; anything else is a document. https://api.zotero.org/schema has them all."""
DECISION = "decision: "
"""How the tag of a decision begins."""
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def export_zotero(collection: PaperCollection) -> str:
    """Return the papers as RDF that Zotero imports, with tags and notes.

    Tags are the keywords, the kinds of contribution and the decision (`decision: include`); who
    decided, when and why, and what was noted, is a note of the item.
    """
    root = ET.Element(_name("rdf:RDF"))
    for prefix, space in _SPACES.items():
        ET.register_namespace(prefix, space)
    for number, paper in enumerate(collection.papers, start=1):
        _item(root, number, paper)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _item(root: ET.Element, number: int, paper: Paper) -> None:
    item = ET.SubElement(root, _name("rdf:Description"), {_name("rdf:about"): f"#item_{number}"})
    _add(item, "z:itemType", ITEM_KINDS.get(csl_type_of(paper), _DOCUMENT).name)
    _venue(item, paper)
    _authors(item, paper.authors)
    tags = keywords(paper)
    if paper.screening is not None and paper.screening.decision:
        tags = [*tags, f"{DECISION}{paper.screening.decision}"]
    for tag in tags:
        _add(item, "dc:subject", tag)
    _add(item, "dc:title", paper.title)
    _add(item, "dcterms:abstract", paper.abstract)
    _add(item, "dc:date", "" if paper.year is None else str(paper.year))
    _add(item, "z:language", paper.language)
    _add(item, "bib:pages", "-".join(page for page in page_range(paper.pages) if page))
    for kind in ("doi", "isbn"):
        value = identifier(getattr(paper, kind))
        _add(item, "dc:identifier", f"{kind.upper()} {value}" if value else "")
    if address := web_address(paper):
        about = ET.SubElement(ET.SubElement(item, _name("dc:identifier")), _name("dcterms:URI"))
        _add(about, "rdf:value", address)
    if publisher := single_line(paper.publisher):
        place = ET.SubElement(item, _name("dc:publisher"))
        _add(ET.SubElement(place, _name("foaf:Organization")), "foaf:name", publisher)
    _add(item, "dc:description", _extra(paper))
    if note := _note(paper):
        link = {_name("rdf:resource"): f"#note_{number}"}
        ET.SubElement(item, _name("dcterms:isReferencedBy"), link)
        about_note = {_name("rdf:about"): f"#note_{number}"}
        _add(ET.SubElement(root, _name("bib:Memo"), about_note), "rdf:value", note)


def _venue(item: ET.Element, paper: Paper) -> None:
    if not any((paper.venue, paper.volume, paper.issue, paper.issn)):
        return
    within = ET.SubElement(item, _name("dcterms:isPartOf"))
    journal = ET.SubElement(within, _name("bib:Journal"))
    _add(journal, "prism:volume", paper.volume)
    _add(journal, "prism:number", paper.issue)
    _add(journal, "dc:title", paper.venue)
    issn = identifier(paper.issn)
    _add(journal, "dc:identifier", f"ISSN {issn}" if issn else "")


def _authors(item: ET.Element, authors: list[Author]) -> None:
    if not authors:
        return
    sequence = ET.SubElement(ET.SubElement(item, _name("bib:authors")), _name("rdf:Seq"))
    for author in authors:
        parts = name_of(author)
        place = ET.SubElement(sequence, _name("rdf:li"))
        person = ET.SubElement(place, _name("foaf:Person"))
        _add(person, "foaf:surname", " ".join(filter(None, (parts.particle, parts.family))))
        _add(person, "foaf:givenName", ", ".join(filter(None, (parts.given, parts.suffix))))


def _extra(paper: Paper) -> str:
    numbers = {"PMID": paper.pmid, "PMCID": paper.pmcid, "arXiv": paper.arxiv_id}
    return "; ".join(
        f"{name}: {value}" for name, text in numbers.items() if (value := identifier(text))
    )


def _note(paper: Paper) -> str:
    """Return a note in HTML, as Zotero keeps them; "": there is nothing to note."""
    columns = {name: single_line(value) for name, value in paper.screening_columns.items()}
    note = columns.pop("note")
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in columns.items() if value]
    return "".join(f"<p>{html.escape(line)}</p>" for line in [*filter(None, [note]), *lines])


def _add(parent: ET.Element, name: str, text: str | None) -> None:
    if line := _NOT_IN_XML.sub("\ufffd", single_line(text)):
        ET.SubElement(parent, _name(name)).text = line


def _name(qualified: str) -> str:
    prefix, _, local = qualified.partition(":")
    return f"{{{_SPACES[prefix]}}}{local}"
