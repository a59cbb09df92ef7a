"""The fields of a paper, their readers and their names in other programs.

Our own tables, their import, and the import of other tables and JSON use the rows of `FIELDS`, so
that a new field is added in one place.
"""

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paper_search.bibliography.identifiers import (
    host_of,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import PersonName, fields_of, split_name
from paper_search.bibliography.text import NOT_A_TO_Z_OR_DIGIT, clean, remove_invisible
from paper_search.models import RawPaper

SOURCE = "library"
"""Default source of imported records."""
NO_TITLE = "the title is missing"

_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?=(?:[01]\d[0-3]\d)?(?!\d))")
"""Also that of `20091101`."""
_AND = re.compile(r"(?<!\s)\s+and\s+|(?:(?<!\s)\s+)?;\s*", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+", re.IGNORECASE)
_DOI_ADDRESS = re.compile(r"https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_PAGES = re.compile(r"(?:(?<!\s)\s+)?(?:--+|[‐-―−]|-(?=\s)|(?<=\s)-)\s*")
_OTHERS = re.compile(r"(?:and )?others", re.IGNORECASE)
_NONE = re.compile(r"\[No [a-z ()]+ available\]", re.IGNORECASE)
"""Scopus writes this for missing authors and abstracts."""
MOST_CITATIONS = 10_000_000
"""No work has more; larger numbers are errors."""
_RETRACTED = "retracted"
"""Keyword for retraction in formats without a field for it."""
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}


def text_of(value: Any) -> str:
    """Return the text of a value, of the first item of a list, or of an object's name."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return text_of(value[0]) if value else ""
    if isinstance(value, dict):
        return text_of(value.get("name") or value.get("raw") or value.get("value"))
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def year_of(value: Any) -> int | None:
    """Return the year in a number, a date, or CSL's date parts, or None."""
    if isinstance(value, dict):
        value = value.get("date-parts") or value.get("raw") or value.get("literal")
    match = _YEAR.search(str(value)) if value is not None else None
    return int(match.group()) if match else None


def _count(value: Any) -> int | None:
    try:
        count = int(float(value))
    except (TypeError, ValueError, OverflowError):
        return None
    return count if 0 <= count <= MOST_CITATIONS else None


def _text(value: Any) -> str | None:
    return clean(text_of(value)) or None


def _address(value: Any) -> str | None:
    match = _ADDRESS.search(remove_invisible(text_of(value)))
    return match.group() if match and host_of(match.group()) else None


def _number(value: Any) -> str | None:
    text = _text(value)
    return None if text == "0" else text  # Publish or Perish: not known


def _pages(value: Any) -> str | None:
    return _PAGES.sub("-", _number(value) or "") or None


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else _TRUTH.get(text_of(value).strip().lower())


def _parse_with(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    return lambda value: parse(text_of(value))


def people_of(value: Any, *, is_inverted: bool = False) -> list[dict[str, str | None]]:
    """Return the authors in a list of names or mappings, or in one string.

    They are mappings because validating them with their record takes a third of the time.
    """
    authors = list[dict[str, str | None]]()
    if isinstance(value, str):
        value = _AND.split(value)
    for author in value if isinstance(value, list) else []:
        name, identifier = clean(_author_name(author)), None
        if isinstance(author, dict):
            identifier = _text(author.get("author_id") or author.get("authorId"))
        parts = _parts(author) or split_name(name, is_inverted=is_inverted)
        if is_inverted and name.endswith(","):  # RIS and EndNote mark names without a given name
            name = name.rstrip(", ")
            parts = PersonName(name, is_literal=True)
        if name and not _OTHERS.fullmatch(name):
            authors.append({"name": name, "author_id": identifier, **fields_of(parts)})
    return authors


def _parts(author: Any) -> PersonName | None:
    """Return the parts of a name in CSL's format, or None."""
    if not isinstance(author, dict):
        return None
    if literal := clean(text_of(author.get("literal"))):
        return PersonName(literal, is_literal=True)
    family, first = clean(text_of(author.get("family"))), clean(text_of(author.get("given")))
    if not family:
        return PersonName(first) if first else None
    particles = ("dropping-particle", "non-dropping-particle")
    particle = " ".join(filter(None, (clean(text_of(author.get(part))) for part in particles)))
    return PersonName(family, first, particle, clean(text_of(author.get("suffix"))))


def _author_name(author: Any) -> str:
    if not isinstance(author, dict):
        return text_of(author)
    inner = author.get("author")
    names = inner if isinstance(inner, dict) else author  # OpenAlex
    family, first = text_of(names.get("family")), text_of(names.get("given"))
    if particle := text_of(names.get("non-dropping-particle")):
        family = f"{particle} {family}"
    inverted = f"{family}, {first}" if family and first else family or first
    whole = ("display_name", "literal", "fullName", "full_name")
    rest = (text_of(names[key]) for key in whole if names.get(key))
    return text_of(names.get("name")) or inverted or next(rest, "")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a paper.

    Attributes:
        name: of the attribute and of the column in our tables.
        read: returns the value in a file, or None if it is invalid. None for results of a search
            and decisions of people, which are exported but not imported.
        aliases: names in other programs, in small letters and digits, the most specific first.
    """

    name: str
    read: Callable[[Any], Any] | None = None
    aliases: str = ""


FIELDS = (
    Field("title", _text, "title displayname articletitle papertitle documenttitle primarytitle "
          "originaltitle ti"),
    Field("authors", people_of, "authorfullnames af authors author authornames firstauthors "
          "creators creator authorships authorsfullname authorlist "
          "authorshipsauthordisplayname au"),
    Field("year", year_of, "year publicationyear pubyear py published publicationdate date issued "
          "pubdate publisheddate yearpublished coverdate publishedyear datepublished"),
    Field("venue", _text, "venue journal publicationtitle journaltitle sourcetitle containertitle "
          "publicationname journalname journalbook booktitle publication secondarytitle "
          "alternatetitle3 conference so pubtitle primarylocationsourcedisplayname"),
    Field("doi", _parse_with(parse_doi), "doi digitalobjectidentifier di doilink doiurl"),
    Field("url", _address, "url link links weblink landingpageurl urls fulltextlink articleurl "
          "documenturl plink primarylocationlandingpageurl sourceurls"),
    Field("full_text_url", _address, "fulltexturl pdfurl pdf openaccessurl oaurl pdflink "
          "openaccessoaurl"),
    Field("relevance_score"),
    Field("relevance_reason"),
    Field("is_judged"),
    Field("tags"),
    Field("citation_count", _count, "citationcount citations citedbycount citedby timescited "
          "isreferencedbycount ncitation cites timescitedwoscore articlecitationcount "
          "citingworkscount tc"),
    Field("publication_type", _text, "documenttype publicationtype itemtype doctype dt"),
    Field("volume", _number, "volume vol bibliovolume vl"),
    Field("issue", _number, "issue number issuenumber biblioissue is"),
    Field("pages", _pages, "pages page pagerange pagination"),
    Field("publisher", _text, "publisher pu"),
    Field("language", _parse_with(language_code), "language lang languageoforiginaldocument "
          "articlelanguage la"),
    Field("isbn", _parse_with(parse_isbn), "isbn isbns bn"),
    Field("issn", _parse_with(parse_issn), "issn issns sn primarylocationsourceissnl eissn ei"),
    Field("arxiv_id", _parse_with(parse_arxiv_id), "arxivid arxiv eprint"),
    Field("pmid", _parse_with(parse_pmid), "pmid pubmedid medlinepmid idspmid pm"),
    Field("pmcid", _parse_with(parse_pmcid), "pmcid pmc"),
    Field("openalex_id", _text, "openalexid"),
    Field("s2_id", _text, "s2id paperid"),
    Field("is_retracted", _truth, "isretracted"),
    Field("abstract", _text, "abstract abstracts abstracttext abstractnote summary description "
          "notesabstract ab"),
    Field("source", _text, "database databasename sourcedatabase source"),
    Field("id"),
    Field("decision"),
    Field("decided_by"),
    Field("decided_at"),
    Field("reason"),
    Field("full_text"),
    Field("note"),
    Field("labels"),
    Field("keywords", keywords_of, "keywords keyword authorkeywords manualtags automatictags "
          "indexkeywords keywordsplus meshterms subjects subject subjectterms "
          "emtreedrugindexterms emtreemedicalindexterms emtreedrugindextermsmajorfocus "
          "emtreemedicalindextermsmajorfocus topics fieldsofstudy ieeeterms keywordsdisplayname "
          "kw de"),
    Field("snippet", _text, "snippet"),
)  # fmt: skip
_PARTS_OF_PAGES = (
    Field("first_page", _pages, "startpage pagestart firstpage bibliofirstpage bp"),
    Field("last_page", _pages, "endpage pageend lastpage bibliolastpage ep"),
    Field("article_number", _text, "articlenumber artno articleno artnumber eid ar"),
)
NOT_IN_TABLES = frozenset({
    "snippet", "bibtex", "raw_data", "merged_from", "field_sources", "versions", "sightings",
    "grades", "unjudged_because", "screening",
})  # fmt: skip
"""Fields that do not fit into a cell; the parts of `screening` are columns."""
COLUMNS = tuple(field.name for field in FIELDS if field.name not in NOT_IN_TABLES)
"""Columns of our tables in order."""

_BY_NAME = {field.name: field for field in (*FIELDS, *_PARTS_OF_PAGES)}
_BY_ALIAS = {
    alias: (field.name, rank)
    for field in _BY_NAME.values()
    for rank, alias in enumerate(field.aliases.split())
}


@functools.lru_cache(4_096)
def field_named(name: str) -> tuple[str, int] | None:
    """Return the field with an alias, and the alias's rank, or None."""
    return _BY_ALIAS.get(NOT_A_TO_Z_OR_DIGIT.sub("", name.lower()))


def record_of(entry: Mapping[str, Any], *, is_inverted: bool = False) -> RawPaper:
    """Return the record of a mapping whose fields have any of their common names.

    Authors may be a list of names or mappings, or one string with `;` or `and`; keywords may also
    be separated by commas. Invalid fields other than the title are left out. `is_inverted`: the
    text before a comma is an author's family name.

    Raises:
        ValueError: the title is missing.
    """
    values: dict[str, Any] = {"id": ""}
    for name, value in _by_field(entry).items():
        if name == "authors":
            values[name] = people_of(value, is_inverted=is_inverted)
        elif read := _BY_NAME[name].read:
            values[name] = read(value)
    if not values.get("title"):
        raise ValueError(NO_TITLE)
    first, last, number = (values.pop(part.name, None) for part in _PARTS_OF_PAGES)
    if not values.get("pages") and (first or number):
        values["pages"] = (
            f"{first}-{last}" if first and last not in {None, first} else first or number
        )
    if not values.get("doi") and _DOI_ADDRESS.match(values.get("url") or ""):
        values["doi"] = parse_doi(values["url"])
    if _RETRACTED in (words := values.get("keywords", [])):
        values["is_retracted"] = True
        words.remove(_RETRACTED)
    values["source"] = values.get("source") or SOURCE
    return RawPaper.model_validate(values)


def _by_field(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the non-empty values by field; of several aliases, the first listed counts."""
    values: dict[str, tuple[int, Any]] = {}
    for name, value in entry.items():
        place = field_named(name)
        if place is None or value is None or value in ("", [], {}):
            continue
        if isinstance(value, str) and _NONE.fullmatch(value.strip()):
            continue
        field, rank = place
        if field == "keywords":  # the author's own and those of an index
            values[field] = 0, [*values.get(field, (0, []))[1], *keywords_of(value)]
        elif field not in values or rank < values[field][0]:
            values[field] = (rank, value)
    return {field: value for field, (_, value) in values.items()}
