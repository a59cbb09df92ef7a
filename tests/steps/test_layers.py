"""Only the compiler knows LangGraph, and what runs a graph of a server."""

import ast
from pathlib import Path

import pytest

import paper_search.steps

MODULES = sorted(Path(paper_search.steps.__file__).parent.rglob("*.py"))


def foreign(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return {name for name in names if name.startswith("lang")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_other_module_imports_langgraph(path):
    expected = {"compiler": {"langgraph"}, "remote": {"langgraph", "langgraph_sdk"}}
    assert foreign(path) == expected.get(path.stem, set())


def test_plain_definitions_do_not_load_it():
    import subprocess
    import sys

    script = "import paper_search.steps, sys; print('langgraph' in sys.modules)"
    ended = subprocess.run(  # noqa: S603  # this program
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False"
