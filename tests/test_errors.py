"""What is raised on purpose is one tree, and says what it is."""

import inspect

import pytest

from paper_search import errors
from paper_search.errors import (
    PaperSearchError,
    QuerySyntaxError,
    UnknownNameError,
    WorkflowDefinitionError,
)

ERRORS = [
    each
    for _, each in inspect.getmembers(errors, inspect.isclass)
    if each.__module__ == errors.__name__ and issubclass(each, Exception)
]


@pytest.mark.parametrize("each", ERRORS)
def test_every_error_is_one_of_ours_and_says_what_it_is(each):
    assert issubclass(each, PaperSearchError)
    assert each.__doc__


def test_an_unknown_name_is_told_with_the_known_ones():
    error = UnknownNameError("source", "x", ["b", "a"])
    assert str(error) == "unknown source 'x'; known: a, b"
    assert error.known == ["a", "b"]
    assert str(UnknownNameError("source", "x", [])).endswith("known: none")


def test_a_query_error_has_its_place():
    error = QuerySyntaxError("m", query="a AND", column=6)
    assert (str(error), error.query, error.column) == ("m", "a AND", 6)


def test_a_definition_error_has_all_problems():
    error = WorkflowDefinitionError("w", ["one", "two"])
    assert str(error) == "workflow 'w': one; two"
    assert error.problems == ["one", "two"]
