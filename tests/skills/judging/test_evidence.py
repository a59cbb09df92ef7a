"""Snippets are looked up in the text, and grades become a score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.models import Criterion, CriterionKind, Grade
from paper_search.skills.judging.judgement import locate_snippet, score_of

TITLE = "Sleep and the “evening” chronotype"
ABSTRACT = "Forty adults slept 31\u2009minutes less—on average—after  coffee.  Ｎｏ harm.\nEnd"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("Forty adults slept", "Forty adults slept"),
        ("forty ADULTS slept", "Forty adults slept"),
        (
            "31 minutes less-on average-after coffee",
            "31\u2009minutes less—on average—after  coffee",
        ),
        ('"...31 minutes less..."', "31\u2009minutes less"),
        ("coffee. No harm. End", "coffee.  Ｎｏ harm.\nEnd"),
        ("and the 'evening' chronotype", "and the “evening” chronotype"),
        ("Forty adults slept ... after coffee", "Forty adults slept … after  coffee"),
        ("'Evening' Chronotype [...] adults slept", "evening” chronotype … adults slept"),
        ("forty adults slept…31 minutes more", None),
        ("forty adults", "Forty adults"),
        ("Forty adult children", None),
        ("Fortyadults slept", None),
        ("No harm", None),
        ("End", None),
        ("...", None),
        ("", None),
    ],
)
def test_a_snippet_is_found_as_the_text_spells_it(given, found):
    assert locate_snippet(given, [TITLE, None, ABSTRACT]) == found


def test_a_character_that_stands_for_several_is_read_whole():
    text = "Costs rose by ˜5 degrees"  # a blank with a tilde over it
    assert locate_snippet("rose by \u03035 degrees", [text]) == "rose by ˜5 degrees"


def test_a_short_snippet_counts_where_it_is_all_there_is_or_the_script_is_dense():
    assert locate_snippet("moss", ["Moss", None]) == "Moss"
    assert locate_snippet("moss", ["Ferns", "Moss."]) == "Moss"
    assert locate_snippet("moss.", ["Moss in towns"]) is None
    assert locate_snippet("图神", ["基于图神经网络"]) == "图神"
    assert locate_snippet("图", ["基于图神经网络"]) is None


@given(st.text(min_size=20, max_size=80), st.integers(0, 10), st.integers(12, 20))
@examples(150)
def test_whatever_is_cut_out_of_a_text_is_found_in_it(text, start, end):
    snippet = text[start:end]
    found = locate_snippet(snippet, [text])
    assert found is None or found in text


def grade(value: int, weight: int = 1, kind: CriterionKind = CriterionKind.INCLUSION) -> Grade:
    return Grade(criterion=Criterion(text="c", kind=kind, weight=weight), grade=value)


AGAINST = CriterionKind.EXCLUSION


@pytest.mark.parametrize(
    ("grades", "score"),
    [
        ([grade(3), grade(3)], 1.0),
        ([grade(0), grade(0)], 0.0),
        ([grade(3), grade(0)], 0.5),
        ([grade(3, 3), grade(0)], 0.75),
        ([grade(2), grade(1)], 0.5),
        ([grade(3), grade(3, 1, AGAINST)], 0.5),
        ([grade(3), grade(3, 2, AGAINST)], 0.25),
        ([grade(3), grade(3, 3, AGAINST)], 0.0),
        ([grade(3), grade(1, 3, AGAINST)], 0.6667),
        ([grade(3), grade(3, 1, AGAINST), grade(3, 1, AGAINST)], 0.25),
        ([grade(3, 3, AGAINST)], 0.0),
        ([grade(0, 3, AGAINST)], 1.0),
    ],
)
def test_the_score_is_the_weighted_mean_of_the_inclusions_less_what_is_excluded(grades, score):
    assert score_of(grades) == score
