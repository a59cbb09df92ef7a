"""Importers of tagged text: RIS, MEDLINE, Web of Science, EndNote and RefWorks.

A reference consists of lines with a tag and a value; other lines continue a value. A `Layout`
describes the lines of a format and the fields of its tags.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from paper_search.bibliography.fields import year_of
from paper_search.bibliography.keywords import heading
from paper_search.bibliography.publication_types import stated_type
from paper_search.library.importers.files import Entry, entry_of


@dataclass(slots=True)
class Reference:
    """A reference: its first line, and the lines of its values by tag."""

    line: int
    layout: "Layout"
    values: dict[str, list[list[str]]] = field(default_factory=dict)

    def begins_again(self, tag: str) -> bool:
        """Whether a tag after a blank line begins another reference: a title, or the first tag."""
        has_title = any(title in self.values for title in self.layout.titles)
        first = next((one for one in self.values if one not in self.layout.first_tags), "")
        return has_title and tag in {first, *self.layout.titles}

    def all(self, *tags: str) -> list[str]:
        values = (
            [" ".join(filter(None, lines)) for lines in self.values.get(tag, ())] for tag in tags
        )
        return next(filter(None, ([*filter(None, of_tag)] for of_tag in values)), [])

    def first(self, *tags: str) -> str:
        return next(iter(self.all(*tags)), "")

    def pages(self, first: str, last: str) -> str:
        start, end = self.first(first), self.first(last)
        return f"{start}-{end}" if start and end and start != end else start

    def year(self, *tags: str) -> int | None:
        return next(filter(None, (year_of(self.first(tag)) for tag in tags)), None)


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a format.

    Attributes:
        tagged: pattern of a line with a tag (group 1) and a value (group 2).
        first_tags: tags that begin a reference.
        single_tags: tags that occur once per reference; another one begins the next.
        fields: tags of each field, the best first; the first tag with values counts. Authors and
            keywords are lists, titles and abstracts are joined, other fields are the first value.
        rest: returns fields that need several tags, and a type that overrides `types`.
        types: CSL types of the values of `type_tags`.
        last_tags: tags that end a reference.
        value_line_tags: tags whose continuation lines are separate values, such as authors.
        titles: tags that begin a reference after a blank line if the present one has a title.
        is_ended_by_blank: whether a blank line ends a reference.
    """

    tagged: re.Pattern[str]
    first_tags: frozenset[str]
    fields: Mapping[str, str]
    rest: Callable[[Reference], dict[str, Any]]
    type_tags: tuple[str, ...]
    types: Mapping[str, str]
    last_tags: frozenset[str] = frozenset()
    single_tags: frozenset[str] = frozenset()
    value_line_tags: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    is_ended_by_blank: bool = False

    def parse(self, lines: Iterable[str]) -> Iterator[Entry]:
        for reference in self._references(lines):
            own = reference.layout
            values = {name: _value(name, reference, tags) for name, tags in own.fields.items()}
            values |= own.rest(reference)
            words = (word for tag in own.type_tags for word in reference.all(tag))
            kinds = filter(None, (own.types.get(word.strip().lower()) for word in words))
            kind = values.pop("type", None) or next(kinds, "document")
            yield entry_of(values, reference.line, kind)

    def _references(self, lines: Iterable[str]) -> Iterator[Reference]:
        """Yield the references; lines before the first one are ignored.

        A file may mix RIS and MEDLINE, which share most tags.
        """
        current: Reference | None = None
        tag, layout, is_mixed, was_blank = "", self, self in (RIS, MEDLINE), False
        for number, line in enumerate(lines, start=1):
            text = line.rstrip("\r\n").lstrip(_UNSEEN)
            start = _START.match(text) if is_mixed else None
            if start and (start[1] or current is None):
                layout = RIS if start[1] else MEDLINE
            match = layout.tagged.match(text)
            tag = match.group(1).upper() if match else tag
            is_blank = not text.strip()
            is_boundary = (
                tag in layout.first_tags | layout.last_tags
                or (
                    current is not None
                    and tag in current.values
                    and (tag in layout.single_tags or (was_blank and current.begins_again(tag)))
                )
                if match
                else is_blank and layout.is_ended_by_blank
            )
            was_blank = is_blank
            if current is not None and is_boundary:
                yield current
                current = None
            if match and current is None and tag not in layout.last_tags:
                current = Reference(number, layout)
            if current is None or is_blank:
                continue
            if match:
                current.values.setdefault(tag, []).append([(match.group(2) or "").strip()])
            elif tag in layout.value_line_tags:
                current.values[tag].append([text.strip()])
            else:
                current.values[tag][-1].append(text.strip())
        if current is not None:
            yield current


def _value(name: str, reference: Reference, tags: str) -> Any:
    if name in {"authors", "keywords"}:
        return reference.all(*tags.split())
    if name in {"title", "abstract"}:
        return " ".join(reference.all(*tags.split()))
    return reference.first(*tags.split())


def _accession_number(reference: Reference, *databases: str) -> str:
    """Return the accession number of a PubMed or MEDLINE record, which is its PMID."""
    source = " ".join(value for tag in databases for value in reference.all(tag)).lower()
    return reference.first("AN") if re.search("pubmed|medline|^nlm$", source) else ""


def _groups(reference: Reference, tag: str) -> list[dict[str, str]]:
    """Return the groups among the authors, which have a tag of their own."""
    return [{"literal": name.strip()} for line in reference.all(tag) for name in line.split(";")]


def _ris_rest(reference: Reference) -> dict[str, Any]:
    # T2 is the title if there is no other.
    venue_tags = ("T2",) if reference.first("TI", "T1", "TT", "ST") else ()
    numbers = [number.strip() for value in reference.all("AN") for number in value.split(";")]
    prefixed = {kind.lower(): number for number in numbers for kind in [number.partition(":")[0]]}
    pmcid = reference.first("C2")
    return {
        "venue": reference.first("JF", "JO", *venue_tags, "BT", "J2", "JA", "C3", "T3"),
        "year": reference.year("PY", "Y1", "DA"),
        "pages": reference.pages("SP", "EP") or reference.first("C7"),
        "isbn": " ".join(reference.all("SN")),
        "issn": " ".join(reference.all("SN")),
        "pmid": prefixed.get("pmid") or _accession_number(reference, "DB", "DP"),
        "arxiv_id": prefixed.get("arxiv"),
        "pmcid": pmcid if pmcid.upper().startswith("PMC") else None,
        "type": stated_type(reference.first("M3")),
    }


RIS = Layout(
    re.compile(r"\s{0,2}([A-Z][A-Z0-9]|ty|er(?=  -\s*$))[ \t]{1,3}-[ \t]*(.*)$"),
    first_tags=frozenset({"TY"}),
    last_tags=frozenset({"ER"}),
    value_line_tags=frozenset({"KW"}),
    titles=frozenset({"TI", "T1"}),
    fields={
        "title": "TI T1 TT ST T2", "authors": "AU A1 A2 A3", "abstract": "AB N2", "doi": "DO",
        "url": "UR", "full_text_url": "L1", "volume": "VL", "issue": "IS", "publisher": "PB",
        "language": "LA", "keywords": "KW", "source": "DB DP",
    },
    rest=_ris_rest,
    type_tags=("TY",),
    types={
        "jour": "article-journal", "jfull": "article-journal", "ejour": "article-journal",
        "abst": "article-journal", "inpr": "article-journal", "conf": "paper-conference",
        "cpaper": "paper-conference", "book": "book", "ebook": "book", "edbook": "book",
        "chap": "chapter", "echap": "chapter", "thes": "thesis", "rprt": "report",
        "data": "dataset", "mgzn": "article-magazine", "news": "article-newspaper",
        "pat": "patent", "elec": "webpage", "unpb": "manuscript", "comp": "software",
    },
)  # fmt: skip
"""https://en.wikipedia.org/wiki/RIS_(file_format), the specifications of 2001 and 2011."""

_UNSEEN = "\u200b\u200e\u200f\u2060\ufeff"
"""Zero-width characters, which web pages and editors put at the start of lines."""
_START = re.compile(r"(\s{0,2}TY[ \t]{1,3}-)|PMID ?- ?\d")
"""First line of a RIS (group 1) or MEDLINE record."""
_MARKED = re.compile(r"^(\S+)\s*\[(doi|pii)\]$", re.IGNORECASE)
_ARTICLE_NUMBER = re.compile(r"(e?\d{1,7})(?:\s*\[pii\])?$", re.IGNORECASE)


def _medline_rest(reference: Reference) -> dict[str, Any]:
    identifiers = filter(None, map(_MARKED.match, reference.all("LID") + reference.all("AID")))
    numbers = filter(None, map(_ARTICLE_NUMBER.match, reference.all("LID")))
    kinds = reference.all("PT")
    return {
        "doi": next((match[1] for match in identifiers if match[2].lower() == "doi"), None),
        # Journals without pages have article numbers: "e025031", "559 [pii]".
        "pages": reference.first("PG") or next((match[1] for match in numbers), None),
        "authors": [*reference.all("FAU", "AU"), *_groups(reference, "CN")] or reference.all("FED"),
        "keywords": [*map(heading, reference.all("MH")), *reference.all("OT")],
        "is_retracted": "Retracted Publication" in kinds or "RIN" in reference.values or None,
        "source": "PubMed",
    }


MEDLINE = Layout(
    re.compile(r"([A-Z]{2,4}) *- ?(.*)$"),
    first_tags=frozenset({"PMID"}),
    is_ended_by_blank=True,
    fields={
        "title": "TI BTI TT CTI", "abstract": "AB OAB",
        "venue": "JT TA BTI", "year": "DP DEP EDAT", "pmid": "PMID", "pmcid": "PMC",
        "volume": "VI", "issue": "IP", "issn": "IS", "language": "LA", "publisher": "PB",
        "isbn": "ISBN",
    },
    rest=_medline_rest,
    type_tags=("PT",),
    types={
        "journal article": "article-journal", "review": "article-journal", "preprint": "article",
        "book": "book", "clinical trial": "article-journal", "dataset": "dataset",
        "meta-analysis": "article-journal", "letter": "article-journal",
        "systematic review": "article-journal", "editorial": "article-journal",
        "book chapter": "chapter",
    },
)  # fmt: skip
"""https://www.nlm.nih.gov/bsd/mms/medlineelements.html"""

_DOCUMENTS = {
    "proceedings paper": "paper-conference", "book chapter": "chapter", "book": "book",
    "article": "article-journal", "review": "article-journal",
}  # fmt: skip


def _web_of_science_rest(reference: Reference) -> dict[str, Any]:
    return {
        "pages": reference.pages("BP", "EP") or reference.first("AR"),
        "authors": [*reference.all("AF", "AU", "BF", "BA", "ED"), *_groups(reference, "CA")],
        "keywords": f"{' '.join(reference.all('DE'))}; {' '.join(reference.all('ID'))}",
        "source": "Web of Science",
        "is_retracted": "retracted publication" in reference.first("DT").lower() or None,
        "type": _DOCUMENTS.get(reference.first("DT").lower().split(";")[0])
        or WEB_OF_SCIENCE.types.get(reference.first("PT").lower()[:1]),
    }


WEB_OF_SCIENCE = Layout(
    re.compile(r"([A-Z][A-Z0-9])(?:[ \t]+(.*))?$"),
    first_tags=frozenset({"PT"}),
    last_tags=frozenset({"ER", "EF", "FN", "VR"}),
    value_line_tags=frozenset({"AU", "AF", "BA", "BF", "ED"}),
    fields={
        "title": "TI", "abstract": "AB", "venue": "SO SE JI J9",
        "year": "PY PD EA", "doi": "DI D2", "pmid": "PM", "volume": "VL", "issue": "IS",
        "publisher": "PU", "language": "LA", "isbn": "BN", "issn": "SN EI",
        "citation_count": "TC Z9",
    },
    rest=_web_of_science_rest,
    type_tags=(),
    types={
        "j": "article-journal", "b": "book", "s": "chapter", "p": "patent", "c": "paper-conference",
    },
)  # fmt: skip
"""https://webofscience.help.clarivate.com/en-us/Content/wos-core-collection/wos-field-tags.htm"""

ENDNOTE = Layout(
    re.compile(r"(%[0-9A-Z@!#$&()*+><^?~=\[\]])(?:[ \t]+(.*))?$"),
    first_tags=frozenset({"%0"}),
    value_line_tags=frozenset({"%K"}),
    is_ended_by_blank=True,
    fields={
        "title": "%T %! %B", "authors": "%A %E", "abstract": "%X", "venue": "%J %B %S",
        "year": "%D %8", "doi": "%R", "url": "%U", "full_text_url": "%>", "volume": "%V",
        "issue": "%N", "pages": "%P", "publisher": "%I", "language": "%G", "isbn": "%@",
        "issn": "%@", "keywords": "%K", "source": "%W %~",
    },
    rest=lambda _: {},
    type_tags=("%0",),
    types={
        "journal article": "article-journal", "electronic article": "article-journal",
        "book": "book", "book section": "chapter", "conference proceedings": "paper-conference",
        "conference paper": "paper-conference", "thesis": "thesis", "report": "report",
        "dataset": "dataset", "web page": "webpage", "patent": "patent",
        "unpublished work": "manuscript", "newspaper article": "article-newspaper",
        "magazine article": "article-magazine",
    },
)  # fmt: skip


REFWORKS = Layout(
    # The tags are listed because continuation lines may begin with two capitals, too.
    re.compile(
        r"(RT|SR|ID|A[1-6BDN]|T[1-3]|J[FO12]|YR|FD|RD|VO|vo|IS|SP|OP|K1|PB|PP|SN|DO|U[L1-9]|LK|LA|L1"
        r"|NO|AV|CN|CA|CL|DB|DS|ED|IP|LL|OL|PM|RP|S[FL]|TA|WP|WT|WV|C[1-5])(?: (.*))?$"
    ),
    first_tags=frozenset({"RT"}),
    single_tags=frozenset({"SR", "ID", "T1"}),
    fields={
        "title": "T1", "authors": "A1 A2", "abstract": "AB", "venue": "JF JO T2 J1 J2",
        "doi": "DO", "url": "UL LK", "volume": "VO", "issue": "IS", "publisher": "PB",
        "language": "LA", "isbn": "SN", "issn": "SN", "keywords": "K1", "source": "DB DS",
    },
    rest=lambda reference: {
        "year": reference.year("YR", "FD"),
        "pages": reference.pages("SP", "OP") or reference.first("OP"),
        "pmid": reference.first("PM") or _accession_number(reference, "DB", "DS"),
    },
    type_tags=("RT",),
    types={
        "journal article": "article-journal", "journal": "article-journal",
        "journal, electronic": "article-journal", "abstract": "article-journal",
        "book, whole": "book", "book, edited": "book", "book": "book", "book, section": "chapter",
        "book chapter": "chapter", "conference proceeding": "paper-conference",
        "conference proceedings": "paper-conference", "dissertation/thesis": "thesis",
        "dissertation/thesis, unpublished": "thesis", "thesis": "thesis", "report": "report",
        "web page": "webpage", "patent": "patent", "magazine article": "article-magazine",
        "newspaper article": "article-newspaper", "unpublished material": "manuscript",
        "computer program": "software",
    },
)  # fmt: skip
"""https://www.refworks.com/refworks/help/RefWorks_Tagged_Format.htm"""
