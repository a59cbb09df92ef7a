"""What a person says of a result, and what follows from it."""

import pytest

from paper_search.models import Seed
from paper_search.models.feedback import MAX_SEEDS, MarkedPaper, relevant_seeds, seed_of_identifier


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


def test_others_are_found_from_the_papers_last_marked_relevant():
    def marked(number: int, *, is_relevant: bool = True) -> MarkedPaper:
        seed = Seed(pmid=str(number)) if number else None
        return MarkedPaper(id="i", title="t", is_relevant=is_relevant, seed=seed)

    papers = [*map(marked, range(MAX_SEEDS + 3)), marked(99, is_relevant=False)]
    latest = range(MAX_SEEDS + 2, 2, -1)
    assert relevant_seeds(papers) == [Seed(pmid=str(number)) for number in latest]
    assert relevant_seeds([marked(0), marked(1)]) == [Seed(pmid="1")]
