"""The steps that ask: nothing with an effect comes before the question, and nothing catches it.

A resumed step runs again from its beginning, and LangGraph interrupts by raising.
"""

import ast
import inspect
from collections.abc import Iterator

import pytest

from paper_search.workflow import nodes
from paper_search.workflow.graph import WORKFLOW

ASKING = ("confirm_strategy", "review_results")
TREE = ast.parse(inspect.getsource(nodes))
FUNCTIONS = {
    statement.name: statement
    for statement in TREE.body
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
}
QUESTIONS = {"strategy_question", "result_question"}
"""What may be called, and awaited, before asking: they only read."""
PURE = {
    "_begin_step", "_records", "_services", "asker", "answer_model", "markable_ids", "record_ids",
}  # fmt: skip


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (item for item in ast.walk(node) if isinstance(item, ast.Call))


def _name(call: ast.Call) -> str:
    target = call.func
    while isinstance(target, ast.Call):
        target = target.func
    return ast.unparse(target)


def _is_ask(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Call) and _name(call) == "asker"


def _asking_statement(function: ast.AST) -> int:
    (index,) = [
        i for i, statement in enumerate(function.body) if any(map(_is_ask, _calls(statement)))
    ]
    return index


def test_the_steps_that_ask_are_those_two():
    asking = {name for name, item in FUNCTIONS.items() if any(map(_is_ask, _calls(item)))}
    assert asking == set(ASKING)
    assert all(WORKFLOW[name].handler is getattr(nodes, name) for name in ASKING)


@pytest.mark.parametrize("name", ASKING)
def test_a_step_asks_once(name):
    assert len([call for call in _calls(FUNCTIONS[name]) if _is_ask(call)]) == 1


@pytest.mark.parametrize("name", ASKING)
def test_nothing_with_an_effect_comes_before_the_question(name):
    function = FUNCTIONS[name]
    before = function.body[: _asking_statement(function) + 1]
    called = {_name(call) for item in before for call in _calls(item)}
    assert called <= QUESTIONS | PURE
    awaited = [
        _name(node.value)
        for statement in before
        for node in ast.walk(statement)
        if isinstance(node, ast.Await)
    ]
    assert set(awaited) <= QUESTIONS


@pytest.mark.parametrize("name", ASKING)
def test_the_question_stands_at_the_top_level_of_the_step(name):
    """Not in a branch, a loop or a `try`."""
    function = FUNCTIONS[name]
    statement = function.body[_asking_statement(function)]
    assert isinstance(statement, ast.Assign | ast.AnnAssign)
    caught = [node for node in ast.walk(function) if isinstance(node, ast.Try | ast.TryStar)]
    assert caught == []


@pytest.mark.parametrize("name", ASKING)
def test_nothing_suppresses_errors_around_the_question(name):
    assert not [
        node for node in ast.walk(FUNCTIONS[name]) if isinstance(node, ast.AsyncWith | ast.With)
    ]


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_building_a_question_only_reads(name):
    from paper_search.workflow import questions

    source = ast.parse(inspect.getsource(getattr(questions, name)))
    awaited = {_name(e.value) for e in ast.walk(source) if isinstance(e, ast.Await)}
    assert awaited <= {"budget_of", "records.collection", "records.papers"}
