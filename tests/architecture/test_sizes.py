"""How big things may get before they have to become two."""

import ast
from collections import Counter
from pathlib import Path
from statistics import median

from tests.architecture.tree import (
    PACKAGE,
    Function,
    functions,
    parsed,
    shipped_modules,
    shown,
    wiring,
)

MAX_MODULE_LINES = 400
MEDIAN_MODULE_LINES = 200
MAX_FUNCTION_LINES = 40
MAX_WIRING_LINES = 30
MAX_MODULES = 378
MAX_LINES = {
    "skills": 11_104,
    "sources": 7_016,
    "cli": 6_272,
    "workflow": 5_764,
    "report": 5_232,
    "library": 4_637,
    "query": 4_674,
    "persistence": 2_930,
    "report_workflow": 2_827,
    "steps": 2_322,
    "threads": 2_464,
    "web": 2_470,
    "server": 2_383,
    "audit": 1_980,
    "models": 1_848,
    "llm": 1_986,
    "http": 1_666,
    "exports": 1_315,
    "testing": 969,
    "bibliography": 1_273,
    "(top)": 1_297,
    "pages": 863,
    "review": 1_506,
    "evaluation": 388,
    "prompts": 26,
}
"""Lines of each package: numbers that go down; a commit that raises one says why."""


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def body_lines(function: Function) -> int:
    """Lines of the body without the docstring; a nested function counts for both."""
    has_docstring = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if has_docstring else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_module_is_longer_than_400_lines() -> None:
    sizes = {shown(path): line_count(path) for path in shipped_modules()}
    assert {path: size for path, size in sizes.items() if size > MAX_MODULE_LINES} == {}


def test_half_of_the_modules_have_at_most_200_lines() -> None:
    assert median(line_count(path) for path in shipped_modules()) <= MEDIAN_MODULE_LINES


def test_no_package_grows() -> None:
    sizes: Counter[str] = Counter()
    for path in shipped_modules():
        first, *rest = path.relative_to(PACKAGE).parts
        sizes[first if rest else "(top)"] += line_count(path)
    assert {name: size for name, size in sizes.items() if size > MAX_LINES.get(name, 0)} == {}
    assert len(shipped_modules()) <= MAX_MODULES


def test_no_function_body_is_longer_than_40_lines() -> None:
    too_long = {
        f"{shown(path, function)} {function.name}": body_lines(function)
        for path in shipped_modules()
        for function in functions(path)
        if body_lines(function) > MAX_FUNCTION_LINES
    }
    assert too_long == {}


def test_the_files_that_the_server_loads_only_wire_things_up() -> None:
    assert {shown(path) for path in wiring() if line_count(path) > MAX_WIRING_LINES} == set()


def test_the_docstring_of_a_function_does_not_count_as_its_body(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text('def one():\n    """Say\n\n    more.\n    """\n    a = 1\n    return a\n')
    assert [body_lines(node) for node in ast.walk(parsed(path)) if isinstance(node, Function)] == [
        2
    ]
