"""A reference as a reader meets it."""

from tests.report.sources import source

from paper_search.report.writer import reference


def test_authors_whose_names_have_commas_are_kept_apart():
    one = source("Rowan", "x")
    one.metadata["authors"] = ["Rowan, A", "Birch, B"]
    assert reference(one).startswith("Rowan, A; Birch, B (2020)")
