"""Importing does no work: it needs no network, no settings, no files, and little time."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.architecture.tree import ROOT, nodes, shipped_modules, shown

HEAVY = {
    "bibtexparser",
    "httpx",
    "langchain_core",
    "langchain_openai",
    "langgraph",
    "openai",
    "py3langid",
    "rich",
    "tantivy",
}
"""Packages that take longer to import than `--help` may take."""

IMPORT_EVERYTHING = """
import functools, importlib, os, pkgutil, sys
from importlib.machinery import SourceFileLoader

# What is imported twice is compiled once.
SourceFileLoader.source_to_code = functools.cache(SourceFileLoader.source_to_code)
FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.mkdir")

def refuse(event, args):
    is_write = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    if event in FORBIDDEN or is_write:
        raise RuntimeError(f"importing {current} did {event} {args[:2]}")

import paper_search
# What others do when they are imported is not ours to forbid: theirs come first, unwatched.
names = sys.argv[1:] or sorted(
    module.name for module in pkgutil.walk_packages(paper_search.__path__, "paper_search.")
)
names = [module for module in names if not module.endswith("__main__")]
for current in names:
    importlib.import_module(current)
for current in names:
    sys.modules.pop(current)
sys.addaudithook(refuse)
for current in names:
    importlib.import_module(current)
print(len(names))
"""


def run(program: str, *modules: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  # fixed words
        [sys.executable, "-B", "-c", program, *modules],
        env={},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_importing_any_module_does_no_work_and_needs_no_settings():
    finished = run(IMPORT_EVERYTHING)
    assert finished.returncode == 0, finished.stderr
    assert int(finished.stdout) > 50


def test_the_command_line_starts_without_heavy_packages():
    finished = run("import sys, paper_search.cli.app; print(*sys.modules)")
    assert finished.returncode == 0, finished.stderr
    assert {name.partition(".")[0] for name in finished.stdout.split()} & HEAVY == set()


def test_the_package_itself_starts_with_next_to_nothing():
    finished = run("import sys, paper_search; print(*sys.modules)")
    loaded = {name.partition(".")[0] for name in finished.stdout.split()}
    assert loaded & (HEAVY | {"pydantic", "typer", "typing"}) == set()


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared_packages() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [item for extra in project["optional-dependencies"].values() for item in extra]
    asked = [*project["dependencies"], *extras]
    return {canonical(re.split(r"[\s<>=!~\[;]", request)[0]) for request in asked}


def imported(path: Path) -> set[str]:
    """Return the top-level packages that a module imports, wherever it does."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"paper_search"}


def test_every_package_that_is_imported_is_declared():
    known, declared = packages_distributions(), declared_packages()
    undeclared = [
        f"{shown(path)} imports {name}"
        for path in shipped_modules()
        if not path.is_relative_to(ROOT / "src" / "paper_search" / "testing")
        for name in sorted(imported(path))
        if not declared & {canonical(item) for item in known.get(name, [name])}
    ]
    assert undeclared == []
