"""How a tree becomes text in a dialect, whatever the dialect is."""

from typing import ClassVar

import pytest

from paper_search.errors import InputError
from paper_search.query import Phrase, Term, YearRange, parse, render
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
