"""SEC-17: no pattern of the report takes long on any text."""

import importlib
import pkgutil
import re
import time

import pytest

from paper_search import report

PIECES = (
    "(", "[@", "Aa ", "Aa, 2019 ", "et al. ", "\\cite{", "[1,", "((A", "(Aa ", "1,", "[@a;", "“a ",
    "**", "a. ", "1 ", "Aa and ", " - ", "http://", "[Aa", "A", "10.1234/", "2019a", ". A", "\n\n",
)  # fmt: skip
LONG = 10_000
LIMIT_S = 0.5
"""CPU seconds; the machine that runs the tests may be slow, and what is wrong takes minutes."""


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
def test_a_pattern_reads_ten_thousand_characters_in_time(name):
    pattern = patterns()[name]
    for piece in PIECES:
        text = "(" + piece * (LONG // len(piece))
        begun = time.process_time()
        for count, _ in enumerate(pattern.finditer(text)):
            if count % 100 == 0 and time.process_time() - begun > LIMIT_S:
                break
        assert time.process_time() - begun < LIMIT_S, (name, piece)
