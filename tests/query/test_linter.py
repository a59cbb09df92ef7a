"""What the linter remarks on, and where."""

import pytest

from paper_search.query import lint


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("aa AND (bb", 11, "expected ')' for the '(' in column 8"),
        ('aa "bb', 4, "never closed"),
        ("NOT aa", 1, "only excludes"),
        ("NOT aa NOT bb", 1, "only excludes"),
        ("aa OR NOT bb", 7, "only excludes"),
        ("aa and bb", 4, "write AND"),
        ("aa Or bb", 4, "write OR"),
        ("aa “bb", 4, "curly"),
        ("graph AND the", 11, "'the' alone"),
    ],
)
def test_an_oddity_is_found_at_its_column(text, column, said):
    found = [finding for finding in lint(text) if said in finding.message]
    assert [finding.column for finding in found] == [column]


@pytest.mark.parametrize(
    "text",
    [
        "aa NOT bb",
        '"the end of it"',
        '"rock and roll"',
        "author:das",
        "title:aa abstract:aa",
        "year:2015- aa",
    ],
)
def test_a_sound_query_has_no_findings(text):
    assert lint(text) == []


def test_a_query_that_cannot_be_read_keeps_its_other_findings():
    assert [finding.column for finding in lint("“aa” AND")] == [1, 4, 9]
