"""A query that is too long loses alternatives, never a concept."""

import pytest

from paper_search.errors import InputError
from paper_search.query import And, Or, parse
from paper_search.query.shortening import shorten


def words(stem: str, count: int) -> str:
    return " OR ".join(f"{stem}{number}" for number in range(count))


def test_a_query_of_usual_length_is_left_as_it_is() -> None:
    assert shorten("a  OR b") == shorten("a  OR b", most=7)
    assert shorten("a  OR b").text == "a  OR b"
    assert shorten("a  OR b").note is None


def test_every_concept_stays() -> None:
    short = shorten(f"({words('aa', 300)}) AND (bb OR cc) AND NOT ({words('dd', 100)})", 500)
    assert len(short.text) <= 500
    tree = parse(short.text)
    assert isinstance(tree, And)
    assert len(tree.children) == 3
    assert tree.children[1] == parse("bb OR cc")
    assert isinstance(tree.children[0], Or)
    assert "characters was cut to" in str(short.note)


def test_a_query_that_is_too_long_to_be_read_is_read_up_to_an_or() -> None:
    short = shorten(f'xx AND (({words("aa", 3000)}) OR "some phrase")')
    assert len(short.text) <= 8_000
    assert short.text.startswith("xx AND (aa0 OR aa1 OR")


@pytest.mark.parametrize("text", ["x" * 9_000, "x" * 20_000, "y ( " * 3_000, "AND " * 2_500])
def test_what_cannot_be_cut_is_refused_with_the_length(text: str) -> None:
    with pytest.raises(InputError, match=f"{len(text):,} characters"):
        shorten(text)
