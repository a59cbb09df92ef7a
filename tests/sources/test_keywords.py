"""What services say of a work's subject arrives as its keywords."""

from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from paper_search.models import RawPaper
from paper_search.query import judge, parse
from paper_search.sources.arxiv import read_entry
from paper_search.sources.crossref import read_item
from paper_search.sources.datacite import record_of_doi
from paper_search.sources.doaj import article_of
from paper_search.sources.europe_pmc import read_result
from paper_search.sources.openalex_record import read_work
from paper_search.sources.query_run import searchable


def of_openalex(keywords: Any) -> RawPaper | None:
    return read_work({"title": "T", "keywords": keywords, "topics": [{"display_name": "Topic"}]})


def of_europe_pmc(keywords: Any) -> RawPaper | None:
    headings = {"meshHeading": [{"descriptorName": "Topic"}]}
    return read_result(
        {"title": "T", "meshHeadingList": headings, "keywordList": {"keyword": keywords}}
    )


def of_doaj(keywords: Any) -> RawPaper | None:
    bib = {"title": "T", "keywords": keywords, "subject": [{"code": "QA", "term": "Topic"}]}
    return article_of({"bibjson": bib})


def of_crossref(keywords: Any) -> RawPaper | None:
    return read_item({"title": ["T"], "subject": keywords})


def of_datacite(keywords: Any) -> RawPaper | None:
    subjects = [{"subject": keyword} for keyword in keywords or []] if keywords != 7 else 7
    return record_of_doi({"attributes": {"titles": [{"title": "T"}], "subjects": subjects}})


@pytest.mark.parametrize(
    ("read", "given", "expected"),
    [
        (of_openalex, [{"display_name": "Graphs", "score": 0.9}], ["Graphs", "Topic"]),
        (of_europe_pmc, ["graphs", "TOPIC"], ["Topic", "graphs"]),
        (of_doaj, ["graphs", "trees"], ["graphs", "trees", "Topic"]),
        (of_crossref, ["General Physics", "graphs"], ["General Physics", "graphs"]),
        (of_datacite, ["graphs"], ["graphs"]),
        (of_openalex, 7, ["Topic"]),
        (of_europe_pmc, None, ["Topic"]),
        (of_doaj, "graphs", ["graphs", "Topic"]),
        (of_crossref, None, []),
        (of_datacite, 7, []),
    ],
)
def test_keywords_arrive_and_odd_values_cost_nothing_else(read, given, expected):
    paper = read(given)
    assert paper.keywords == expected


def test_the_categories_of_arxiv_arrive_in_words():
    entry: Element = fromstring(  # noqa: S314  # our own text
        '<entry xmlns="http://www.w3.org/2005/Atom"><title>T</title>'
        '<category term="cs.LG"/><category term="68T05"/><category term="q-bio.BM"/></entry>'
    )
    paper = read_entry(entry)
    assert paper.keywords == ["Machine Learning", "Biomolecules"]


def test_a_record_is_not_left_out_for_a_word_that_is_among_its_keywords():
    paper = RawPaper(title="T", abstract="nothing", source="s", keywords=["graph theory"])
    assert judge(parse("graph"), searchable(paper))
    assert judge(parse("tree"), searchable(paper)) is False
