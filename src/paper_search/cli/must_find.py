"""The papers that a good search must find, as they are named on the command line."""

from __future__ import annotations

from pathlib import Path

from paper_search.errors import InputError
from paper_search.library.importers.entries import Imported
from paper_search.library.importers.files import read_file
from paper_search.models import RawPaper

_FILES = {".bib", ".bibtex", ".ris", ".json", ".jsonl"}


def known_papers(values: list[str]) -> list[str]:
    """Return identifiers and titles; a file (.bib, .ris ...) stands for the papers in it.

    Raises:
        InputError: a file cannot be read, or a value is blank.
    """
    named: list[str] = []
    for value in values:
        path = Path(value)
        if path.suffix.lower() in _FILES and "/10." not in value:
            named += _papers(path)
        elif value.strip():
            named.append(" ".join(value.split()))
        else:
            raise InputError("--must-find is blank: give a DOI, a title, or a .bib file")
    return list(dict.fromkeys(named))


def _papers(path: Path) -> list[str]:
    entries = list(read_file(path))
    found = [_named(each.record) for each in entries if isinstance(each, Imported)]
    if not found:
        reason = next((each.reason for each in entries if not isinstance(each, Imported)), "")
        raise InputError(
            f"no paper can be read from {str(path)!r}" + (f": {reason}" if reason else "")
        )
    return found


def _named(record: RawPaper) -> str:
    """Return the title with what identifies the paper."""
    arxiv = f"arXiv:{record.arxiv_id}" if record.arxiv_id and not record.doi else None
    pmid = f"pmid:{record.pmid}" if record.pmid and not record.doi else None
    return " ".join(filter(None, [record.title, record.doi, arxiv, pmid]))
