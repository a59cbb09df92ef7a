"""The step of a report that asks: nothing with an effect comes before the question."""

import ast
import inspect

from paper_search.report_workflow import questions
from paper_search.report_workflow.graph import WORKFLOW

TREE = ast.parse(inspect.getsource(questions))
(STEP,) = [
    node
    for node in TREE.body
    if isinstance(node, ast.AsyncFunctionDef) and node.name == "human_review"
]


def test_the_step_that_asks_is_that_one():
    asking = [
        statement.name
        for statement in TREE.body
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(
            isinstance(node, ast.Call) and ast.unparse(node.func) == "asker(ctx)"
            for node in ast.walk(statement)
        )
    ]
    assert asking == ["human_review"]
    assert WORKFLOW["human_review"].handler is questions.human_review


def test_what_comes_before_the_question_only_reads():
    calls = [
        [ast.unparse(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)]
        for statement in STEP.body
    ]
    (asked,) = [index for index, call in enumerate(calls) if "asker(ctx)" in call]
    before = {name for call in calls[: asked + 1] for name in call}
    assert before == {"begin", "review_of", "settings_of", "answer_model", "asker", "asker(ctx)"}


def test_nothing_catches_or_repeats_the_question():
    caught = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.For, ast.While, ast.If)
    (asked,) = [node for node in STEP.body if "asker(ctx)" in ast.unparse(node)]
    assert isinstance(asked, ast.AnnAssign)
    assert not [node for node in ast.walk(STEP) if isinstance(node, caught[:4])]
