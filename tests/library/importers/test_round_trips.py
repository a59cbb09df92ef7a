"""What an export wrote, an import reads again: names, types, identifiers, everything citable."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.bibliography.fields import COLUMNS, FIELDS, NOT_IN_TABLES
from paper_search.bibliography.names import author_named, author_of, parts_of
from paper_search.bibliography.text import clean
from paper_search.exports import get_exporter, suffix_of_format
from paper_search.library.importers import parse_file
from paper_search.models import Author, Paper, RawPaper, ScreeningDecision, Sighting, Version
from paper_search.testing.exporters import collection_of

MANAGERS = ("ris", "bibtex", "biblatex", "csl-json")


def again(format_name: str, folder: Path, **fields: Any) -> RawPaper:
    paper = Paper(**{"id": "p", "source": "test", "title": "T", "authors": []} | fields)
    path = folder / f"papers{suffix_of_format(format_name)}"
    content = get_exporter(format_name)(collection_of(paper))
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    (entry,) = parse_file(path)
    return entry.record


@pytest.mark.parametrize("format_name", MANAGERS)
@pytest.mark.parametrize("kind", ["preprint", "article", None])
def test_a_preprint_comes_back_as_one(format_name, kind, tmp_path):
    record = again(format_name, tmp_path, publication_type=kind, venue="bioRxiv")
    assert record.publication_type == "article"


WORDS = st.text(alphabet="abc XYZ ÄÖ 深度 =+-@';,{}&%$#_\\~^\"<>[]|*`", min_size=1, max_size=30)
TEXT = WORDS.map(lambda text: clean(f"a{text}b"))
PEOPLE = st.sampled_from(
    [
        author_of(family="Ma", given="Jun"),
        author_of(family="García Márquez", given="Gabriel"),
        Author(name="J. van der Berg", family="Berg", given="J.", particle="van der"),
        author_of(family="King", given="Martin Luther", suffix="Jr."),
        author_of(literal="The RECOVERY Team"),
        author_named("World Health Organization"),
        author_named("王伟"),
    ]
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "title": TEXT,
    "abstract": TEXT,
    "venue": TEXT,
    "publisher": TEXT,
    "authors": st.lists(PEOPLE, max_size=3),
    "keywords": st.lists(
        st.sampled_from(["graphs", "+trees", "Diabetes Mellitus, Type 2", "糖尿病"]), unique=True
    ),
    "year": st.none() | st.integers(1400, 2099),
    "citation_count": st.none() | st.integers(0, 1_000),
    "is_retracted": st.sampled_from([None, True, False]),
    "volume": st.sampled_from([None, "5", "A5"]),
    "issue": st.sampled_from([None, "2", "Suppl 1"]),
    "pages": st.sampled_from([None, "12-34", "e17", "S1-S9"]),
    "language": st.sampled_from([None, "en", "zh"]),
    "publication_type": st.sampled_from(["article-journal", "book", "chapter", "dataset"]),
    "doi": st.sampled_from([None, "10.1000/1", "10.1016/s0140-6736(05)1", "10.1000/=b_c"]),
    "url": st.sampled_from([None, "https://example.org/a_b?c=d&e=f"]),
    "full_text_url": st.sampled_from([None, "https://example.org/a.pdf"]),
    "isbn": st.sampled_from([None, "9783161484100"]),
    "issn": st.sampled_from([None, "1234-5679"]),
    "pmid": st.sampled_from([None, "123"]),
    "pmcid": st.sampled_from([None, "PMC7712345"]),
    "arxiv_id": st.sampled_from([None, "2101.00001", "hep-th/9901001"]),
    "openalex_id": st.sampled_from([None, "W1"]),
    "s2_id": st.sampled_from([None, "abc"]),
    "id": st.sampled_from(["openalex:W1", "=1"]),
    "source": st.sampled_from(["openalex", "crossref"]),
    "bibtex": st.sampled_from([None, "@misc{a}"]),
    "merged_from": st.lists(st.sampled_from("ab")),
    "field_sources": st.dictionaries(st.sampled_from("ab"), TEXT),
    "versions": st.just([Version(ids=["a"], year=2020)]),
    "sightings": st.just([Sighting(source="openalex", rank=1)]),
}
ONLY_OURS = {
    "id", "source", "citation_count", "openalex_id", "s2_id", "is_retracted", "bibtex",
    "merged_from", "field_sources", "versions", "sightings",
}  # fmt: skip
"""What no reference manager has a field for; a retraction is a keyword there."""
OF_TABLES = {"bibtex", "merged_from", "field_sources", "versions", "sightings"}
"""What one row of cells cannot hold."""
LOST = {
    "ris": ONLY_OURS,
    **{name: {*ONLY_OURS, "full_text_url"} for name in ("bibtex", "biblatex", "csl-json")},
    **dict.fromkeys(("xlsx", "csv"), OF_TABLES),
    "json": set(),
}
"""Fields that do not come back from a file of each format that is meant to be read again."""
READ_AGAIN = list(LOST)


def test_a_new_field_is_in_the_table_of_fields_and_in_this_test():
    fields = {field.name for field in FIELDS}
    of_screening = ScreeningDecision.model_fields.keys()
    assert fields | NOT_IN_TABLES == (
        RawPaper.model_fields.keys() | Paper.model_fields.keys() | of_screening
    )
    assert set(COLUMNS) == fields - NOT_IN_TABLES
    assert VALUES.keys() == RawPaper.model_fields.keys() & Paper.model_fields.keys()


@pytest.mark.parametrize("format_name", READ_AGAIN)
@given(values=st.fixed_dictionaries(VALUES))
@examples(60)
def test_every_field_comes_back_that_a_format_does_not_lose(format_name, values):
    lost = LOST[format_name]
    paper = Paper(**values)
    content = get_exporter(format_name)(collection_of(paper))
    data = content.encode() if isinstance(content, str) else content
    (entry,) = parse_file(f"a{suffix_of_format(format_name)}", data=data)
    if "full_text_url" in lost:  # there is one address, the better one
        paper.url = paper.url or paper.full_text_url
    kept = VALUES.keys() - lost - {"authors", "citation_count"}
    assert {name: getattr(entry.record, name) for name in kept} == {
        name: getattr(paper, name) for name in kept
    }
    if "citation_count" not in lost:
        assert entry.record.known_citation_count == paper.known_citation_count
    assert [parts_of(author) for author in entry.record.authors] == [
        parts_of(author) for author in paper.authors
    ]


@pytest.mark.parametrize("format_name", READ_AGAIN)
def test_a_retracted_paper_comes_back_as_one(format_name, tmp_path):
    record = again(format_name, tmp_path, is_retracted=True, keywords=["graphs"])
    assert (record.is_retracted, record.keywords) == (True, ["graphs"])


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
def test_what_screening_said_has_its_place_in_every_format(format_name, lines):
    said = ScreeningDecision(
        decision="exclude", decided_by="ada", decided_at="2026-11-22T10:00:00Z", reason="no trial"
    )
    paper = Paper(id="p", source="s", title="T", authors=[], note="See _fig_ 2", screening=said)
    text = get_exporter(format_name)(collection_of(paper))
    for line in lines:
        assert line in text
