import pytest

from paper_search.skills.intent.forms import without_cuts
from paper_search.skills.intent.reader import parse_identifiers


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("10.1000/ABC.1", "doi:10.1000/abc.1"),
        ("https://doi.org/10.1000/abc.1", "doi:10.1000/abc.1"),
        ("doi: 10.1000/abc.1.", "doi:10.1000/abc.1"),
        ("10.48550/arXiv.2101.00001", "arxiv:2101.00001"),
        ("arXiv:2101.00001v2", "arxiv:2101.00001"),
        ("2101.00001", "arxiv:2101.00001"),
        ("https://arxiv.org/abs/2101.00001", "arxiv:2101.00001"),
        ("arxiv hep-th/9901001", "arxiv:hep-th/9901001"),
        ("PMID: 012345", "pmid:12345"),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", "pmid:12345"),
        ("PMC1234567", "pmcid:pmc1234567"),
    ],
)
def test_identifiers_are_read_in_any_form(text, name):
    rest, names = parse_identifiers(text)
    assert names == [name]
    assert without_cuts(rest) == ""


def test_what_stands_around_identifiers_stays_and_they_are_in_order():
    rest, names = parse_identifiers("papers like 10.1000/1 and arXiv:2101.00001 on moss")
    assert names == ["doi:10.1000/1", "arxiv:2101.00001"]
    assert without_cuts(rest).split() == ["papers", "like", "and", "on", "moss"]


@pytest.mark.parametrize("text", ["12345678", "version 1.2", "2015", "3.1415 pi", "PM10 and PM2.5"])
def test_other_numbers_are_no_identifiers(text):
    assert parse_identifiers(text)[1] == []
