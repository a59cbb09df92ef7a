"""Keywords are read from how formats and services write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.bibliography.keywords import (
    MOST,
    category_names,
    distinct_keywords,
    heading,
    keywords_of,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("graphs, drug design", ["graphs", "drug design"]),
        ("Diabetes Mellitus, Type 2; Insulin", ["Diabetes Mellitus, Type 2", "Insulin"]),
        ("one\ntwo", ["one", "two"]),
        ("TCP/IP", ["TCP/IP"]),
        (["a; b", "c, d"], ["a", "b", "c, d"]),
        ([{"display_name": "Graphs", "score": 0.4}], ["Graphs"]),
        ([{"subject": "Physics"}, {"code": "Q1", "term": "Science"}], ["Physics", "Science"]),
        (["Graphs", "graphs", " GRAPHS "], ["Graphs"]),
        (["*Humans", "<i>E. coli</i>"], ["Humans", "E. coli"]),
        (["", "-", "***", "x" * 200, None, 3, {"code": 1}], []),
        (None, []),
        ({"name": "alone"}, ["alone"]),
    ],
)
def test_keywords_are_read_however_they_are_written(written, expected):
    assert keywords_of(written) == expected


def test_a_record_has_no_more_keywords_than_indexers_give():
    assert len(distinct_keywords(str(number) for number in range(1000))) == MOST


@given(st.lists(st.text(max_size=12), max_size=20))
def test_reading_keywords_again_changes_nothing(written):
    once = distinct_keywords(written)
    assert distinct_keywords(once) == once
    assert len({word.casefold() for word in once}) == len(once)


def test_a_heading_is_read_without_its_qualifiers_and_a_category_spelled_out():
    assert heading("Anxiety Disorders/psychology/*therapy") == "Anxiety Disorders"
    assert heading("*Research Design") == "Research Design"
    assert category_names("cs.LG stat.ML q-bio.BM") == ["Machine Learning", "Biomolecules"]
    assert category_names("68T05 I.2.6") == []
