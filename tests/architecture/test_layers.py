"""Who may import whom: the contracts in pyproject.toml, kept and complete."""

import subprocess
import sys
import tomllib
from pathlib import Path

from tests.architecture.tree import PACKAGE, ROOT

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
TEST_KIT = "paper_search.testing"
FRONT = {"paper_search.__main__", "paper_search.shortcut"}
"""Modules above all layers: they only pass on to one."""


def lint_imports(directory: Path) -> subprocess.CompletedProcess[str]:
    program = "import sys; from importlinter.cli import lint_imports as lint; "
    program += "sys.exit(lint(config_filename=sys.argv[1], no_cache=True))"
    return subprocess.run(  # noqa: S603  # fixed words
        [sys.executable, "-c", program, str(ROOT / "pyproject.toml")],
        cwd=directory,
        env={"PYTHONPATH": str(directory), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def packages() -> set[str]:
    names = [
        path.stem
        for path in PACKAGE.iterdir()
        if path.name != "__init__.py" and (path.suffix == ".py" or (path / "__init__.py").is_file())
    ]
    return {f"paper_search.{name}" for name in names} - FRONT - {TEST_KIT}


def test_the_contracts_are_kept():
    linted = lint_imports(ROOT / "src")
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_every_package_has_its_place_in_the_layers():
    layers = next(contract for contract in CONTRACTS if contract["type"] == "layers")["layers"]
    placed = {name.strip() for line in layers for name in line.split("|")}
    assert placed == packages()


def test_all_shipped_code_is_forbidden_to_import_the_test_kit():
    contract = next(item for item in CONTRACTS if item.get("forbidden_modules") == [TEST_KIT])
    assert set(contract["source_modules"]) == packages()
