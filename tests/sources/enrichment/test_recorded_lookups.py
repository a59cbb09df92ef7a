"""Recorded answers of Unpaywall, Europe PMC, CORE and of batches of Semantic Scholar are read."""

import json

import pytest

from paper_search.errors import PaperSearchError
from paper_search.http.body import HttpAnswer
from paper_search.models import RawPaper
from paper_search.sources.adapter import Request
from paper_search.sources.enrichment import Lookup
from paper_search.sources.enrichment.services import (
    CoreLookup,
    EuropePmcLookup,
    SemanticScholarLookup,
    UnpaywallLookup,
)
from paper_search.sources.errors import ServiceError
from paper_search.sources.record import OTHER_TEXTS


def records(lookup: Lookup, answer: HttpAnswer) -> list[RawPaper]:
    return lookup.read(answer, Request(lookup.endpoint)).papers


UNPAYWALL = [
    ("libgen-mcp__unpaywall_notoa", "10.1126/science.1157784", 2009, None),
    (
        "libgen-mcp__unpaywall_oa",
        "10.1371/journal.pone.0000217",
        2007,
        "https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0000217&type=printable",
    ),
    (
        "unpywall__cache_2",
        "10.1038/nature12373",
        2013,
        "https://dash.harvard.edu/bitstream/1/12285462/1/Nanometer-Scale%20Thermometry.pdf",
    ),
    (
        "unpywall__cache_3",
        "10.1103/physreve.88.012814",
        2013,
        "https://link.aps.org/accepted/10.1103/PhysRevE.88.012814",
    ),
]


@pytest.mark.parametrize(("file", "doi", "year", "pdf"), UNPAYWALL)
def test_what_unpaywall_says(recorded, file, doi, year, pdf):
    body = (recorded / "unpaywall" / f"{file}.json").read_bytes()
    answer = HttpAnswer(200, "application/json", body, 1)
    [paper] = records(UnpaywallLookup("a@example.org"), answer)
    assert (paper.doi, paper.year, paper.full_text_url) == (doi, year, pdf)
    assert paper.title


@pytest.mark.recorded("unpaywall")
def test_every_answer_of_unpaywall_is_read_or_refused(recorded_of):
    lookup = UnpaywallLookup("a@example.org")
    for answer in recorded_of:
        if "doi" in json.loads(answer.content):
            assert len(records(lookup, answer.answer)) == 1, answer
        else:  # of the search that Unpaywall no longer has
            with pytest.raises(ServiceError, match="no DOI"):
                records(lookup, answer.answer)


@pytest.mark.recorded("semantic_scholar")
def test_every_batch_of_semantic_scholar_is_read_or_refused(recorded_of):
    """An unknown paper is null in its batch; only a batch is a list."""
    for report in recorded_of:
        if report.status >= 300:
            continue
        if isinstance(json.loads(report.content), list):
            papers = records(SemanticScholarLookup(), report.answer)
            assert all(paper.title for paper in papers), report
        else:
            with pytest.raises(PaperSearchError):
                records(SemanticScholarLookup(), report.answer)


@pytest.mark.parametrize(
    ("file", "urls"),
    [
        ("europe_pmc/libgen-mcp__europepmc_oa", ["https://europepmc.org/articles/PMC4991899?pdf=render"]),
        ("europe_pmc/libgen-mcp__europepmc_indexed_not_oa", [None]),
        ("europe_pmc/libgen-mcp__europepmc_miss", []),
        ("core/libgen-mcp__core_miss", []),
    ],
)  # fmt: skip
def test_a_pmcid_alone_is_no_open_text(recorded, file, urls):
    body = (recorded / f"{file}.json").read_bytes()
    lookup = CoreLookup() if file.startswith("core") else EuropePmcLookup()
    papers = records(lookup, HttpAnswer(200, "application/json", body, 1))
    assert [paper.full_text_url for paper in papers] == urls


def test_unpaywall_names_the_copies_beside_the_best_one(recorded):
    body = (recorded / "unpaywall" / "unpywall__cache_3.json").read_bytes()
    answer = HttpAnswer(200, "application/json", body, 1)
    [paper] = records(UnpaywallLookup("a@example.org"), answer)
    assert paper.raw_data[OTHER_TEXTS] == ["http://arxiv.org/pdf/1304.0473"]
