"""BibTeX: one entry per paper, as UTF-8, for BibTeX, Biber and reference managers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_search.exports.citation_keys import citation_keys
from paper_search.exports.publication_kinds import PublicationKind, publication_kind
from paper_search.exports.text import (
    identifier,
    joined_keywords,
    name_of,
    page_range,
    single_line,
    web_address,
)

if TYPE_CHECKING:
    from paper_search.models import Author, Paper, PaperCollection

_SPECIAL = {
    "\\": r"{\textbackslash}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
}
_BALANCED = str.maketrans({**_SPECIAL, "{": r"\{", "}": r"\}"})
# BibTeX counts \{ as a brace too, so a lone brace needs a command that contains none of its kind.
_UNBALANCED = str.maketrans(
    {**_SPECIAL, "{": r"{\ensuremath{\lbrace}}", "}": r"{\ensuremath{\rbrace}}"}
)


def export_bibtex(collection: PaperCollection) -> str:
    """Return the papers as BibTeX; an absent field leaves no trace, no papers give "".

    Keys are those of `citation_keys`. Characters that TeX reads as commands are escaped in text,
    never in identifiers and addresses.
    """
    keys = citation_keys(collection.papers)
    return "\n".join(_entry(key, paper) for key, paper in zip(keys, collection.papers, strict=True))


def _entry(key: str, paper: Paper) -> str:
    kind = publication_kind(paper)
    fields = [*_text_fields(paper, kind), *_identifier_fields(paper)]
    lines = [f"  {name} = {{{value}}}" for name, value in fields if value]
    return ",\n".join([f"@{kind.bibtex}{{{key}", *lines]) + "\n}\n"


def _text_fields(paper: Paper, kind: PublicationKind) -> list[tuple[str, str]]:
    venue, publisher = _escaped(paper.venue), _escaped(paper.publisher)
    if not publisher and kind.publisher_field in {"school", "institution"}:
        venue, publisher = "", venue  # what these entry types demand
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
        ("keywords", _escaped(joined_keywords(paper))),
        ("abstract", _escaped(paper.abstract)),
        ("annote", _escaped(paper.note)),
    ]


def _identifier_fields(paper: Paper) -> list[tuple[str, str]]:
    return [
        ("isbn", identifier(paper.isbn)),
        ("doi", identifier(paper.doi)),
        ("eprint", identifier(paper.arxiv_id)),
        ("archiveprefix", "arXiv" if identifier(paper.arxiv_id) else ""),
        ("pmid", identifier(paper.pmid)),
        ("pmcid", identifier(paper.pmcid)),
        ("url", web_address(paper)),
    ]


def _author(author: Author) -> str:
    """Return "von Last, Jr, First", or a name in braces that BibTeX must not take apart."""
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
    return line.translate(_BALANCED if _is_balanced(line) else _UNBALANCED)


def _is_balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return depth == 0
