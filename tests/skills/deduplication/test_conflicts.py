"""What decides a pair beyond its weights, rule by rule and level by level."""

import math

import pytest

from paper_search.skills.deduplication.comparison import ONE_TEXT, WEIGHTS, Comparison
from paper_search.skills.deduplication.conflicts import (
    AGREED,
    CERTAIN,
    DOUBTFUL,
    IMPOSSIBLE,
    adjust,
    may_be_one,
)

LEVELS = {
    **{
        field: [level for level in weights if (field, level) != ("title", "missing")]
        for field, weights in WEIGHTS.items()
        if field != "kind"
    },
    "issue": ["same", "different", "missing"],
    "ids": ["same", "different", "other pmid", "missing"],
}
"""All levels of each field that a rule looks at."""

PLAIN = Comparison(
    title="near",
    difference="spelling",
    title_length="long",
    numerals="same",
    role="same",
    authors="all",
    first_author="same",
    year="same",
    venue="same",
    kind="journal",
    volume="missing",
    issue="missing",
    pages="missing",
    place="unknown",
    doi="missing",
    ids="missing",
    abstract="missing",
    title_similarity=0.96,
    author_overlap=1.0,
    abstract_overlap=-1.0,
)
"""A pair that no rule has anything to say about."""


def verdict(*, is_doi_shared: bool = False, **levels: str) -> float | None:
    """Return what a pair is set to: a bound, or None where the weights alone decide."""
    low = adjust(PLAIN._replace(**levels), -50.0, is_doi_shared=is_doi_shared)
    high = adjust(PLAIN._replace(**levels), 50.0, is_doi_shared=is_doi_shared)
    if (low, high) == (-50.0, 50.0):
        return None
    return low if high == 50.0 else high


def levels_that(field: str, bound: float | None, **others: str) -> set[str]:
    """Return the levels of a field on which a pair gets this verdict."""
    return {level for level in LEVELS[field] if verdict(**{**others, field: level}) == bound}


def every(field: str, *but: str) -> set[str]:
    return set(LEVELS[field]) - set(but)


def test_without_a_conflict_the_weights_decide():
    assert adjust(PLAIN, 1.25, is_doi_shared=False) == 1.25
    assert verdict() is None


def test_the_bounds_are_in_order():
    assert IMPOSSIBLE < DOUBTFUL < AGREED < CERTAIN
    assert math.isclose(DOUBTFUL, 0.0)


# --- identifiers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [{"ids": "same"}, {"doi": "same"}])
class TestAPairThatAnIdentifierNames:
    def test_is_certain_whatever_the_weights_say(self, named):
        assert verdict(**named) == CERTAIN
        assert verdict(**named, pages="different", venue="different") == CERTAIN

    def test_is_doubtful_where_unlike_titles_have_strangers_for_authors(self, named):
        for title in ("weak", "different"):
            doubtful = levels_that("authors", DOUBTFUL, title=title, **named)
            assert doubtful == {"none", "few"}
        assert levels_that("title", DOUBTFUL, authors="none", **named) == {"weak", "different"}

    def test_is_doubtful_where_the_abstracts_are_of_two_works(self, named):
        assert levels_that("abstract", DOUBTFUL, **named) == {"different"}

    def test_is_doubtful_where_like_titles_name_two_parts_and_no_abstract_agrees(self, named):
        parts = {"numerals": "different", **named}
        assert levels_that("abstract", DOUBTFUL, **parts) == every("abstract", *ONE_TEXT)
        assert levels_that("title_length", CERTAIN, **parts) == {"tiny", "word"}
        assert levels_that("numerals", DOUBTFUL, **named) == {"different"}

    def test_is_doubtful_where_titles_of_other_words_are_on_other_pages(self, named):
        neighbours = {"difference": "replaced", "pages": "different", **named}
        assert levels_that("abstract", DOUBTFUL, **neighbours) == every("abstract", *ONE_TEXT)
        assert levels_that("difference", DOUBTFUL, **neighbours) == {"replaced", "opposed"}
        assert levels_that("pages", DOUBTFUL, **neighbours) == {"different"}


def test_a_doi_that_several_works_carry_names_none():
    assert verdict(doi="same", is_doi_shared=True) is None
    assert verdict(ids="same", is_doi_shared=True) == CERTAIN


def test_without_a_title_only_one_text_on_one_page_is_left_to_the_weights():
    untitled = {"title": "missing", "difference": "none"}
    assert verdict(**untitled) == DOUBTFUL
    there = {**untitled, "place": "same page"}
    assert levels_that("abstract", DOUBTFUL, **there) == every(
        "abstract", "identical", "same", "near"
    )
    told = {**untitled, "abstract": "same"}
    assert levels_that("place", DOUBTFUL, **told) == every("place", "same page")


# --- what forbids ---------------------------------------------------------------------------------


def test_one_title_and_one_text_are_forbidden_only_on_other_pages_of_another_venue():
    one = {"title": "identical", "difference": "none", "pages": "different"}
    for abstract in ("same", "near"):
        assert levels_that("venue", IMPOSSIBLE, abstract=abstract, **one) == {"different"}
    told = {**one, "abstract": "same", "venue": "different"}
    assert levels_that("pages", IMPOSSIBLE, **told) == {"different"}
    assert verdict(title="identical", abstract="same", year="far", numerals="different") is None


def test_two_places_are_forbidden():
    assert levels_that("venue", IMPOSSIBLE, pages="different") == {"different"}
    assert levels_that("pages", IMPOSSIBLE, venue="different") == {"different"}


def test_other_pages_of_another_issue_of_one_volume_are_forbidden():
    erratum = {"venue": "same", "volume": "same", "issue": "different", "pages": "different"}
    assert verdict(**erratum) == IMPOSSIBLE
    assert verdict(**erratum | {"venue": "partly"}) is None
    assert verdict(**erratum | {"volume": "missing"}) is None
    assert verdict(**erratum | {"issue": "same"}) is None
    assert verdict(**erratum | {"pages": "missing"}) is None


def test_two_parts_are_forbidden_and_a_part_beside_a_whole_if_nothing_else_agrees():
    assert levels_that("numerals", IMPOSSIBLE) == {"different"}
    part = {"numerals": "one", "difference": "added"}
    assert levels_that("difference", IMPOSSIBLE, numerals="one") == {"added", "replaced", "opposed"}
    assert levels_that("abstract", IMPOSSIBLE, **part) == every("abstract")
    renamed = {**part, "difference": "replaced"}
    assert levels_that("abstract", IMPOSSIBLE, **renamed) == every(
        "abstract", "identical", "same", "near"
    )
    assert levels_that("place", IMPOSSIBLE, **part) == every("place", "same page")


def test_a_title_such_as_editorial_is_forbidden_unless_the_two_stand_at_one_place():
    editorial = {"title_length": "generic"}
    assert verdict(**editorial) is None  # one venue and year, and nothing of volume and pages
    assert levels_that("authors", IMPOSSIBLE, **editorial) == every(
        "authors", "all", "two names", "one name"
    )
    assert levels_that("year", IMPOSSIBLE, **editorial) == every(
        "year", "same", "off in one volume"
    )
    assert levels_that("venue", IMPOSSIBLE, **editorial) == every("venue", "same")
    assert levels_that("volume", IMPOSSIBLE, **editorial) == every("volume", "missing")
    assert levels_that("pages", IMPOSSIBLE, **editorial) == every("pages", "missing")
    in_a_volume = {**editorial, "volume": "same"}
    assert levels_that("place", IMPOSSIBLE, **in_a_volume) == every("place", "same issue")
    in_an_issue = {**in_a_volume, "issue": "same"}
    assert levels_that("place", IMPOSSIBLE, **in_an_issue) == every(
        "place", "same page", "same issue"
    )
    on_a_page = {**in_an_issue, "place": "same page"}
    assert levels_that("issue", IMPOSSIBLE, **on_a_page) == every("issue", "same")
    assert levels_that("venue", IMPOSSIBLE, **on_a_page) == every("venue", "same")
    elsewhere = {**editorial, "venue": "different", "year": "next"}
    assert levels_that("abstract", IMPOSSIBLE, **elsewhere) == every(
        "abstract", "identical", "same", "near"
    )


def test_a_work_of_others_is_forbidden_unless_text_or_place_confirm():
    conflict = {"authors": "none"}
    assert levels_that("abstract", IMPOSSIBLE, **conflict) == every(
        "abstract", "identical", "same", "near"
    )
    assert levels_that("place", IMPOSSIBLE, **conflict) == every("place", "same page", "same issue")
    for doi in ("different", "elsewhere"):
        assert levels_that("abstract", IMPOSSIBLE, **conflict, doi=doi) == every("abstract")


def test_other_authors_are_forbidden_and_few_shared_ones_asked_about_under_two_dois():
    assert levels_that("authors", IMPOSSIBLE) == {"none"}
    discussion = {"doi": "different", "abstract": "identical"}
    assert levels_that("authors", DOUBTFUL, **discussion) == {"some", "few"}


# --- what only a person can tell ------------------------------------------------------------------


def test_each_doubt_alone_is_left_to_a_person():
    assert levels_that("doi", DOUBTFUL) == {"different"}
    assert levels_that("difference", DOUBTFUL) == {"replaced", "opposed"}
    assert levels_that("year", DOUBTFUL) == {"near", "far"}
    assert levels_that("abstract", DOUBTFUL) == {"different"}
    added = {"difference": "added"}
    assert levels_that("abstract", DOUBTFUL, **added) == {"similar", "related", "different"}
    assert levels_that("venue", DOUBTFUL, **added) == {"different"}
    undated = {"year": "both missing", "venue": "both missing"}
    assert levels_that("difference", DOUBTFUL, **undated) == {"added", "replaced", "opposed"}


@pytest.mark.parametrize(
    "doubt", [{"doi": "different"}, {"difference": "replaced"}, {"year": "far"}]
)
def test_a_doubt_is_settled_by_text_or_place(doubt):
    settled = ONE_TEXT - {"near"} if "doi" in doubt else ONE_TEXT
    assert every("abstract") - levels_that("abstract", DOUBTFUL, **doubt) == settled
    assert levels_that("place", None, **doubt) == {"same page", "same issue"}


def test_opposed_words_are_settled_by_one_text_or_all_pages_and_other_words_so_if_unlike():
    opposed = {"difference": "opposed"}
    unlike = {"difference": "replaced", "title": "weak"}
    for doubt in (opposed, unlike):
        for place in LEVELS["place"]:
            assert verdict(**doubt, place=place) == DOUBTFUL
        assert verdict(**doubt, place="same page", pages="first") == DOUBTFUL
        assert verdict(**doubt, place="same page", pages="same") is None
        assert levels_that("abstract", AGREED, **doubt) == {"same", "near"}


def test_another_page_of_one_issue_is_forbidden_where_more_than_spelling_differs():
    page = {"volume": "same", "issue": "same", "pages": "different"}
    assert levels_that("difference", IMPOSSIBLE, **page) == {"added", "replaced", "opposed"}


def test_a_title_of_a_word_or_two_says_too_little_without_year_or_author():
    for field in ("year", "authors"):
        tiny = {"title_length": "tiny"}
        assert levels_that(field, DOUBTFUL, **tiny) - {"near", "far"} == {"missing"}
        word = {"title_length": "word"}
        assert levels_that(field, DOUBTFUL, **word) - {"near", "far"} == {"missing", "both missing"}
        short = {field: "missing"}
        assert levels_that("title_length", DOUBTFUL, **short) == {"tiny", "word"}
        said = {**short, "title_length": "word"}
        assert levels_that("place", DOUBTFUL, **said) == {"unknown"}
        assert levels_that("abstract", DOUBTFUL, **said) == {"missing", "different"}


def test_another_pmid_holds_back_what_neither_text_nor_place_confirms():
    assert verdict(ids="other pmid") == DOUBTFUL
    assert levels_that("abstract", DOUBTFUL, ids="other pmid") == every("abstract", *ONE_TEXT)
    held_back = every("place", "same page", "same issue")
    assert levels_that("place", DOUBTFUL, ids="other pmid") == held_back


# --- what is enough -------------------------------------------------------------------------------


def test_one_title_is_enough_where_nothing_that_both_say_differs():
    only = {"title": "identical", "difference": "none"}
    enough = {
        "title": {"identical"},
        "title_length": {"long", "middle", "short", "tiny"},
        "authors": {"all", "one name", "two names", "missing", "both missing"},
        "year": {"same", "missing", "both missing"},
        "venue": {"same", "partly", "missing", "both missing"},
        "volume": {"same", "missing"},
        "issue": {"same", "missing"},
        "pages": {"same", "first", "last", "missing"},
        "ids": {"missing"},
        "doi": {"missing"},
        "abstract": every("abstract", "different", "identical"),
    }
    for field, levels in enough.items():
        # A tiny title without a year or an author is held back by another rule.
        found = levels_that(field, AGREED, **{**only, "title_length": "long", "volume": "missing"})
        if field == "title_length":
            found = levels_that(field, AGREED, **only)
        assert found == levels, field
    assert verdict(**only, doi="same", is_doi_shared=True) == AGREED


def test_one_text_of_one_team_is_enough_whatever_the_title():
    renamed = {"title": "different", "difference": "replaced", "abstract": "same"}
    enough = {
        "abstract": {"same", "near"},
        "title": every("title"),
        "difference": every("difference"),
        "authors": {"all", "one name", "two names"},
        "first_author": every("first_author"),
        "numerals": {"same", "one"},
        "role": {"same"},
        "year": {"same", "missing", "both missing"},
        "venue": every("venue", "different"),
        "pages": every("pages", "different"),
        "doi": {"missing"},
    }
    for field, levels in enough.items():
        assert levels_that(field, AGREED, **renamed) == levels, field
    assert verdict(**renamed, doi="same", is_doi_shared=True) == AGREED
    assert verdict(**renamed, venue="different") is None
    assert verdict(**renamed, venue="different", kind="journal-report") == AGREED


# --- what a model may join ------------------------------------------------------------------------


def joins(**levels: str) -> bool:
    return may_be_one(PLAIN._replace(**levels))


def test_a_model_joins_no_reply_to_what_it_replies_to():
    assert not any(joins(role="different", place=level) for level in LEVELS["place"])


def test_another_role_is_asked_about_unless_both_stand_on_one_page():
    assert levels_that("role", DOUBTFUL) == {"different"}
    for abstract in ("identical", "missing"):
        doubtful = levels_that("place", DOUBTFUL, role="different", abstract=abstract)
        assert doubtful == every("place", "same page")


def test_a_model_joins_works_of_strangers_only_under_like_titles_without_a_reply():
    for authors in ("none", "few"):
        assert {level for level in LEVELS["title"] if not joins(authors=authors, title=level)} == {
            "weak",
            "different",
        }
        assert not joins(authors=authors, role="different", place="same page")
    for authors in every("authors", "none", "few"):
        assert joins(authors=authors, title="different")
