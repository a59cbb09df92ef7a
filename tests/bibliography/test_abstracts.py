"""Abstracts, whatever they were wrapped in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.bibliography.text import indexed_abstract, join_abstract, plain_abstract


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("<jats:title>Abstract</jats:title><jats:p>We did it.</jats:p>", "We did it."),
        (
            "<jats:sec><jats:title>Methods</jats:title><jats:p>We did x&lt;5.</jats:p></jats:sec>",
            "Methods: We did x<5.",
        ),
        ("<h4>BACKGROUND:</h4>Some.<h4>Aim</h4>Other.", "Background: Some. Aim: Other."),
        ("<b>Results:</b> Many.", "Results: Many."),
        ("&lt;p&gt;Twice escaped &amp;amp; fine&lt;/p&gt;", "Twice escaped & fine"),
        ("Abstract: Short.", "Short."),
        ("ABSTRACT We say.", "We say."),
        ("Abstract interpretation is a theory.", "Abstract interpretation is a theory."),
        ("A value of <5 mg and <GNN> stay.", "A value of <5 mg and <GNN> stay."),
        (
            (
                "Of <jats:alternatives><jats:tex-math>x_1</jats:tex-math><mml:math>"
                "<mml:mi>x</mml:mi></mml:math></jats:alternatives> only."
            ),
            "Of x only.",
        ),
        (r"The \'etale case of $\alpha$", "The étale case of α"),
        ("line\n  broken", "line broken"),
    ],
)
def test_an_abstract_reads_as(given, text):
    assert plain_abstract(given) == text


@pytest.mark.parametrize("given", [None, "", "  ", "No abstract available.", "[N/A]", "Abstract"])
def test_what_says_nothing_is_no_abstract(given):
    assert plain_abstract(given) is None
    assert plain_abstract("a {b} c", has_latex=False) == "a {b} c"


def test_labelled_parts_are_joined():
    parts = [("OBJECTIVE", "To <i>see</i>."), ("UNLABELLED", "More."), (None, "End."), ("X", None)]
    assert join_abstract(parts) == "Objective: To see. More. End."
    assert join_abstract([("AIM", " "), (None, None)]) is None


def test_an_inverted_index_is_put_in_order():
    assert indexed_abstract({"learns": [1], "Deep": [0], "well": [2, "x"], "bad": None}) == (
        "Deep learns well"
    )
    assert indexed_abstract(None) is None
    assert indexed_abstract([]) is None


@examples(60)
@given(st.text(alphabet="<>/abpjts:h4 &;lt{}$\\.", max_size=60))
def test_nothing_is_an_exception(text):
    plain_abstract(text)
