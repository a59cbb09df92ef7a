"""SEC-17: no pattern of the report takes long on any text."""

import importlib
import pkgutil
import re

import pytest

from paper_search import report

PIECES = (
    "(", "[@", "Aa ", "Aa, 2019 ", "et al. ", "\\cite{", "[1,", "((A", "(Aa ", "1,", "[@a;", "“a ",
    "**", "a. ", "1 ", "Aa and ", " - ", "http://", "[Aa", "A", "10.1234/", "2019a", ". A", "\n\n",
)  # fmt: skip
LONG = 10_000


def patterns() -> dict[str, re.Pattern[str]]:
    found = {}
    for package in pkgutil.walk_packages(report.__path__, "paper_search.report."):
        module = importlib.import_module(package.name)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                found[f"{package.name}.{name}"] = value
    return found


def test_the_patterns_are_found():
    assert len(patterns()) > 30


@pytest.mark.parametrize("name", sorted(patterns()))
@pytest.mark.timeout(60)  # a tenth of a second as it is; tests/architecture tries longer texts
def test_a_pattern_gets_to_the_end_of_ten_thousand_characters(name):
    for piece in PIECES:
        text = "(" + piece * (LONG // len(piece))
        assert all(match.end() <= len(text) for match in patterns()[name].finditer(text))
