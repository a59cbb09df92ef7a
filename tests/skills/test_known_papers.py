"""Known papers: how a person may name them, and when one counts as found."""

import pytest

from paper_search.models import RawPaper, Version
from paper_search.skills import Searcher, known_papers
from paper_search.testing.sources import FakeSource

TITLE = "Attention is all you need"


def record(**fields: object) -> RawPaper:
    return RawPaper.model_validate({"id": "1", "title": "Another title", "source": "s", **fields})


@pytest.mark.parametrize(
    ("given", "fields", "is_it"),
    [
        ("10.1000/ABC", {"doi": "https://doi.org/10.1000/abc"}, True),
        ("https://doi.org/10.1000/abc", {"doi": "10.1000/ABC"}, True),
        ("doi:10.1000/abc", {"versions": [Version(ids=["2"], doi="10.1000/abc")]}, True),
        ("arXiv:1706.03762", {"arxiv_id": "1706.03762"}, True),
        ("https://arxiv.org/abs/1706.03762v5", {"arxiv_id": "1706.03762"}, True),
        ("1706.03762", {"doi": "10.48550/arXiv.1706.03762"}, True),
        ("10.48550/arXiv.1706.03762", {"arxiv_id": "1706.03762"}, True),
        ("pmid:12345", {"pmid": "12345"}, True),
        (TITLE, {"title": "Attention Is All You Need."}, True),
        ("Attention is al you need", {"title": TITLE}, True),
        (f"{TITLE} 10.1000/of-the-journal", {"title": TITLE, "doi": "10.1000/of-a-preprint"}, True),
        ("10.1000/abc", {"doi": "10.1000/abcd"}, False),
        ("10.1000/abc", {"title": "10.1000/abc"}, False),
        ("1706.03762", {"arxiv_id": "1706.03763"}, False),
        ("pmid:12345", {"pmid": "123456"}, False),
        ("Editorial", {"title": "Editorials"}, False),
        (TITLE, {"title": "Attention is not all you need"}, False),
        ("", {}, False),
    ],
)
def test_a_paper_is_recognised_and_no_other_is_taken_for_it(given, fields, *, is_it):
    assert known_papers.parse_known_paper(given).is_described_by(record(**fields)) is is_it


def test_the_report_says_what_is_in_the_result_what_was_left_out_and_what_is_missing():
    found = [record(doi=f"10.1000/{number}") for number in range(4)]
    report = known_papers.check_known_papers(
        ["10.1000/0", "10.1000/1", "10.1000/9", "10.1000/8", "10.1000/9"],
        found,
        [True, False, True, True],
        before=["10.1000/8"],
    )
    assert report.in_result == ["10.1000/0"]
    assert report.not_in_result == ["10.1000/1", "10.1000/8"]
    assert report.missing == ["10.1000/9"]
    assert report.summary == (
        "3 of 4 known papers found; missing: 10.1000/9;"
        " found, but not in the result: 10.1000/1, 10.1000/8"
    )


async def test_a_paper_is_looked_for_in_the_library_before_the_services_are_asked():
    own = FakeSource("library", [record(title=TITLE, id="own")])
    service = FakeSource("crossref", [record(title="Other words"), record(title=TITLE, id="far")])
    found, rows = await known_papers.find_papers(Searcher([service, own]), TITLE, [])
    assert {(row.source, row.purpose, row.kept) for row in rows} == {("library", "look-up", 0)}
    assert ([paper.id for paper in found], service.strategies) == (["own"], [])
    found, rows = await known_papers.find_papers(
        Searcher([service, FakeSource("library", [])]), TITLE, []
    )
    assert {row.source for row in rows} == {"library", "crossref"}
    assert [paper.id for paper in found] == ["far"]
    found, _ = await known_papers.find_papers(Searcher([own]), "A title that no paper has", [])
    assert found == []


async def test_papers_that_the_library_lacks_are_looked_for_at_the_services():
    own = FakeSource("library", [record(id="own", doi="10.1000/1")])
    service = FakeSource("crossref", [record(id="far", doi="10.1000/2")])
    names = ["doi:10.1000/1", "doi:10.1000/2", "doi:10.1000/3"]
    found, _ = await known_papers.find_papers(Searcher([service, own]), "", names)
    assert [paper.id for paper in found] == ["own", "far"]
    assert [strategy.works for strategy in service.strategies] == [names[1:]]


async def test_a_name_is_looked_for_in_a_library_and_unknown_elsewhere():
    own, empty = FakeSource("library", [record()]), FakeSource("sample", [])
    far = FakeSource("far", [record()])
    assert await known_papers.has_name(Searcher([own, far]), "author", "Ada Lovelace") is True
    assert await known_papers.has_name(Searcher([empty]), "author", "Ada Lovelace") is False
    assert await known_papers.has_name(Searcher([empty, far]), "venue", "Nature") is None
    assert await known_papers.has_name(Searcher([far]), "venue", "Nature") is None
