"""Types of publications, whatever a source calls them."""

import pytest

from paper_search.bibliography.publication_types import (
    csl_type,
    stated_type,
    type_name,
    type_word,
)


@pytest.mark.parametrize(
    ("text", "word", "csl", "stated"),
    [
        (" Journal Article", "journal-article", "article-journal", "article-journal"),
        ("legal_case", "legal_case", "legal_case", "legal_case"),
        ("posted_content", "posted-content", "article", "article"),
        ("Article", "article", "article", None),
        ("Review", "review", "article-journal", None),
        ("Case Report", "case-report", "case-report", None),
        (None, "", "", None),
    ],
)
def test_a_type_is_read_as_words_of_csl(text, word, csl, stated):
    assert (type_word(text), csl_type(text), stated_type(text)) == (word, csl, stated)


def test_a_type_is_called_what_people_call_it():
    kinds = ["article-journal", "legal_case", "book"]
    assert [*map(type_name, kinds)] == ["journal article", "legal case", "book"]
