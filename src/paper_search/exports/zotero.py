"""Zotero items: for its API, and as RDF, the only file format that keeps notes and tags."""

import html
import re
from collections.abc import Container
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from paper_search.exports.text import (
    csl_type_of,
    identifier,
    keywords,
    name_of,
    page_range,
    single_line,
    web_address,
)
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
    """A type of item, and its fields for venue and publisher."""

    name: str
    venue: str = "publicationTitle"
    publisher: str = "publisher"


_DOCUMENT = ItemKind("document")
ITEM_KINDS = {
    "article-journal": ItemKind("journalArticle"),
    "article": ItemKind("preprint", "repository"),
    "paper-conference": ItemKind("conferencePaper", "proceedingsTitle"),
    "chapter": ItemKind("bookSection", "bookTitle"),
    "book": ItemKind("book", "series"),
    "thesis": ItemKind("thesis", publisher="university"),
    "report": ItemKind("report", "seriesTitle", "institution"),
    "dataset": ItemKind("dataset", "repository"),
    "software": ItemKind("computerProgram", "seriesTitle", "company"),
    "webpage": ItemKind("webpage", "websiteTitle"),
    "standard": ItemKind("standard", publisher="organization"),
}
"""By type of CSL; anything else is a document."""
DECISION = "decision: "
"""Prefix of the tag of a decision."""
_LONGEST_NAME = 255
"""Limit of tags and parts of names: https://www.zotero.org/support/dev/web_api/v3/write_requests."""
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def export_zotero(collection: PaperCollection) -> str:
    """Return the papers as RDF that Zotero imports, with tags and notes.

    Tags are the keywords, the kinds of contribution and the decision (`decision: include`). A note
    has who decided, when and why, and the person's own note.
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
    _add(item, "z:itemType", kind_of(paper).name)
    _venue(item, paper)
    _authors(item, paper.authors)
    for tag in [*keywords(paper), *decision_tags(paper)]:
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
    _add(item, "dc:description", "; ".join(_extra(paper)))
    if note := note_of(paper):
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


def kind_of(paper: Paper) -> ItemKind:
    return ITEM_KINDS.get(csl_type_of(paper), _DOCUMENT)


def item_of(paper: Paper, fields: Container[str]) -> dict[str, Any]:
    """Return a new item for the API; values without a field become lines of `extra`."""
    kind = kind_of(paper)
    values = {
        **{name: identifier(getattr(paper, name.lower())) for name in ("DOI", "ISBN", "ISSN")},
        **{name: single_line(getattr(paper, name)) for name in ("volume", "issue", "language")},
        kind.venue: single_line(paper.venue),
        kind.publisher: single_line(paper.publisher),
        "pages": "-".join(filter(None, page_range(paper.pages))),
        "date": "" if paper.year is None else str(paper.year),
        "abstractNote": single_line(paper.abstract),
        "url": web_address(paper),
    }
    rest = [f"{name}: {text}" for name, text in values.items() if text and name not in fields]
    role = "programmer" if kind.name == "computerProgram" else "author"
    people, tags = map(_creator, paper.authors), [*keywords(paper), *decision_tags(paper)]
    return {
        "itemType": kind.name,
        "title": single_line(paper.title),
        "creators": [{"creatorType": role, **names} for names in people if any(names.values())],
        "tags": [{"tag": tag} for tag in tags if len(tag) <= _LONGEST_NAME],
        "extra": "\n".join([*_extra(paper), *rest]),
        **{name: text for name, text in values.items() if text and name in fields},
    }


def _creator(author: Author) -> dict[str, str]:
    parts = name_of(author)
    if parts.is_literal or not parts.given:
        return {"name": single_line(author.name)[:_LONGEST_NAME]}
    family = " ".join(filter(None, (parts.particle, parts.family)))
    first = ", ".join(filter(None, (parts.given, parts.suffix)))
    return {"lastName": family[:_LONGEST_NAME], "firstName": first[:_LONGEST_NAME]}


def decision_tags(paper: Paper) -> list[str]:
    decision = paper.screening and paper.screening.decision
    return [f"{DECISION}{decision}"] if decision else []


def _extra(paper: Paper) -> list[str]:
    numbers = {"PMID": paper.pmid, "PMCID": paper.pmcid, "arXiv": paper.arxiv_id}
    return [f"{name}: {value}" for name, text in numbers.items() if (value := identifier(text))]


def note_of(paper: Paper) -> str:
    """Return a note in HTML, as Zotero stores them, or ""."""
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
