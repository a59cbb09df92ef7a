"""What a service cannot be asked is asked more widely, and checked in the answers."""

import pytest

from paper_search.query import parse, render
from paper_search.query.widening import expressible_part


def said(query: str, **known: object) -> str | None:
    tree = expressible_part(parse(query), **known).tree
    return None if tree is None else render(tree)


def test_one_letter_that_varies_is_written_out():
    text = said("wom?n")
    assert text.split(" OR ")[:5] == ["woman", "wombn", "womcn", "womdn", "women"]
    assert text.count(" OR ") == 25
    assert expressible_part(parse("wom?n")).remainder is None
    assert str(said("colo$r")).startswith("color OR coloar OR ")
    assert '"toluidine blue"' in str(said('"tolu?dine blue"'))


@pytest.mark.parametrize(
    ("query", "text", "checked"),
    [
        ("aa AND tum*r", "aa AND tum*", '"tum*r"'),
        ("aa AND hyp??gly?emia", "aa AND hyp*", '"hyp??gly?emia"'),
        ("aa NOT tum*r", "aa", 'NOT "tum*r"'),
        ("aa AND (bb OR *oma)", "aa", 'bb OR "*oma"'),
        ("aa AND type:review", "aa", None),
        ("aa NOT (type:review AND bb)", "aa", "NOT (type:review AND bb)"),
        ("tiab:aa", "title:aa OR abstract:aa", None),
        ("aa PRE/2 bb", "aa NEAR/2 bb", "aa PRE/2 bb"),
        ('aa mesh-only:"Diabetes Mellitus, Type 2"', 'aa AND "Type 2 Diabetes Mellitus"', None),
        ("mesh:Lasers/du aa", "Lasers AND aa", None),
        ("keyword:aa title:bb", "aa AND title:bb", None),
        ("aa NOT keyword:bb", "aa", None),
    ],
)
def test_what_is_widened_is_checked(query, text, checked):
    found = expressible_part(parse(query))
    assert found.tree is not None
    assert render(found.tree) == text
    assert (found.remainder and render(found.remainder)) == checked


def test_a_keyword_is_asked_for_anywhere_and_the_person_is_told():
    found = expressible_part(parse("keyword:aa OR title:bb"))
    assert found.notes == ("keyword: 'aa' is searched anywhere",)


@pytest.mark.parametrize("fields", [(), ("keyword",)])
def test_a_keyword_that_excludes_is_left_out_and_the_person_is_told(fields):
    found = expressible_part(parse("aa NOT (keyword:bb OR title:cc)"), fields=fields)
    assert (found.tree, found.notes) == (parse("aa"), ("keyword: 'bb' excludes nothing here",))
    assert found.remainder == parse("NOT (keyword:bb OR title:cc)")


def test_words_of_authors_are_asked_for_without_a_field_and_exclude_less():
    found = expressible_part(parse("tiabkw:aa NOT tiabkw:bb"), fields=("tiab",))
    assert found.tree == parse("aa NOT tiab:bb")
    assert found.notes == (
        "tiabkw: is searched as words without a field",
        "tiabkw: is searched in title and abstract only",
    )


@pytest.mark.parametrize("is_full", [True, False])
def test_who_has_both_fields_looks_for_words_of_authors_in_the_keywords_too(is_full):
    found = expressible_part(parse("tiabkw:aa"), fields=("tiab", "keyword"), is_full=is_full)
    assert found.tree == parse("tiab:aa OR keyword:aa")


def test_what_a_service_knows_stays():
    assert said("tiab:aa AND type:review", fields=("tiab", "type")) == "tiab:aa AND type:review"
    assert said("wom?n PRE/1 bb", is_full=True) == "wom?n PRE/1 bb"


def test_a_query_of_which_nothing_can_be_asked_is_told_so():
    found = expressible_part(parse("type:review"))
    assert found.tree is None
    assert found.notes == ("type: few services have this field: 'review' is left out here",)
