"""Importers of JSON: lines, CSL-JSON and this program's own export."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of
from paper_search.library.importers.json_arrays import Window, items
from paper_search.library.importers.json_shapes import common
from paper_search.library.json_text import decoded
from paper_search.models import RawPaper

_LONGEST_REASON = 160


def read_lines(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every line that is not blank; memory does not grow with the file."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            given = decoded(line)
        except (ValueError, RecursionError) as error:
            what = error.msg if isinstance(error, json.JSONDecodeError) else "too deeply nested"
            yield Rejected(number, f"not JSON: {what}")
            continue
        yield entry_of(given, number)


def entry_of(given: Any, line: int) -> Entry:
    """Return the entry for one parsed value."""
    if not isinstance(given, dict):
        return Rejected(line, f"expected an object with a title, found {type(given).__name__}")
    try:
        return Imported(_record(given), line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Rejected(line, f"{place}: {first['msg']}"[:_LONGEST_REASON])
    except ValueError as error:
        return Rejected(line, str(error)[:_LONGEST_REASON])


def _record(given: dict[str, Any]) -> RawPaper:
    """Return the record; one that this program wrote is taken as it is."""
    if _is_ours(given):
        try:
            paper = RawPaper.model_validate({"id": "", **given})
        except ValidationError:
            return record_of(given)
        if paper.title.strip():
            return paper
    return record_of(common(given))


def _is_ours(given: dict[str, Any]) -> bool:
    authors = given.get("authors", [])
    return (
        isinstance(given.get("title"), str)
        and isinstance(given.get("source"), str)
        and isinstance(authors, list)
        and all(isinstance(author, dict) and "name" in author for author in authors)
        and RawPaper.model_fields.keys() >= given.keys() - _VERDICT
    )


_VERDICT = {"relevance_score", "relevance_reason", "tags", "is_judged"}
"""What a paper carries beyond its record: the judgement of one search, which is not kept."""


_BLANKS = re.compile(r"\s*")


def read_csl(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every item of the list, or for the one item that the file is.

    Field names: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables.
    """
    window = Window(lines)
    if window.skip(_BLANKS) == "[":
        window.position += 1
    else:
        window.append("]")
    for line, value in items(window):
        yield value if isinstance(value, Rejected) else _csl_entry(value, line)


def _csl_entry(item: Any, line: int) -> Entry:
    if isinstance(item, dict) and str(item.get("archive", "")).lower() == "arxiv":
        item = {"arxiv_id": item.get("archive_location"), **item}
    entry = entry_of(item, line)
    if isinstance(entry, Imported) and isinstance(kind := item.get("type"), str):
        entry.record.publication_type = kind.strip().lower() or None
    return entry


_PAPERS = re.compile(r'(?<!\\)"papers"\s*:\s*\[')


def read_own(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every paper of the collection; verdicts of the search are left out."""
    window = Window(lines)
    if not window.find(_PAPERS):
        yield Rejected(1, 'expected an object with a list "papers"')
        return
    for line, value in items(window):
        yield value if isinstance(value, Rejected) else entry_of(value, line)
