"""What is in recorded works, written down from reading the bodies, is what their readers give."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.recorded import FETCH
from tests.sources.adapters import ADAPTERS

from paper_search.http.body import HttpAnswer
from paper_search.models import PUBLICATION_TYPES, RawPaper
from paper_search.sources import core_works
from paper_search.sources.crossref import read_item
from paper_search.sources.datacite import record_of_doi
from paper_search.sources.doaj import article_of
from paper_search.sources.europe_pmc import read_result
from paper_search.sources.openalex_record import read_work
from paper_search.sources.semantic_scholar import read_paper

READERS: dict[str, Callable[..., RawPaper | None]] = {
    "openalex": read_work,
    "crossref": read_item,
    "semantic_scholar": read_paper,
    "doaj": article_of,
    "datacite": record_of_doi,
    "core": core_works.read_work,
    "europe_pmc": read_result,
}
"""Of services of which single works were recorded; the others answer with pages alone."""


def read_record(folder: Path, service: str, name: str, place: int) -> Any:
    """Return the record that a service has at a place of a body, whether that is a list or one."""
    path = folder / service / f"{name}{'.xml' if service in {'arxiv', 'pubmed'} else '.json'}"
    if service not in READERS or "europepmc" in name:
        answer = HttpAnswer(200, "", path.read_bytes(), 1)
        return ADAPTERS[service].read(answer, FETCH).papers[place]
    body = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(body, dict):
        body = body.get("message", body)
        body = next((body[name] for name in ("results", "items", "data") if name in body), body)
    return READERS[service](body[place] if isinstance(body, list) else body)


PAPER_QA = "paper-qa__test_doi_search_paper_attributes4___0"
FLUTTER, SHADOW = "v3_search_works_flutter", "findpapers__arxiv-api-search"


@pytest.mark.parametrize(
    ("service", "body", "place", "fields"),
    [
        ("openalex", f"{PAPER_QA}2", 0, {
            "id": "openalex:W2109415576", "openalex_id": "W2109415576", "pmid": "25349395",
            "pmcid": "PMC4234579", "venue": "Proceedings of the National Academy of Sciences",
            "issn": "0027-8424", "volume": "111", "issue": "45", "citation_count": 138,
            "language": "en", "is_retracted": False, "publication_type": "article-journal",
            "source": "openalex", "full_text_url": "https://doi.org/10.1073/pnas.1414271111",
            "first author": ["Eleftherios Makris"], "abstract": "Significance The inadequate mech…",
        }),
        ("crossref", f"{PAPER_QA}3", 0, {
            "id": "crossref:10.1073/pnas.1414271111", "year": 2014, "volume": "111",
            "issue": "45", "issn": "0027-8424", "language": "en", "citation_count": 129,
            "abstract": "Significance: The inadequate mech…",
            "url": "https://doi.org/10.1073/pnas.1414271111",
            "full_text_url": None,  # there is a link, but no open licence
            "is_retracted": None,  # corrected, not retracted
        }),
        ("semantic_scholar", "paper-qa__test_bulk_doi_search__00", 0, {
            "id": "s2:354dcdebf3f8b5feeed5c62090e0bc1f0c28db06", "arxiv_id": "2304.05376",
            "pmid": "38799228", "pmcid": "PMC11116106", "venue": "Nat. Mac. Intell.",
            "volume": "6", "pages": "525-535", "citation_count": 500,
            "full_text_url": "https://www.nature.com/articles/s42256-024-00832-8.pdf",
            "publication_type": "article-journal",
        }),
        ("semantic_scholar", "paper-qa__test_bulk_doi_search__04", 0, {
            "venue": "arXiv.org", "publication_type": "article",  # JournalArticle to it
        }),
        ("doaj", "jaod__jaod_article_many_inputs__00", 0, {
            "id": "doaj:73f781ad57094b98a0b46d8903fdc2c2", "year": 2015,
            "doi": "10.1590/0100-67622015000200001", "language": None,  # of three of the journal
            "title": "SISTEMA DE INFORMAÇÃO GEOGRÁFICA APLICADO AO LEVANTAMENTO DE…",
        }),
        ("datacite", "DSpace__dataCite-test", 0, {
            "id": "datacite:10.48550/arxiv.2207.04779", "year": 2022, "authors": 10,
            "title": "Mathematical Proof Between Generations", "first author": ["Jonas Bayer"],
            "arxiv_id": "2207.04779", "publication_type": "article", "venue": "arXiv",
            "url": "https://arxiv.org/abs/2207.04779",
        }),
        ("datacite", "DSpace__dataCite-test1", 0, {"doi": "10.5446/57552"}),
        ("arxiv", "arxiv.py__id_quant-ph_0201082v1_s0_m100_86989fe779ef", 0, {
            "arxiv_id": "quant-ph/0201082", "abstract": "We show a representation of Quantum…",
            "full_text_url": "https://arxiv.org/pdf/quant-ph/0201082v1",
        }),
        ("arxiv", SHADOW, 0, {
            "title": "A Multitask Deep Learning Approach for User Depression Detection on Sina…",
            "year": 2020, "authors": 5,
        }),
        ("arxiv", SHADOW, 19, {
            "doi": "10.1016/j.isprsjprs.2020.07.002", "year": 2020, "authors": 7,
            "venue": "ISPRS Journal of Photogrammetry and Remote Sensing",
        }),
        ("pubmed", "fatcat_sample__collective", 0, {
            "pmid": "11237011", "first author": ["E S Lander"], "authors": 257,
            "keywords": "['Animals', 'Chromosome Mapping', …",
        }),
        ("pubmed", "fatcat_sample__retracted", 0, {"is_retracted": True, "language": "pl"}),
        ("pubmed", "biopython__pubmed7", 0, {
            "pmcid": "PMC6022861", "is_retracted": False, "keywords": "['asthma', …",
            "full_text_url": "https://pmc.ncbi.nlm.nih.gov/articles/PMC6022861/",
        }),
        ("pubmed", "biopython__pubmed5", 0, {"abstract": "Objectives: Animal studies suggest…"}),
        ("pubmed", "jabref__MedlineImporterTestPubmedBook", 0, {
            "title": "Rheumatoid Arthritis: National Clinical Guideline for Management and…",
            "year": 2009, "isbn": "9781860163593", "publication_type": "book", "authors": 2,
            "first author": ["National Collaborating Centre for Chronic Conditions (UK)"],
        }),
        ("europe_pmc", "json_lite_one_result", 0, {
            "id": "europe_pmc:MED/23372985", "year": 2012, "doi": "10.4103/2153-3539.104906",
            "title": "Custom software development for use in a clinical laboratory",
            "authors": 2, "first author": ["Sinard JH"], "venue": "J Pathol Inform",
            "full_text_url": "https://europepmc.org/articles/PMC3551490?pdf=render",
            "citation_count": 2,
        }),
        ("europe_pmc", "libgen-mcp__europepmc_indexed_not_oa", 0, {
            "pmid": "31000000", "doi": "10.9999/indexed.but.not.oa", "full_text_url": None,
        }),
        ("europe_pmc", "libgen-mcp__europepmc_no_oa", 0, {
            "pmid": "21376230", "doi": "10.1016/j.cell.2011.02.013", "full_text_url": None,
        }),
        ("europe_pmc", "libgen-mcp__europepmc_oa", 0, {
            "pmid": "27541692", "doi": "10.1371/journal.pbio.1002533",
            "full_text_url": "https://europepmc.org/articles/PMC4991899?pdf=render",
        }),
        ("dblp", "libgen-mcp__dblp_search", 0, {
            "first author": ["Xiaopeng Zhang"], "venue": "DAC", "pages": "169-174",
            "publication_type": "paper-conference",
        }),
        ("dblp", "libgen-mcp__dblp_search", 1, {
            "arxiv_id": "2407.15516", "publication_type": "article",
        }),
        ("dblp", "libgen-mcp__dblp_search", 2, {
            "volume": "13", "venue": "IEEE Access", "publication_type": "article-journal",
        }),
        ("core", FLUTTER, 0, {
            "id": "core:722934", "doi": "10.1016/j.jmps.2006.05.005", "arxiv_id": "1010.1833",
            "title": "A dynamical interpretation of flutter instability in a continuous medium",
            "publisher": "Elsevier BV", "language": "en",
            "full_text_url": "https://arxiv.org/pdf/1010.1833",
        }),
        ("core", FLUTTER, 1, {
            "title": "Supersonic flutter analysis of flat composite panels by unified…",
            "year": 2013, "authors": 4,
        }),
        ("core", "v3_work_with_fulltext", 0, {
            "year": 2024, "doi": "10.59324/ejtas.2024.2(2).44", "publisher": "AMO Publisher",
        }),
    ],
)  # fmt: skip
def test_what_a_service_says_of_a_work_is_read(recorded, service, body, place, fields):
    paper = read_record(recorded, service, body, place)
    for name, expected in fields.items():
        found = said(paper, name)
        is_more = str(expected).endswith("…")
        assert found.startswith(expected[:-1]) if is_more else found == expected, name


def said(paper: RawPaper, name: str) -> Any:
    people = [author.name for author in paper.authors]
    facts = {"first author": people[:1], "authors": len(people), "keywords": str(paper.keywords)}
    return facts.get(name, getattr(paper, name, None))


def test_names_of_a_work_come_as_they_are_given_and_once(recorded):
    group = read_record(recorded, "pubmed", "fatcat_sample__collective", 0).authors[-1]
    assert group.name == "International Human Genome Sequencing Consortium"
    by_crossref = read_record(recorded, "crossref", f"{PAPER_QA}3", 0).authors
    assert [author.name for author in by_crossref[2:4]] == ["Nikolaos K. Paschos", "Jerry C. Hu"]
    assert by_crossref[2].author_id == "0000-0002-1689-6636"
    of_core = read_record(recorded, "core", FLUTTER, 0)
    assert [author.name for author in of_core.authors].count("Davide Bigoni") == 1
    assert "Bigoni" not in {author.name for author in of_core.authors}
    assert not of_core.abstract.endswith("figure")
    assert " Conclusions: " in read_record(recorded, "pubmed", "biopython__pubmed5", 0).abstract


def test_an_abstract_of_core_loses_the_comment_of_arxiv_alone():
    entry = {"id": 1, "title": "Bees", "abstract": "Results: few. Comment: We saw two."}
    works = map(core_works.read_work, (entry, {**entry, "arxivId": "2101.00001"}))
    own, of_arxiv = (work.abstract for work in works if work)
    assert own == "Results: few. Comment: We saw two."
    assert of_arxiv == "Results: few."


def test_a_patent_has_a_type_that_a_search_can_ask_for():
    record = read_result({"source": "PAT", "id": "EP1", "title": "A machine"})
    assert record is not None
    assert record.publication_type in PUBLICATION_TYPES
