"""What is in recorded works, written down from reading the bodies, is what their readers give."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.sources.adapters import ADAPTERS

from paper_search.http.body import HttpAnswer
from paper_search.models import RawPaper
from paper_search.sources.adapter import Request
from paper_search.sources.crossref import read_item
from paper_search.sources.datacite import record_of_doi
from paper_search.sources.doaj import article_of
from paper_search.sources.openalex_record import read_work
from paper_search.sources.semantic_scholar import read_paper


class Facts(NamedTuple):
    """What a person read in a record of a body: the number of authors is that of those named."""

    body: str
    title: str
    year: int | None
    doi: str | None
    authors: int
    place: int = 0
    id: str = ""
    """Where one was written down, without the name of the service."""


FACTS: dict[str, list[Facts]] = {
    service: [Facts(**row) for row in rows]
    for service, rows in json.loads(
        Path(__file__).with_name("recorded_facts.json").read_text(encoding="utf-8")
    ).items()
}


def entry(folder: Path, service: str, facts: Facts) -> Any:
    """Return the entry of a body, whether it holds a list of works or one."""
    body = json.loads((folder / service / f"{facts.body}.json").read_text(encoding="utf-8"))
    if isinstance(body, dict):
        body = body.get("message", body)
        body = next((body[name] for name in ("results", "items", "data") if name in body), body)
    return body[facts.place] if isinstance(body, list) else body


def check(facts: Facts, paper: RawPaper | None) -> None:
    found = (paper.title, paper.year, paper.doi, len(paper.authors))
    assert found == (facts.title, facts.year, facts.doi, facts.authors)


Read = Callable[[Any, str], RawPaper | None]


READERS: dict[str, Read] = {
    "openalex": read_work,
    "crossref": read_item,
    "semantic_scholar": read_paper,
}


SUFFIXES = {"arxiv": ".xml", "pubmed": ".xml", "dblp": ".json"}


@pytest.mark.parametrize(
    ("service", "facts"),
    [
        pytest.param(service, row, id=f"{service}-{row.body}-{row.place}")
        for service, rows in FACTS.items()
        for row in rows
    ],
)
def test_the_facts_are_read(recorded, service, facts):
    if service in READERS:
        check(facts, READERS[service](entry(recorded, service, facts), service))
        return
    content = (recorded / service / f"{facts.body}{SUFFIXES[service]}").read_bytes()
    adapter, request = ADAPTERS[service], Request("https://example.org/efetch.fcgi", {"id": "1"})
    paper = adapter.read(HttpAnswer(200, "", content, 1), request).papers[facts.place]
    check(facts, paper)
    assert paper.id == f"{service}:{facts.id}"


def test_all_that_openalex_says_of_a_work_is_read(recorded):
    facts = Facts("paper-qa__test_doi_search_paper_attributes4___02", "", None, None, 0)
    paper = read_work(entry(recorded, "openalex", facts), "openalex")
    assert paper.id == "openalex:W2109415576"
    assert (paper.openalex_id, paper.pmid, paper.pmcid) == ("W2109415576", "25349395", "PMC4234579")
    assert (paper.venue, paper.issn, paper.volume, paper.issue) == (
        "Proceedings of the National Academy of Sciences",
        "0027-8424",
        "111",
        "45",
    )
    assert (paper.citation_count, paper.language, paper.is_retracted) == (138, "en", False)
    assert (paper.publication_type, paper.source) == ("article-journal", "openalex")
    assert paper.full_text_url is not None
    assert paper.authors[0].name == "Eleftherios Makris"
    assert paper.abstract.startswith("Significance The inadequate mechanical properties")


def test_all_that_crossref_says_of_a_work_is_read(recorded):
    facts = Facts("paper-qa__test_doi_search_paper_attributes4___03", "", None, None, 0)
    paper = read_item(entry(recorded, "crossref", facts), "crossref")
    assert paper.id == "crossref:10.1073/pnas.1414271111"
    assert (paper.year, paper.volume, paper.issue, paper.issn) == (2014, "111", "45", "0027-8424")
    assert [author.name for author in paper.authors][2:4] == ["Nikolaos K. Paschos", "Jerry C. Hu"]
    assert paper.authors[2].author_id == "0000-0002-1689-6636"
    assert paper.abstract.startswith("Significance: The inadequate mechanical properties")
    assert (paper.language, paper.citation_count) == ("en", 129)
    assert paper.url == "https://doi.org/10.1073/pnas.1414271111"
    assert paper.full_text_url is None  # there is a link, but no open licence
    assert paper.is_retracted is None  # corrected, not retracted


def test_all_that_semantic_scholar_says_of_a_paper_is_read(recorded):
    facts = Facts("paper-qa__test_bulk_doi_search__00", "", None, None, 0)
    paper = read_paper(entry(recorded, "semantic_scholar", facts), "semantic_scholar")
    assert paper.id == "s2:354dcdebf3f8b5feeed5c62090e0bc1f0c28db06"
    assert (paper.arxiv_id, paper.pmid, paper.pmcid) == ("2304.05376", "38799228", "PMC11116106")
    assert (paper.venue, paper.volume, paper.pages) == ("Nat. Mac. Intell.", "6", "525-535")
    assert paper.full_text_url == "https://www.nature.com/articles/s42256-024-00832-8.pdf"
    assert (paper.citation_count, paper.publication_type) == (500, "article-journal")


def test_the_facts_of_doaj_are_read(recorded):
    body = json.loads((recorded / "doaj/jaod__jaod_article_many_inputs__00.json").read_text())
    paper = article_of(body, "doaj")
    assert paper.id == "doaj:73f781ad57094b98a0b46d8903fdc2c2"
    assert (paper.year, paper.doi) == (2015, "10.1590/0100-67622015000200001")
    assert paper.language is None  # of three that the journal has
    assert paper.title.startswith("SISTEMA DE INFORMAÇÃO GEOGRÁFICA APLICADO AO LEVANTAMENTO DE")
    assert paper.abstract is not None


def test_the_facts_of_datacite_are_read(recorded):
    body = json.loads((recorded / "datacite/DSpace__dataCite-test.json").read_text())
    paper = record_of_doi(body["data"][0], "datacite")
    assert paper.id == "datacite:10.48550/arxiv.2207.04779"
    assert (paper.title, paper.year) == ("Mathematical Proof Between Generations", 2022)
    assert (len(paper.authors), paper.authors[0].name) == (10, "Jonas Bayer")
    assert (paper.arxiv_id, paper.publication_type) == ("2207.04779", "article")
    assert (paper.venue, paper.url) == ("arXiv", "https://arxiv.org/abs/2207.04779")
    body = json.loads((recorded / "datacite/DSpace__dataCite-test1.json").read_text())
    film = record_of_doi(body["data"], "datacite")
    assert film.doi == "10.5446/57552"
