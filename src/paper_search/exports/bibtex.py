"""BibTeX and biblatex: one entry per paper, as UTF-8, for BibTeX, Biber and reference managers."""

import re

from paper_search.exports.text import (
    UNKNOWN,
    PublicationKind,
    citation_keys,
    identifier,
    join_keywords,
    name_of,
    page_range,
    publication_kind,
    single_line,
    type_beside,
    web_address,
)
from paper_search.models import Author, Paper, PaperCollection

_SPECIAL = {sign: f"\\{sign}" for sign in "&%$#_"} | {
    "\\": r"{\textbackslash}",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
}
_BALANCED = str.maketrans({**_SPECIAL, "{": r"\{", "}": r"\}"})
# BibTeX counts \{ as a brace, so an unbalanced brace needs a command without that brace.
_UNBALANCED = str.maketrans(
    {**_SPECIAL, "{": r"{\ensuremath{\lbrace}}", "}": r"{\ensuremath{\rbrace}}"}
)


_LIGATURE = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=[`!?])(?=`)")
"""Where TeX would join two characters: hyphens to a dash, apostrophes to a quotation mark."""


def export_bibtex(collection: PaperCollection) -> str:
    """Return the papers as BibTeX, without empty fields; "" without papers.

    Keys are those of `citation_keys`. Characters that TeX reads as commands are escaped in text,
    never in identifiers and URLs. `type` has the type of "misc" entries, `annote` the note, and
    the screening decision is in fields that no style prints.
    """
    return _entries(collection, is_biblatex=False)


def export_biblatex(collection: PaperCollection) -> str:
    """Return the papers as biblatex, with the entry types and fields of Biber."""
    return _entries(collection, is_biblatex=True)


def _entries(collection: PaperCollection, *, is_biblatex: bool) -> str:
    pairs = zip(citation_keys(collection.papers), collection.papers, strict=True)
    return "\n".join(_entry(key, paper, is_biblatex=is_biblatex) for key, paper in pairs)


def _entry(key: str, paper: Paper, *, is_biblatex: bool) -> str:
    kind, fields = publication_kind(paper), _fields(paper)
    if is_biblatex:
        fields = [(_IN_BIBLATEX.get(name, name), value) for name, value in fields]
        if not identifier(paper.arxiv_id) and (pmid := identifier(paper.pmid)):
            fields += [("eprint", pmid), ("eprinttype", "pubmed")]
    lines = [f"  {name} = {{{value}}}" for name, value in fields if value]
    entry_type = kind.biblatex if is_biblatex else kind.bibtex
    return ",\n".join([f"@{entry_type}{{{key}", *lines]) + "\n}\n"


_IN_BIBLATEX = {
    "journal": "journaltitle",
    "year": "date",
    "school": "institution",
    "archiveprefix": "eprinttype",
    "annote": "annotation",
}
"""Biber's names of fields; it reads the old names, with warnings for some."""


def _fields(paper: Paper) -> list[tuple[str, str]]:
    kind = publication_kind(paper)
    columns = {name: _escaped(value) for name, value in paper.screening_columns.items()}
    note, reason = columns.pop("note"), columns.pop("reason")
    venue, publisher = _escaped(paper.venue), _escaped(paper.publisher)
    if not publisher and kind.publisher_field in {"school", "institution"}:
        venue, publisher = "", venue  # these entry types require it
    return [
        ("title", _escaped(paper.title)),
        ("author", " and ".join(filter(None, map(_author, paper.authors)))),
        (kind.venue_field, venue),
        ("year", "" if paper.year is None else str(paper.year)),
        ("volume", _escaped(paper.volume)),
        ("number", _escaped(paper.issue)),
        ("pages", "--".join(_escaped(page) for page in page_range(paper.pages) if page)),
        (kind.publisher_field, publisher),
        ("language", _escaped(paper.language)),
        ("keywords", _escaped(join_keywords(paper))),
        ("abstract", _escaped(paper.abstract)),
        ("type", _type(paper, kind)),
        ("annote", note),
        ("isbn", identifier(paper.isbn)),
        ("issn", identifier(paper.issn)),
        ("doi", identifier(paper.doi)),
        ("eprint", identifier(paper.arxiv_id)),
        ("archiveprefix", "arXiv" if identifier(paper.arxiv_id) else ""),
        ("pmid", identifier(paper.pmid)),
        ("pmcid", identifier(paper.pmcid)),
        ("url", web_address(paper)),
        *columns.items(),
        ("decision_reason", reason),
    ]


def _type(paper: Paper, kind: PublicationKind) -> str:
    is_redundant = kind.bibtex != "misc" or kind is UNKNOWN
    return type_beside(paper, kind) or ("" if is_redundant else kind.csl)


def _author(author: Author) -> str:
    name = name_of(author)
    if not name.family:
        return ""
    words = f"{name.inverted} {name.suffix}".lower().replace(",", " ").split()
    if name.is_literal or not {"and", "others"}.isdisjoint(words):
        return f"{{{_escaped(name.family if name.is_literal else author.name)}}}"
    if not name.given and not name.particle and " " in name.family:
        return f"{{{_escaped(name.family)}}}"  # "Ben Hassen" alone would become Hassen, B.
    parts = (name.full_family, name.suffix, name.given)
    return ", ".join(_escaped(part) for part in parts if part)


def _escaped(text: str | None) -> str:
    line = single_line(text)
    return _LIGATURE.sub("{}", line.translate(_BALANCED if _is_balanced(line) else _UNBALANCED))


def _is_balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return depth == 0
