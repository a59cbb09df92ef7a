"""Importers of JSON: lines, CSL-JSON and this program's own export.

Records of OpenAlex, arXiv, Semantic Scholar and Crossref are understood as well.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from paper_search.bibliography.fields import record_of
from paper_search.bibliography.keywords import category_names
from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.json_text import decoded
from paper_search.models import Paper, RawPaper

_LONGEST_REASON = 160
_VERDICT = Paper.model_fields.keys() - RawPaper.model_fields.keys()
"""What a paper carries beyond its record: the judgement of one search, which is not taken over."""
_LINE_END = re.compile("\n")
_GAP = re.compile(r"[\s,]*")
_NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{\s*\")")
_PAPERS = re.compile(r'(?<!\\)"papers"\s*:\s*\[')
_DECODER = json.JSONDecoder()
_JOURNAL_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ARXIV_AND = re.compile(r",\s+(?:and\s+)?|(?<!\s)\s+and\s+")
_AFFILIATION = re.compile(r"(?<!\s)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")


def read_lines(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every line that is not blank; memory does not grow with the file."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = decoded(line)
        except (ValueError, RecursionError) as error:
            yield Rejected(number, _not_json(error))
            continue
        yield entry_of_value(value, number)


def read_csl(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every item of the list, or for the one item that the file is.

    Field names: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables.
    """
    text = "".join(lines)
    start = len(text) - len(text.lstrip())
    is_list = text.startswith("[", start)
    for line, value in _items(text if is_list else text + "]", start + is_list):
        yield value if isinstance(value, Rejected) else _csl_entry(value, line)


def read_own(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every paper of the collection; verdicts of the search are left out."""
    text = "".join(lines)
    papers = _PAPERS.search(text)
    if papers is None:
        yield Rejected(1, 'expected an object with a list "papers"')
        return
    for line, value in _items(text, papers.end()):
        yield value if isinstance(value, Rejected) else entry_of_value(value, line)


def entry_of_value(value: Any, line: int) -> Entry:
    """Return the entry for one parsed value."""
    if not isinstance(value, dict):
        return Rejected(line, f"expected an object with a title, found {type(value).__name__}")
    try:
        return Imported(_record(value), line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Rejected(line, f"{place}: {first['msg']}"[:_LONGEST_REASON])
    except ValueError as error:
        return Rejected(line, str(error)[:_LONGEST_REASON])


def _items(text: str, position: int) -> Iterator[tuple[int, Any]]:
    """Yield line and value of every item of the array that begins before the position.

    The value of an item that cannot be read is a `Rejected`; reading continues at what looks like
    the next object.
    """
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    while True:
        gap = _GAP.match(text, position)
        position = gap.end() if gap else position
        line = bisect(starts, position)
        if position >= len(text):
            yield line, Rejected(line, "the file ends in the middle of the list")
            return
        if text[position] == "]":
            return
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            yield line, Rejected(line, _not_json(error))
            following = _NEXT_ITEM.search(text, position)
            if following is None:
                return
            position = following.end()
        else:
            yield line, value


def _not_json(error: Exception) -> str:
    return (
        f"not JSON: {error.msg if isinstance(error, json.JSONDecodeError) else 'nested too deep'}"
    )


def _record(value: dict[str, Any]) -> RawPaper:
    """Return the record; one that this program wrote is taken as it is."""
    if _is_ours(value):
        try:
            paper = RawPaper.model_validate({"id": "", **value})
        except ValidationError:
            return record_of(value)
        if paper.title.strip():
            return paper
    return record_of(_with_common_names(value))


def _is_ours(value: dict[str, Any]) -> bool:
    authors = value.get("authors", [])
    return (
        isinstance(value.get("title"), str)
        and isinstance(value.get("source"), str)
        and isinstance(authors, list)
        and all(isinstance(author, dict) and "name" in author for author in authors)
        and RawPaper.model_fields.keys() >= value.keys() - _VERDICT
    )


def _csl_entry(item: Any, line: int) -> Entry:
    if isinstance(item, dict) and str(item.get("archive", "")).lower() == "arxiv":
        item = {"arxiv_id": item.get("archive_location"), **item}
    entry = entry_of_value(item, line)
    if isinstance(entry, Imported) and isinstance(kind := item.get("type"), str):
        entry.record.publication_type = kind.strip().lower() or None
    return entry


def _with_common_names(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record under the names that `fields` knows, whatever service shaped it."""
    for is_meant, flatten in _SHAPES:
        if is_meant(given):
            return {**given, **{name: value for name, value in flatten(given).items() if value}}
    return given


def _is_openalex(given: Mapping[str, Any]) -> bool:
    return "abstract_inverted_index" in given or "primary_location" in given


def _openalex(given: Mapping[str, Any]) -> dict[str, Any]:
    """https://docs.openalex.org/api-entities/works/work-object."""
    place = _mapping(given.get("primary_location"))
    ids, biblio = _mapping(given.get("ids")), _mapping(given.get("biblio"))
    access = _mapping(given.get("best_oa_location")) or _mapping(given.get("open_access"))
    first, last = biblio.get("first_page"), biblio.get("last_page")
    return {
        "abstract": given.get("abstract") or _in_order(given.get("abstract_inverted_index")),
        "venue": _mapping(place.get("source")).get("display_name"),
        "openalex_id": str(given.get("id") or ids.get("openalex") or "").rpartition("/")[2],
        "pmid": ids.get("pmid"),
        "pmcid": ids.get("pmcid"),
        "volume": biblio.get("volume"),
        "issue": biblio.get("issue"),
        "pages": f"{first}-{last}" if first and last and first != last else first,
        "url": place.get("landing_page_url") or given.get("doi"),
        "pdf_url": access.get("pdf_url") or access.get("oa_url"),
        "keywords": [*_listed(given.get("keywords")), *_listed(given.get("topics"))],
    }


def _in_order(index: Any) -> str | None:
    """Return the text of an inverted index: the positions of every word."""
    if not isinstance(index, dict):
        return None
    placed = [
        (place, word)
        for word, places in index.items()
        if isinstance(places, list)
        for place in places
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)) or None


def _is_arxiv(given: Mapping[str, Any]) -> bool:
    return "authors_parsed" in given or ("categories" in given and "journal-ref" in given)


def _arxiv(given: Mapping[str, Any]) -> dict[str, Any]:
    """One line of the metadata snapshot: https://info.arxiv.org/help/bulk_data.html."""
    journal = given.get("journal-ref")
    found = _JOURNAL_YEAR.findall(journal) if isinstance(journal, str) else []
    versions = given.get("versions")
    first = _mapping(versions[0]).get("created") if isinstance(versions, list) and versions else ""
    parsed = given.get("authors_parsed")
    names: list[Any] = [
        dict(zip(("family", "given", "suffix"), item, strict=False))
        for item in (parsed if isinstance(parsed, list) else [])
        if isinstance(item, list) and item and all(isinstance(part, str) for part in item)
    ]
    written = given.get("authors")
    if not names and isinstance(written, str):
        names = _ARXIV_AND.split(_AFFILIATION.sub("", " ".join(written.split())))
    created = _JOURNAL_YEAR.findall(first or "") or found[-1:]
    return {
        "authors": names,
        "arxiv_id": given.get("id"),
        "venue": journal,
        "year": (created or [str(given.get("update_date") or "")[:4]])[0],
        "url": f"https://arxiv.org/abs/{given['id']}" if given.get("id") else None,
        "keywords": category_names(str(given.get("categories") or "")),
    }


def _is_semantic_scholar(given: Mapping[str, Any]) -> bool:
    return "externalIds" in given or "paperId" in given


def _semantic_scholar(given: Mapping[str, Any]) -> dict[str, Any]:
    """https://api.semanticscholar.org/api-docs/graph."""
    ids, journal = _mapping(given.get("externalIds")), _mapping(given.get("journal"))
    return {
        "doi": ids.get("DOI"),
        "arxiv_id": ids.get("ArXiv"),
        "pmid": ids.get("PubMed"),
        "pmcid": ids.get("PubMedCentral"),
        "venue": given.get("venue") or journal.get("name"),
        "volume": journal.get("volume"),
        "pages": journal.get("pages"),
        "pdf_url": _mapping(given.get("openAccessPdf")).get("url"),
        "keywords": given.get("fieldsOfStudy"),
    }


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


_SHAPES: tuple[
    tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], dict[str, Any]]], ...
] = (
    (_is_openalex, _openalex),
    (_is_arxiv, _arxiv),
    (_is_semantic_scholar, _semantic_scholar),
)
