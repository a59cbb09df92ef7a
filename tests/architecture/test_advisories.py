"""No package is older than the release that repaired what is known to be dangerous in it."""

import re
from importlib.metadata import PackageNotFoundError, version

import pytest
from packaging.version import Version
from tests.architecture.tree import ROOT, text_of

FLOORS = {
    "langgraph": "1.2.20",
    "langgraph-checkpoint": "4.1.1",  # CVE-2025-64439, CVE-2026-27794, CVE-2026-48775
    "langgraph-checkpoint-sqlite": "3.0.1",  # CVE-2025-67644
    "langgraph-checkpoint-postgres": "3.2.0",
    "langgraph-sdk": "0.4.14",  # CVE-2026-48776
    "langchain-core": "1.2.11",  # CVE-2025-68664, CVE-2026-26013
    "langchain-openai": "1.1.14",  # CVE-2026-41488
    "starlette": "0.49.1",  # CVE-2025-62727
    "h11": "0.16.0",  # CVE-2025-43859
}
"""The first release without it."""


@pytest.mark.parametrize("name", FLOORS)
def test_what_is_installed_is_not_older__sec_21(name):
    try:
        installed = version(name)
    except PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    assert Version(installed) >= Version(FLOORS[name])


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_what_is_pinned_is_not_older__sec_21(file):
    pins = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text_of(ROOT / file), re.MULTILINE))
    old = [name for name in FLOORS if name in pins and Version(pins[name]) < Version(FLOORS[name])]
    assert old == []
