"""Identifiers are found in what people and sources write, and are stable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.bibliography.identifiers import (
    family_name,
    host_of,
    names_of,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmcid,
    parse_pmid,
    stable_id,
)
from paper_search.models import Author, RawPaper


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.1000/ABC.1", "10.1000/abc.1"),
        ("https://doi.org/10.1000/ABC.1).", "10.1000/abc.1"),
        ("http://dx.doi.org/10.1000%2Fabc", "10.1000/abc"),
        ("doi: 10.1016/S0140-6736(05)1, and", "10.1016/s0140-6736(05)1"),
        ("(10.1000/abc)", "10.1000/abc"),
        (
            "10.1002/(SICI)1097-4571(199806)49:8&lt;693::AID-ASI4&gt;3.0.CO;2-O",
            "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o",
        ),
        (r"10.1007/978-3-319-1\_2", "10.1007/978-3-319-1_2"),
        ("10.1000/", None),
        ("no identifier", None),
        ("", None),
        (None, None),
        ("10.1/AB", "10.1/ab"),
        ("10.5/3 mm", None),
        ("https://journals.example/doi/10.1098/ab.2016.19.full", "10.1098/ab.2016.19"),
        ("https://journals.example/10.1098/ab.2016.19.full.pdf?x=1", "10.1098/ab.2016.19"),
        (
            "10.1130/0091-7613(1994)022<0123:A&B=C>2.3.CO;2",
            "10.1130/0091-7613(1994)022<0123:a&b=c>2.3.co;2",
        ),
        ("10.3389/fabc.2019.01/full/", "10.3389/fabc.2019.01"),
        ("https://example.org/file?id=10.1371/journal.x.1&type=printable", "10.1371/journal.x.1"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.02.345v2.full", "10.1101/2020.01.02.345"),
        ("10.7287/example.preprints.27v1", "10.7287/example.preprints.27v1"),
        ("10.1000/handbook-in-full", "10.1000/handbook-in-full"),
    ],
)
def test_a_doi_is_found_and_normalised(text, expected):
    """API-30"""
    assert parse_doi(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2101.00001v2", "2101.00001"),
        ("arXiv:2101.00001v1 [cs.LG]", "2101.00001"),
        ("https://arxiv.org/pdf/2101.00001v3.pdf", "2101.00001"),
        ("https://arxiv.org/abs/hep-th/9901001v1", "hep-th/9901001"),
        ("math.GT/0309136", "math/0309136"),
        ("10.48550/arXiv.2101.00001", "2101.00001"),
        ("2113.00001", None),
        ("1234.5678.9", None),
        ("abs/9901001", None),
        ("see 2101.00001 for more", None),
        (None, None),
    ],
)
def test_an_arxiv_id_is_found_without_its_version(text, expected):
    assert parse_arxiv_id(text) == expected


def test_pubmed_ids_are_read_in_their_usual_forms():
    forms = ["PMID: 123", 123, "https://pubmed.ncbi.nlm.nih.gov/123/", "0123", "123.0"]
    assert {parse_pmid(form) for form in forms} == {"123"}
    assert parse_pmid("0") is parse_pmid("x1") is parse_pmid(None) is None
    addresses = ["PMC123", "pmcid: PMC123", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/"]
    assert {parse_pmcid(form) for form in addresses} == {"PMC123"}


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://A.example:8080/x", "a.example"),
        ("http://[::1]/x", "::1"),
        *((url, None) for url in ("http://[x/", "http://a:b/", "http://a:99999/", "http://a:0/")),
        *((url, None) for url in ("https://\u2100.example/", "a.example", "")),
    ],
)
def test_the_host_of_an_invalid_url_is_none(url, host):
    assert host_of(url) == host


def test_an_isbn_or_issn_needs_its_check_digit():
    assert parse_issn("0000-0001, 2434561x") == "2434-561X"
    assert parse_issn(None) is None
    assert parse_isbn("ISBN 0-306-40615-2 (pbk)") == "9780306406157"
    assert parse_isbn("080442957X") == "9780804429573"
    assert parse_isbn("978-0-306-40615-8") is None


def paper(**fields: object) -> RawPaper:
    return RawPaper.model_validate({"title": "A Title", "source": "x", **fields})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"doi": "https://doi.org/10.1000/X", "pmid": "1"}, "doi:10.1000/x"),
        ({"doi": "10.48550/arXiv.2101.00001"}, "arxiv:2101.00001"),
        ({"arxiv_id": "2101.00001v3"}, "arxiv:2101.00001"),
        ({"pmid": "PMID: 7"}, "pmid:7"),
        ({"pmcid": "PMC123"}, "pmcid:PMC123"),
        ({"openalex_id": "https://openalex.org/w12"}, "openalex:W12"),
        ({"s2_id": "ABC"}, "s2:abc"),
    ],
)
def test_the_stable_id_is_the_first_identifier(fields, expected):
    assert stable_id(paper(**fields)) == expected


def test_without_identifier_the_same_work_has_the_same_id_however_it_is_written():
    one = paper(title="Naïve Bayes", year=2001, authors=[Author(name="Smith, John A.")])
    other = paper(title="naive bayes.", year=2001, authors=[Author(name="J. A. Smith")])
    assert stable_id(one) == stable_id(other)
    assert stable_id(one) != stable_id(one.model_copy(update={"year": 2002}))
    assert stable_id(paper(title="???")) != stable_id(paper(title="!!!"))


def test_family_names_are_read_in_both_orders():
    assert family_name("van der Berg, J.") == "van der Berg"
    assert family_name("Jan Berg") == "Berg"
    assert family_name("") == ""


def check_parsers(text: str) -> None:
    for parse in (parse_doi, parse_arxiv_id, parse_pmid, parse_pmcid, parse_isbn):
        found = parse(text)
        assert found is None or parse(found) == found


@given(st.text())
def test_no_text_upsets_the_parsers(text):
    check_parsers(text)


@pytest.mark.parametrize("text", ["10.1234/" + "(" * 500_000, "1 " * 250_000, "9" * 500_000])
@pytest.mark.timeout(30)  # a tenth of a second as it is, a minute at least were it quadratic
def test_hostile_text_without_end_upsets_no_parser(text):
    """SEC-17"""
    check_parsers(text)


def test_a_record_is_known_by_all_of_its_identifiers():
    record = paper(
        doi="https://doi.org/10.1000/A", arxiv_id="2001.00001v2", pmid="PMID: 7", pmcid="PMC1234",
        openalex_id="https://openalex.org/W5", s2_id="ABC",
    )  # fmt: skip
    assert names_of(record) == {
        *("doi:10.1000/a", "arxiv:2001.00001", "pmid:7", "pmcid:pmc1234", "openalex:w5", "s2:abc")
    }
    assert "arxiv:2001.00001" in names_of(paper(doi="10.48550/arXiv.2001.00001"))
    assert names_of(paper(doi="none")) == set()
