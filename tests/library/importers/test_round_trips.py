"""What an export wrote, an import reads again: names, types, identifiers, everything citable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paper_search.bibliography.names import author_named, author_of
from paper_search.exports import get_exporter
from paper_search.library.importers import Imported, read_file
from paper_search.models import Paper, RawPaper, ScreeningDecision
from paper_search.testing.exporters import collection_of

SUFFIXES = {"ris": ".ris", "bibtex": ".bib", "biblatex": ".bib", "csl-json": ".json"}
TYPES = ("article-journal", "article-magazine", "paper-conference", "chapter", "book", "thesis",
         "report", "dataset", "software", "webpage", "patent", "manuscript", "standard",
         "document")  # fmt: skip
NUMBERS = {
    "doi": "10.1000/1",
    "pmid": "123",
    "pmcid": "PMC7712345",
    "arxiv_id": "2101.00001",
    "isbn": "9783161484100",
    "issn": "1234-5679",
}
FULL: dict[str, Any] = {
    "title": "Graphs & trees: 50% of {all}",
    "authors": [author_of(family="Ma", given="Jun"), author_named("World Health Organization")],
    "year": 2020,
    "venue": "A Journal",
    "volume": "5",
    "issue": "2",
    "pages": "12-34",
    "publisher": "Ours",
    "language": "en",
    "keywords": ["graphs", "Diabetes Mellitus, Type 2"],
    "abstract": "We do.",
    "url": "https://example.org/a",
}


def again(format_name: str, folder: Path, **fields: Any) -> RawPaper:
    paper = Paper(**{"id": "p", "source": "test", "title": "T", "authors": []} | fields)
    path = folder / f"papers{SUFFIXES[format_name]}"
    text = get_exporter(format_name)(collection_of(paper))
    path.write_text(text, "utf-8", newline="")
    (entry,) = read_file(path)
    assert isinstance(entry, Imported), entry
    return entry.record


@pytest.mark.parametrize("format_name", SUFFIXES)
@pytest.mark.parametrize("kind", TYPES)
def test_the_type_comes_back(format_name: str, kind: str, tmp_path: Path) -> None:
    for venue in ("Somewhere", None):
        record = again(format_name, tmp_path, publication_type=kind, venue=venue)
        assert record.publication_type == kind


@pytest.mark.parametrize("format_name", SUFFIXES)
@pytest.mark.parametrize("kind", ["preprint", "article", None])
def test_a_preprint_comes_back_as_one(format_name: str, kind: str, tmp_path: Path) -> None:
    record = again(format_name, tmp_path, publication_type=kind, venue="bioRxiv")
    assert record.publication_type == "article"


@pytest.mark.parametrize("format_name", SUFFIXES)
@pytest.mark.parametrize("kind", ["article-journal", "book", "dataset"])
def test_every_identifier_comes_back(format_name: str, kind: str, tmp_path: Path) -> None:
    record = again(format_name, tmp_path, publication_type=kind, **NUMBERS)
    assert {name: getattr(record, name) for name in NUMBERS} == NUMBERS


@pytest.mark.parametrize("format_name", SUFFIXES)
@pytest.mark.parametrize("name", NUMBERS)
def test_one_identifier_comes_back_alone(format_name: str, name: str, tmp_path: Path) -> None:
    record = again(format_name, tmp_path, **{name: NUMBERS[name]})
    found = {number: value for number in NUMBERS if (value := getattr(record, number))}
    assert found == {name: NUMBERS[name]}


@pytest.mark.parametrize("format_name", SUFFIXES)
def test_every_other_field_comes_back(format_name: str, tmp_path: Path) -> None:
    record = again(format_name, tmp_path, **FULL, publication_type="article-journal")
    found = {name: getattr(record, name) for name in FULL if name != "authors"}
    assert found == {name: value for name, value in FULL.items() if name != "authors"}
    parts = [(author.family, author.given, author.literal) for author in record.authors]
    assert parts == [("Ma", "Jun", None), (None, None, "World Health Organization")]


@pytest.mark.parametrize(
    ("format_name", "lines"),
    [
        ("ris", ["U1  - decision: exclude", "U2  - decided_by: ada",
                 "U3  - decided_at: 2026-11-22T10:00:00Z", "U4  - reason: no trial",
                 "N1  - See _fig_ 2"]),
        ("bibtex", ["decision = {exclude}", "decided_by = {ada}", "decision_reason = {no trial}",
                    "decided_at = {2026-11-22T10:00:00Z}", r"annote = {See \_fig\_ 2}"]),
        ("biblatex", ["decision = {exclude}", r"annotation = {See \_fig\_ 2}"]),
        ("csl-json", ['"decision": "exclude"', '"decided_by": "ada"', '"reason": "no trial"',
                      '"decided_at": "2026-11-22T10:00:00Z"', '"note": "See _fig_ 2"']),
        ("markdown", [r"- 1: exclude (ada, 2026-11-22T10:00:00Z): no trial; See \_fig\_ 2"]),
        ("json", ['"decision": "exclude"', '"note": "See _fig_ 2"']),
    ],
)  # fmt: skip
def test_what_screening_said_has_its_place_in_every_format(
    format_name: str, lines: list[str]
) -> None:
    said = ScreeningDecision(
        decision="exclude",
        decided_by="ada",
        decided_at="2026-11-22T10:00:00Z",
        reason="no trial",
    )
    paper = Paper(id="p", source="s", title="T", authors=[], note="See _fig_ 2", screening=said)
    text = get_exporter(format_name)(collection_of(paper))
    for line in lines:
        assert line in text
