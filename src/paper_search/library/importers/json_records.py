"""Importers of JSON lines, CSL-JSON and this program's own export.

They also read records of OpenAlex, arXiv, Semantic Scholar and Crossref.
"""

import json
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from paper_search.bibliography.fields import NO_TITLE, SOURCE, record_of
from paper_search.bibliography.keywords import category_names
from paper_search.library.importers.files import Entry, Imported, Rejected
from paper_search.library.records import decoded
from paper_search.models import Paper, RawPaper

_LONGEST_REASON = 160
_VERDICT = Paper.model_fields.keys() - RawPaper.model_fields.keys()
"""Fields with the judgement of one search, which are not imported."""
_LINE_END = re.compile("\n")
_GAP = re.compile(r"[\s,]*")
_NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{\s*\")")
_MORE = re.compile(r"\]\s*(?:\[|(?=\{))")
"""Another list, or an item after the list, in concatenated files."""
_PAPERS = re.compile(r'(?<!\\)"papers"\s*:\s*\[')
_DECODER = json.JSONDecoder()
_JOURNAL_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ARXIV_AND = re.compile(r",\s+(?:and\s+)?|(?<!\s)\s+and\s+")
_AFFILIATION = re.compile(r"(?<!\s)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")


def parse_lines(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every non-blank line; memory does not grow with the file."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = decoded(line)
        except (ValueError, RecursionError) as error:
            yield Rejected(number, _not_json(error))
            continue
        yield entry_of_value(value, number)


def parse_csl(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every item of a list, or for a single item.

    Field names: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables.
    """
    text = "".join(lines)
    start = len(text) - len(text.lstrip())
    is_list = text.startswith("[", start)
    for line, value in _items(text if is_list else text + "]", start + is_list):
        yield value if isinstance(value, Rejected) else _csl_entry(value, line)


def parse_own(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every paper of the collection, without the search's judgements."""
    text = "".join(lines)
    papers = _PAPERS.search(text)
    if papers is None:
        yield Rejected(1, 'expected an object with a list "papers"')
        return
    for line, value in _items(text, papers.end()):
        yield value if isinstance(value, Rejected) else entry_of_value(value, line)


def entry_of_value(value: Any, line: int) -> Entry:
    if not isinstance(value, dict):
        return Rejected(line, f"expected an object with a title, found {type(value).__name__}")
    try:
        return Imported(_record(value), line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        return Rejected(line, f"{place}: {reason}"[:_LONGEST_REASON])
    except ValueError as error:
        return Rejected(line, str(error)[:_LONGEST_REASON])


def _items(text: str, position: int) -> Iterator[tuple[int, Any]]:
    """Yield line and value of every item of the array that begins before the position.

    An unreadable item yields a `Rejected`; reading continues at the probable next object.
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
            more = _MORE.match(text, position)
            if more is None:
                return
            position = more.end()
            continue
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            following = _NEXT_ITEM.search(text, position)
            rest = "" if following else "; nothing after it was read"
            yield line, Rejected(line, _not_json(error) + rest)
            if following is None:
                return
            position = following.end()
        else:
            yield line, value


def _not_json(error: Exception) -> str:
    is_deep = isinstance(error, RecursionError)
    return f"not JSON: {'nested too deep' if is_deep else getattr(error, 'msg', error)}"


def _record(value: dict[str, Any]) -> RawPaper:
    """Return the record; one that this program wrote is used unchanged."""
    authors = value.get("authors", [])
    if (
        isinstance(value.get("title"), str)
        and isinstance(value.get("source"), str)
        and isinstance(authors, list)
        and all(isinstance(author, dict) and "name" in author for author in authors)
        and RawPaper.model_fields.keys() >= value.keys() - _VERDICT
    ):
        try:
            paper = RawPaper.model_validate({"id": "", **value})
        except ValidationError:
            return record_of(value)
        if paper.title.strip():
            return paper
    if (record := _of_service(value)) is not None:
        return record
    is_arxiv = "authors_parsed" in value or {"categories", "journal-ref"} <= value.keys()
    shaped = {name: field for name, field in _arxiv(value).items() if field} if is_arxiv else {}
    return record_of({**value, **shaped})


def _csl_entry(item: Any, line: int) -> Entry:
    if isinstance(item, dict) and str(item.get("archive", "")).lower() == "arxiv":
        item = {"arxiv_id": item.get("archive_location"), **item}
    entry = entry_of_value(item, line)
    if isinstance(entry, Imported) and isinstance(kind := item.get("type"), str):
        entry.record.publication_type = kind.strip().lower() or None
    return entry


def _of_service(value: dict[str, Any]) -> RawPaper | None:
    """Return the record of an OpenAlex or Semantic Scholar object, or None for others."""
    from paper_search.sources import openalex_record, semantic_scholar  # noqa: PLC0415  # slow

    if not value.keys().isdisjoint({"abstract_inverted_index", "primary_location"}):
        record = openalex_record.read_work(value)
    elif not value.keys().isdisjoint({"externalIds", "paperId"}):
        record = semantic_scholar.read_paper(value)
    else:
        return None
    if record is None:
        raise ValueError(NO_TITLE)
    return record.model_copy(update={"id": "", "source": SOURCE, "raw_data": {}})


def _arxiv(value: Mapping[str, Any]) -> dict[str, Any]:
    """Read a line of the metadata snapshot: https://info.arxiv.org/help/bulk_data.html."""
    journal = value.get("journal-ref")
    years = _JOURNAL_YEAR.findall(journal) if isinstance(journal, str) else []
    versions = value.get("versions")
    version = versions[0] if isinstance(versions, list) and versions else None
    first = str(version.get("created") or "") if isinstance(version, dict) else ""
    parsed = value.get("authors_parsed")
    names: list[Any] = [
        dict(zip(("family", "given", "suffix"), item, strict=False))
        for item in (parsed if isinstance(parsed, list) else [])
        if isinstance(item, list) and item and all(isinstance(part, str) for part in item)
    ]
    names_line = value.get("authors")
    if not names and isinstance(names_line, str):
        names = _ARXIV_AND.split(_AFFILIATION.sub("", " ".join(names_line.split())))
    created = _JOURNAL_YEAR.findall(first) or years[-1:]
    return {
        "authors": names,
        "arxiv_id": value.get("id"),
        "venue": journal,
        "year": (created or [str(value.get("update_date") or "")[:4]])[0],
        "url": f"https://arxiv.org/abs/{value['id']}" if value.get("id") else None,
        "keywords": category_names(str(value.get("categories") or "")),
    }
