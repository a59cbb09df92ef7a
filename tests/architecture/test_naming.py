"""Names that say what a thing is."""

import ast
import re

from tests.architecture.tree import (
    PACKAGE,
    functions,
    nodes,
    parsed,
    repository_files,
    shipped_modules,
    shown,
    wiring,
)

DRAWERS = {
    "common", "core", "funcs", "helper", "helpers", "manager", "managers", "misc", "shared",
    "stuff", "tools", "util", "utilities", "utils",
}  # fmt: skip
"""Names under which anything could be put."""

ALLOWED = {PACKAGE / "steps" / "core.py"}
"""The design names it: StepDef and Workflow."""


def test_no_module_is_a_drawer_for_anything():
    drawers = [
        shown(path)
        for path in repository_files()
        if path.suffix == ".py" and path not in ALLOWED
        if DRAWERS & {path.stem, path.parent.name}
    ]
    assert drawers == []


def test_no_class_is_called_a_manager_or_a_helper():
    vague = re.compile(r"(Manager|Helper|Helpers|Util|Utils)$")
    classes = [
        f"{shown(path, node)} {node.name}"
        for path in shipped_modules()
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and vague.search(node.name)
        if node.name != "ThreadManager"  # the seeds name it
    ]
    assert classes == []


def test_no_function_is_called_a_node_or_a_helper():
    vague = re.compile(r"[a-z]_(node|helper|util)$")
    names = [
        f"{shown(path, function)} {function.name}"
        for path in shipped_modules()
        for function in functions(path)
        if vague.search(function.name)
    ]
    assert names == []


def test_a_module_says_in_one_sentence_what_it_is():
    wrong = []
    for path in [*shipped_modules(), *wiring()]:
        docstring = ast.get_docstring(parsed(path)) or ""
        first = docstring.partition("\n\n")[0]
        is_sentence = first.endswith((".", ":", "?"))
        if not is_sentence or first.lower().startswith(("this module", "module ")):
            wrong.append(f"{shown(path)}: {first!r}")
    assert wrong == []
