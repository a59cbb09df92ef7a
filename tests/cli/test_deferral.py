"""Modules that run on first use."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paper_search.cli import DEFERRED, defer_import

RUNS = "deferral_runs"
"""A module of the test that counts how often the deferred one ran."""


@pytest.fixture
def package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], list[str]]]:
    """Write the package `slow_one` with this code, defer it, and return the list of its runs."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(code: str) -> list[str]:
        (tmp_path / f"{RUNS}.py").write_text("names = []\n")
        folder = tmp_path / "slow_one"
        folder.mkdir()
        prelude = f"import {RUNS}\n{RUNS}.names.append(__name__)\n"
        (folder / "__init__.py").write_text(prelude + code)
        (folder / "part.py").write_text(f"{prelude}SMALL = 1\n")
        importlib.invalidate_caches()
        defer_import("slow_one")
        runs: list[str] = importlib.import_module(RUNS).names
        return runs

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_the_first_name_that_is_asked_for_runs_the_package_once(package):
    runs = package("LARGE = 2\n")
    module = importlib.import_module("slow_one")
    assert runs == []
    assert (module.LARGE, module.LARGE, runs) == (2, 2, ["slow_one"])


def test_a_package_that_cannot_run_fails_at_every_use(package):
    runs = package("raise ImportError('a part is missing')\n")
    module = importlib.import_module("slow_one")
    for _ in range(2):
        with pytest.raises(ImportError, match="a part is missing"):
            _ = module.LARGE
    assert runs == ["slow_one", "slow_one"]


def test_a_package_that_is_not_installed_is_missing_as_ever():
    defer_import("not_installed_anywhere")
    with pytest.raises(ModuleNotFoundError, match="not_installed_anywhere"):
        importlib.import_module("not_installed_anywhere")


def test_what_is_deferred_can_still_be_used():
    """In a process of its own: here all of them may be loaded."""
    import subprocess

    script = (
        "from importlib import import_module\n"
        "from paper_search.cli import defer_import\n"
        f"for name in {sorted(DEFERRED)}:\n"
        "    defer_import(name)\n"
        "    module = import_module(name)\n"
        "    assert '__getattr__' in vars(module), f'{name} is not deferred'\n"
        "    assert dir(module) and not hasattr(module, 'nonsense'), name\n"
        "    assert len([each for each in vars(module) if not each.startswith('_')]) > 3, name\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=240)  # noqa: S603  # fixed words
