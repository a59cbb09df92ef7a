"""The files of this repository, as the tests of its shape see them."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "paper_search"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def shipped_modules() -> list[Path]:
    """Return the Python files that a wheel holds."""
    return sorted(PACKAGE.rglob("*.py"))


def wiring() -> list[Path]:
    """Return the Python files that the server loads."""
    return sorted((ROOT / "graphs").glob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a Python file: going through the trees takes longer than parsing."""
    return tuple(ast.walk(parsed(path)))


def shown(path: Path, node: ast.AST | None = None) -> str:
    """Return a place in words that an editor understands."""
    line = f":{node.lineno}" if hasattr(node, "lineno") else ""
    return f"{path.relative_to(ROOT)}{line}"


def functions(path: Path) -> Iterator[Function]:
    """Return every function and method of a file."""
    return (node for node in nodes(path) if isinstance(node, Function))


@cache
def repository_files() -> list[Path]:
    """Return all files that are, or would be, committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # whichever git there is
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout, so nobody knows which files belong to it")
    paths = [ROOT / name for name in sorted(set(filter(None, listed.stdout.split("\0"))))]
    return [path for path in paths if path.is_file()]


def text_of(path: Path) -> str:
    """Return the text of a file; of a binary one, nothing."""
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode("utf-8", errors="replace")


def markdown_files() -> list[Path]:
    """Return the documents for people; prompts are not."""
    return [
        path
        for path in repository_files()
        if path.suffix == ".md" and (path.parent == ROOT or path.is_relative_to(ROOT / "docs"))
    ]


def lines_that_match(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """Return every line of the files in which the pattern is found, with its place."""
    return [
        f"{shown(path)}:{number}: {line.strip()[:120]}"
        for path in paths
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if pattern.search(line)
    ]
