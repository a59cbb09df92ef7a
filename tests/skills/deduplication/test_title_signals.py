import pytest

from paper_search.skills.deduplication.text import fold, words
from paper_search.skills.deduplication.titles import (
    is_generic,
    numerals,
    roles,
    without_annotations,
)


def of(title: str) -> tuple[str, ...]:
    return words(fold(title))


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Oxides, part II", ("2",)),
        ("Oxides. II", ("2",)),
        ("Oxides, part b", ("b",)),
        ("Statistics 2019", ("2019",)),
        ("Vitamin C and I", ("1",)),
        ("I think so", ()),
        ("The 2d Ising model", ("2d",)),
        ("0verview of 1inear models", ()),
    ],
)
def test_numbers_of_parts_and_years_are_found(title, expected):
    assert numerals(of(title)) == expected


@pytest.mark.parametrize(
    "title",
    [
        "Editorial", "Introduction to the special issue", "Guest Editors' Introduction",
        "Book Review Column", "Letter to the Editor", "Table of Contents", "Obituary", "AI", "前言",
        "Annual Report 2019", "Editor's Comments",
    ],
)  # fmt: skip
def test_titles_that_many_works_carry_are_generic(title):
    assert is_generic(of(title))


@pytest.mark.parametrize("title", ["Deep learning", "Nearest neighbor queries", "图神经网络"])
def test_short_titles_of_one_work_are_not_generic(title):
    assert not is_generic(of(title))


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("On the innate immune response to infection in mice", ""),
        ("A theory of error correction by design in long codes", ""),
        ("Shade in cities: methods of a pilot trial", "plan"),
        ("Schatten in Städten: Studienprotokoll", "plan"),
        ("Shade in cities [reply]", "reply"),
        ("Shade in cities [J Shade 31 (2013) 220-227]", "correction"),
        ("Response to Smith et al", "reply"),
        ("On oxides: authors' reply to Smith", "reply"),
        ("Shade in cities: a study protocol", "plan"),
        ("Rationale of the SHADE trial", "plan"),
        ("Statistical analysis plan of SHADE", "plan"),
        ("Shade in cities (vol 12, pg 100, 2009)", "correction"),
        ("Erratum: Shade in cities", "correction"),
        ("Expression of concern: Shade in cities", "concern"),
        ("Shade in cities [Erratum appears in Lancet 2009]", ""),
        ("Shade in cities [Data set]", "data"),
        ("Shade in cities: revised edition", "edition"),
    ],
)
def test_a_title_says_what_its_work_is_to_another(title, kind):
    assert {name for _, name in roles(without_annotations(fold(title)))} == {kind} - {""}
