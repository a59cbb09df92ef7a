"""RIS: one tagged record per paper, read by every reference manager."""

from paper_search.bibliography.names import split_name
from paper_search.exports.text import (
    identifier,
    keywords,
    name_of,
    page_range,
    publication_kind,
    safe_address,
    single_line,
    type_beside,
)
from paper_search.models import Author, Paper, PaperCollection


def export_ris(collection: PaperCollection) -> str:
    """Return the papers as RIS, each value on one line; "" without papers.

    Tags follow the RIS specification of 2011: T2 is the venue, SN an ISBN or ISSN, AN a PubMed or
    arXiv number, C2 a PMCID, L1 the full text. M3 has the type if TY is less specific, U1 to U4
    ("user definable") the screening decision, N1 the note.
    """
    return "\n".join(_record(paper) for paper in collection.papers)


def _record(paper: Paper) -> str:
    lines = [f"{tag}  - {value}" for tag, value in _tagged(paper) if value]
    return "\n".join([f"TY  - {publication_kind(paper).ris}", *lines, "ER  - "]) + "\n"


def _tagged(paper: Paper) -> list[tuple[str, str]]:
    first_page, last_page = page_range(paper.pages)
    columns = {name: single_line(value) for name, value in paper.screening_columns.items()}
    return [
        ("TI", single_line(paper.title)),
        *(("AU", _author(author)) for author in paper.authors),
        ("PY", "" if paper.year is None else str(paper.year)),
        ("T2", single_line(paper.venue)),
        ("VL", single_line(paper.volume)),
        ("IS", single_line(paper.issue)),
        ("SP", first_page),
        ("EP", last_page),
        ("PB", single_line(paper.publisher)),
        ("SN", identifier(paper.isbn)),
        ("SN", identifier(paper.issn)),
        ("DO", identifier(paper.doi)),
        ("AN", _prefixed("PMID:", paper.pmid)),
        ("AN", _prefixed("arXiv:", paper.arxiv_id)),
        ("C2", identifier(paper.pmcid)),
        ("M3", type_beside(paper, publication_kind(paper))),
        ("UR", safe_address(paper.url)),
        ("L1", safe_address(paper.full_text_url)),
        ("LA", single_line(paper.language)),
        *(("KW", word) for word in keywords(paper)),
        ("AB", single_line(paper.abstract)),
        ("N1", columns.pop("note")),
        *(
            (f"U{number}", f"{name}: {value}" if value else "")
            for number, (name, value) in enumerate(columns.items(), start=1)
        ),
    ]


def _author(author: Author) -> str:
    """Return "Family, Given, Suffix"; a final comma keeps readers from splitting a name wrongly."""
    name = name_of(author)
    is_whole = name.is_literal or not name.given
    if is_whole and name.family and split_name(name.inverted, is_inverted=True) != name:
        return f"{name.inverted},"
    return name.inverted


def _prefixed(kind: str, text: str | None) -> str:
    value = identifier(text)
    return f"{kind}{value}" if value else ""
