"""The steps that ask: nothing with an effect comes before the question, and nothing catches it.

A resumed step runs again from its beginning, and LangGraph interrupts by raising.
"""

import ast
import inspect
from collections.abc import Iterator

import pytest

from paper_search.report_workflow import graph as report_graph
from paper_search.report_workflow import questions as report_questions
from paper_search.workflow import graph, nodes, questions

ASKING = {"confirm_strategy": nodes, "review_results": nodes, "human_review": report_questions}
QUESTIONS = {"strategy_question", "result_question"}
"""What may be called, and awaited, before asking: they only read."""
PURE = {
    "_begin_step", "_records", "_services", "ctx.ask", "answer_model", "markable_ids", "record_ids",
    "ReportStep", "review_of",
}  # fmt: skip


def _names(node: ast.AST, kind: type = ast.Call) -> Iterator[str]:
    """Give the names of what a piece of code calls, or awaits."""
    for item in ast.walk(node):
        if isinstance(item, kind):
            call = item.value if isinstance(item, ast.Await) else item
            while isinstance(call, ast.Call):
                call = call.func
            yield ast.unparse(call)


def _functions(module: object) -> dict[str, ast.AST]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    body = ast.parse(inspect.getsource(module)).body
    return {item.name: item for item in body if isinstance(item, kinds)}


def test_the_steps_that_ask_are_those_three():
    asking = {
        name: module
        for module in (nodes, report_questions)
        for name, item in _functions(module).items()
        if "ctx.ask" in _names(item)
    }
    assert asking == ASKING
    for name, module in ASKING.items():
        table = graph.WORKFLOW if module is nodes else report_graph.WORKFLOW
        assert table[name].handler is getattr(module, name)


@pytest.mark.parametrize("name", ASKING)
def test_only_what_reads_comes_before_the_one_question_and_nothing_catches_it(name):
    """It stands at the top level of the step: not in a branch, a loop, a `try` or a `with`."""
    step = _functions(ASKING[name])[name]
    (place,) = [i for i, part in enumerate(step.body) if "ctx.ask" in _names(part)]
    assert list(_names(step)).count("ctx.ask") == 1
    assert isinstance(step.body[place], ast.Assign | ast.AnnAssign)
    for part in step.body[: place + 1]:
        assert {*_names(part)} <= QUESTIONS | PURE
        assert {*_names(part, ast.Await)} <= QUESTIONS
    catching = ast.Try | ast.TryStar | ast.With | ast.AsyncWith
    assert not [node for node in ast.walk(step) if isinstance(node, catching)]


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_building_a_question_only_reads(name):
    source = ast.parse(inspect.getsource(getattr(questions, name)))
    awaited = {*_names(source, ast.Await)}
    reading = {"records.collection", "records.papers", "records.works_of"}
    assert awaited <= reading | {"skills.metering.logged", "work_verdicts"}
