"""Records of OpenAlex, arXiv and Semantic Scholar arrive whole."""

import json
from typing import Any

from paper_search.library.importers import json_records
from paper_search.models import RawPaper


def read(record: dict[str, Any]) -> RawPaper:
    (entry,) = json_records.parse_lines([json.dumps(record)])
    return entry.record


def test_an_openalex_work_arrives():
    record = read({
        "id": "https://openalex.org/W123",
        "doi": "https://doi.org/10.1000/x",
        "title": "A title",
        "publication_year": 2020,
        "ids": {"openalex": "https://openalex.org/W123", "pmid": "https://pubmed.ncbi.nlm.nih.gov/5"},
        "authorships": [{"author": {"id": "https://openalex.org/A1", "display_name": "Jane Doe"}}],
        "primary_location": {"source": {"display_name": "Journal"}, "landing_page_url": None},
        "biblio": {"volume": "1", "issue": "2", "first_page": "3", "last_page": "4"},
        "abstract_inverted_index": {"one": [0, 2], "two": [1]},
        "open_access": {"oa_url": "https://example.org/a.pdf"},
        "cited_by_count": 7,
        "language": "en",
        "keywords": [{"id": "https://openalex.org/keywords/graph", "display_name": "Graph"}],
        "topics": [{"display_name": "Graph Theory", "field": {"display_name": "Mathematics"}}],
    })  # fmt: skip
    assert (record.title, record.year, record.doi) == ("A title", 2020, "10.1000/x")
    assert (record.abstract, record.venue, record.pages) == ("one two one", "Journal", "3-4")
    assert (record.openalex_id, record.pmid) == ("W123", "5")
    assert [author.name for author in record.authors] == ["Jane Doe"]
    assert (record.citation_count, record.full_text_url) == (7, "https://example.org/a.pdf")
    assert record.keywords == ["Graph", "Graph Theory"]


def test_an_arxiv_line_arrives():
    record = read({
        "id": "0704.0001", "submitter": "X", "authors": "C. Bal\\'azs, E. L. Berger",
        "title": "Calculation of\n  diphoton production", "journal-ref": "Phys.Rev.D76:013009,2007",
        "doi": "10.1103/PhysRevD.76.013009", "categories": "hep-ph", "abstract": " A fully\ndone.",
        "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
        "update_date": "2008-11-26",
        "authors_parsed": [["Balázs", "C.", ""], ["Berger", "E. L.", ""]],
    })  # fmt: skip
    assert record.title == "Calculation of diphoton production"
    assert [author.name for author in record.authors] == ["Balázs, C.", "Berger, E. L."]
    assert record.keywords == ["High Energy Physics - Phenomenology"]
    assert (record.arxiv_id, record.year, record.venue) == (
        "0704.0001", 2007, "Phys.Rev.D76:013009,2007",
    )  # fmt: skip
    assert record.url == "https://arxiv.org/abs/0704.0001"
    assert record.abstract == "A fully done."


def test_a_semantic_scholar_paper_arrives():
    record = read({
        "paperId": "abc", "title": "T", "year": 2019, "venue": "", "journal": {"name": "J"},
        "externalIds": {"DOI": "10.1000/S", "ArXiv": "1901.00001"},
        "authors": [{"authorId": "1", "name": "Jane Doe"}],
        "openAccessPdf": {"url": "https://example.org/p.pdf"},
    })  # fmt: skip
    assert (record.s2_id, record.doi, record.arxiv_id) == ("abc", "10.1000/s", "1901.00001")
    assert (record.venue, record.full_text_url) == ("J", "https://example.org/p.pdf")


def test_odd_values_cost_their_field_only():
    record = read({
        "title": "T", "primary_location": 3, "abstract_inverted_index": [1], "ids": None,
        "biblio": "x", "authorships": [None, 4],
    })  # fmt: skip
    assert (record.title, record.abstract, record.venue) == ("T", None, None)
