"""What a search found and does not show first can be counted, listed, exported and marked."""

import csv
import io
import re
from typing import Any

import pytest
from tests.cli.conftest import Cli


def result(cli: Cli, thread: str, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = cli("show", thread, "--json", *options).document["collection"]
    return found


@pytest.fixture
def question() -> str:
    """Return one that the sample has more papers on than are shown."""
    return "drug toxicity of molecules"


@pytest.mark.parametrize(
    "options", [(), ("--all",), ("--min-score", "0.3"), ("--all", "--min-score", "0.3")]
)
def test_an_export_holds_what_the_same_options_show_and_says_what_there_is(cli, done, options):
    ended = cli("export", done, "--format", "csv", *options)
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    listed = result(cli, done, *options)
    assert len(rows) == len(listed["papers"])
    least = 0.3 if "--min-score" in options else 0
    assert all(paper["relevance_score"] >= least for paper in listed["papers"])
    held, *left = ended.stderr[ended.stderr.index("papers (") :].split("; left out: ")
    assert held.rstrip() == f"papers ({len(rows)} undecided)"
    whole = result(cli, done)
    others = len(whole["papers"]) + len(whole["set_aside"]) - len(rows)
    assert sum(map(int, re.findall(r"\d+", "".join(left)))) == others
    assert bool(left) == (options != ("--all",))
