"""The normal form, and trees that mean nothing."""

import pytest

from paper_search.errors import InputError
from paper_search.query import And, Near, Not, Or, Phrase, Term, YearRange, normalise, render

A, B, C = Term("aa"), Term("bb"), Term("cc")


@pytest.mark.parametrize(
    ("tree", "normal"),
    [
        (And((And((A, B)), C)), And((A, B, C))),
        (Or((Or((A,)), Or((B, C)))), Or((A, B, C))),
        (And((A, Term("AA"))), A),
        (And((B, A, B)), And((B, A))),
        (Or((A, And((B, B)))), Or((A, B))),
        (Not(Not(A)), A),
        (Not(And((Not(A),))), A),
        (Term("deep  learning"), Phrase(("deep", "learning"))),
        (Term("deep*"), Term("deep", is_prefix=True)),
        (Phrase(("deep",)), Term("deep")),
        (Phrase(("deep", "*", "learn**")), Phrase(("deep", "learn*"))),
        (Term('say "x"'), Phrase(("say", "x"))),
        (Term("deep learn", is_prefix=True), Phrase(("deep", "learn*"))),
        (And((A, Term("aa", "title"))), And((A, Term("aa", "title")))),
    ],
)
def test_a_tree_is_normalised(tree, normal):
    assert normalise(tree) == normal


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (And(()), "no parts"),
        (Or(()), "no parts"),
        (Term(""), "nothing to search"),
        (Term("--"), "nothing to search"),
        (Phrase(()), "nothing to search"),
        (Term("aa", "colour"), "unknown field 'colour'"),
        (YearRange(None, None), "four digits"),
        (YearRange(2019, 2015), "four digits"),
        (YearRange(15, 2015), "four digits"),
        (Near(A, And((B, C)), 2), "NEAR accepts only"),
        (Near(A, Not(B), 2), "NEAR accepts only"),
        (Near(A, B, -1), "distance -1"),
    ],
)
def test_a_tree_that_means_nothing_is_refused(tree, said):
    with pytest.raises(InputError, match=said):
        render(tree)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (And((A, Or((B, C)))), "aa AND (bb OR cc)"),
        (Not(Or((A, B))), "NOT (aa OR bb)"),
        (And((A, Not(B))), "aa AND (NOT bb)"),
        (Term("AND"), '"AND"'),
        (Term("x:y", "title", is_prefix=True), 'title:"x:y*"'),
        (Near(A, Or((B, C)), 4), "aa NEAR/4 (bb OR cc)"),
        (YearRange(2015, 2015), "year:2015"),
        (YearRange(None, 2015), "year:-2015"),
    ],
)
def test_a_tree_is_written_with_full_parentheses(tree, text):
    assert render(tree) == text
