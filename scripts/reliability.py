# ruff: noqa: INP001  # a script, not a package
"""Reads which tests carry which case of docs/reliability.toml, and writes docs/reliability.md."""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "reliability.toml"
PAGE = ROOT / "docs" / "reliability.md"
_CASE = re.compile(r"(?i)(?<![a-z0-9])(API|LLM|INJ|HUM|PER|SEC|LOAD)[-_](\d\d)(?!\d)")
_SECTIONS = {
    "API": "Source failures",
    "LLM": "Model failures",
    "INJ": "Prompt injection",
    "HUM": "Human answers",
    "PER": "Crashes and storage",
    "SEC": "Server, exports and pages",
    "LOAD": "Load",
}
_INTRODUCTION = """# Reliability

Failures, and the tests that cause them. A test names the id of its case in its
name, its docstring or a comment; `scripts/docs.py` writes this page from them. For a case without a
test, `docs/reliability.toml` gives the reason.
"""


@functools.cache
def cases() -> dict[str, str]:
    """Return what goes wrong, by id."""
    return dict(tomllib.loads(TABLE.read_text(encoding="utf-8"))["cases"])


@functools.cache
def reasons() -> dict[str, str]:
    """Return why a case has no test, by id."""
    return dict(tomllib.loads(TABLE.read_text(encoding="utf-8")).get("reasons", {}))


@functools.cache
def carriers() -> dict[str, list[str]]:
    """Return the tests that carry a case, by its id: `tests/x/test_y.py::test_z`."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name, text in _tests(path):
            for case in sorted({f"{a.upper()}-{b}" for a, b in _CASE.findall(text)}):
                found[case].append(f"{path.relative_to(ROOT).as_posix()}::{name}")
    return dict(found)


def _tests(path: Path) -> Iterator[tuple[str, str]]:
    """Return each test of a file with all of its text, the comments in it as well."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        is_machine = isinstance(node, ast.ClassDef) and node.name.startswith("Test")
        if node.name.startswith("test_") or is_machine:
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            yield node.name, "\n".join(lines[first - 1 : node.end_lineno])


def reliability_page() -> str:
    """Return docs/reliability.md."""
    found, why = carriers(), reasons()
    lines = [_INTRODUCTION]
    for prefix, title in _SECTIONS.items():
        lines += [f"## {title}\n", "| case | failure | tests |", "|---|---|---|"]
        for case, fault in cases().items():
            if case.startswith(f"{prefix}-"):
                lines.append(f"| {case} | {_cell(fault)} | {_evidence(case, found, why)} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _evidence(case: str, found: dict[str, list[str]], why: dict[str, str]) -> str:
    if case not in found:
        return _cell(why.get(case, "none yet"))
    by_file: defaultdict[str, list[str]] = defaultdict(list)
    for test in found[case]:
        path, _, name = test.partition("::")
        by_file[path].append(name)
    return "; ".join(
        f"[{path.removeprefix('tests/')}](../{path})"
        + (f" ×{len(names)}" if len(names) > 1 else "")
        for path, names in by_file.items()
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
