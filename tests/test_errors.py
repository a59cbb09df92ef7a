"""The tree of errors is the one that its docstring draws."""

import inspect
import re

import pytest

from paper_search import errors
from paper_search.errors import (
    PaperSearchError,
    QuerySyntaxError,
    UnknownNameError,
    WorkflowDefinitionError,
)

LINE = re.compile(r"^(?P<branch>[│├└─ ]*)(?P<name>\w+Error)(?: \((?P<more>[\w, ]+)\))?")


def _drawn() -> dict[str, set[str]]:
    """Return every class of the picture with the names of its bases."""
    path: list[str] = []
    tree = {}
    for line in inspect.getdoc(errors).splitlines():
        if found := LINE.match(line):
            depth = len(found["branch"]) // 4
            path[depth:] = [found["name"]]
            above = {path[depth - 1]} if depth else {"Exception"}
            tree[found["name"]] = above | set(filter(None, (found["more"] or "").split(", ")))
    return tree


def _classes() -> dict[str, set[str]]:
    found = inspect.getmembers(errors, inspect.isclass)
    return {
        name: {base.__name__ for base in hit.__bases__}
        for name, hit in found
        if hit.__module__ == errors.__name__ and issubclass(hit, Exception)
    }


def test_the_picture_is_the_tree():
    assert _drawn() == _classes()
    assert len(_drawn()) > 20


@pytest.mark.parametrize("name", sorted(_classes()))
def test_every_error_is_one_of_ours_and_says_what_it_is(name):
    each = getattr(errors, name)
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
