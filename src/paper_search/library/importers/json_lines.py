"""Importer of JSON lines: one record per line, our own or with common field names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of
from paper_search.library.importers.json_shapes import common
from paper_search.library.json_text import decoded
from paper_search.models import RawPaper

_LONGEST_REASON = 160


def read(lines: Iterable[str]) -> Iterator[Entry]:
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
