"""How a tree becomes text in a dialect, whatever the dialect is."""

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.errors import InputError
from paper_search.query import And, Not, Or, Phrase, Term, YearRange, evaluate, parse, render
from paper_search.sources.dialect import ANYTHING, Dialect, Expression


class OwnDialect(Dialect):
    """Our own language, so that what is written can be read again; it cannot say "blind"."""

    service: ClassVar[str] = "the test"

    def leaf(self, leaf: Term | Phrase) -> Expression:
        if isinstance(leaf, Term) and leaf.text == "blind":
            self.note("blind cannot be said")
            return ANYTHING
        return Expression(render(leaf))

    def years(self, years: YearRange) -> Expression:
        return Expression(render(years))


WORDS = ("ant", "bee", "cat", "dog", "blind")
leaves = st.sampled_from([Term(word) for word in WORDS] + [Phrase(("ant", "bee"))])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda clauses: And(tuple(clauses))),
        st.lists(inner, min_size=1, max_size=3).map(lambda item: Or(tuple(item))),
        inner.map(Not),
    ),
    max_leaves=8,
)
documents = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)


@given(trees, st.lists(documents, min_size=1, max_size=8))
def test_the_text_and_the_remainder_together_mean_the_tree(tree, texts):
    try:
        written = OwnDialect().translate(tree)
    except InputError:
        return
    sent = parse(written.text)
    for text in texts:
        document: dict[str, str | int | None] = {"title": text}
        is_kept = evaluate(sent, document) and (
            written.remainder is None or evaluate(written.remainder, document)
        )
        assert is_kept is evaluate(tree, document)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("ant", "ant"),
        ("ant bee OR cat", "((ant AND bee) OR cat)"),
        ("ant NOT bee NOT cat", "(ant NOT (bee OR cat))"),
        ("ant (bee OR NOT cat)", "(ant NOT (cat NOT bee))"),
        ("ant NOT (bee NOT cat)", "(ant NOT (bee NOT cat))"),
        ("(ant bee) OR (ant cat)", "((ant AND bee) OR (ant AND cat))"),
    ],
)
def test_every_group_has_parentheses_and_no_not_stands_alone(query, text):
    assert OwnDialect().translate(parse(query)).text == text


def test_a_query_of_which_nothing_can_be_said_is_refused():
    with pytest.raises(InputError, match="the test supports no part"):
        OwnDialect().translate(parse("ant OR blind"))
