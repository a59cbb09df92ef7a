"""What a person says of a result, and what follows from it."""

import pytest

from paper_search.models import Seed
from paper_search.models.feedback import seed_of_identifier


@pytest.mark.parametrize(
    ("identifier", "seed"),
    [
        ("doi:10.1000/x:y", Seed(doi="10.1000/x:y")),
        ("arxiv:2001.00001", Seed(arxiv_id="2001.00001")),
        ("pmid:7", Seed(pmid="7")),
        ("isbn:7", None),
        ("doi:", None),
        ("7", None),
    ],
)
def test_papers_are_found_from_one_by_its_doi_arxiv_id_or_pmid(identifier, seed):
    assert seed_of_identifier(identifier) == seed
