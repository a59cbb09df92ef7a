"""What is so of a service stands in its adapter, and nowhere else."""

import ast
from pathlib import Path

import pytest

import paper_search
from paper_search.sources import known_sources
from paper_search.sources.base import service_of
from paper_search.web.templates import words

ROOT = Path(paper_search.__file__).parent
SERVICES = {name for name in known_sources() if service_of(name) is not None}
LISTED = SERVICES - {"arxiv"}
"""Its name is that of a kind of identifier, too."""
SETTINGS = {"service_settings.py", "config.py"}
"""Which variables and names stand for what is a matter of the settings."""


def lists_of_services(path: Path) -> list[list[str]]:
    """Return the lists of names in a module that name more than one service."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        names = [part.value for part in parts if isinstance(part, ast.Constant)]
        if len(LISTED.intersection(map(str, names))) > 1:
            found.append([str(name) for name in names])
    return found


def test_no_module_outside_of_the_sources_lists_services():
    modules = [path for path in ROOT.rglob("*.py") if path.name not in SETTINGS]
    outside = [path for path in modules if ROOT / "sources" not in path.parents]
    assert {path.name: lists for path in outside if (lists := lists_of_services(path))} == {}


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_page_calls_a_service_as_its_adapter_does(name):
    service = service_of(name)
    assert service is not None
    assert words(name) == service.title
    assert service.name == name
