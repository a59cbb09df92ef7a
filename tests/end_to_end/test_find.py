"""The whole search is no worse than its parts: a slice of `benchmarks/find.py`."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COLLECTION = ROOT / "../shared/data/ir_cacm"
QUESTIONS, ROUNDS = 10, 2


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    """Return the cells of the benchmark's table by method."""
    if not COLLECTION.is_dir():
        pytest.skip("needs ../shared/data")
    command = [sys.executable, "benchmarks/find.py", "cacm", "--no-peers"]
    made = subprocess.run(  # noqa: S603  # our own script
        [*command, "--most", str(QUESTIONS), "--rounds", str(ROUNDS)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    cells = [line.strip("| ").split(" | ") for line in made.stdout.splitlines()[2:]]
    return {cell[1]: cell[2:] for cell in cells}


@pytest.mark.slow
def test_the_first_page_is_as_good_as_the_librarys_own_order(rows):
    found, static = rows["find"], rows["library search"]
    # One paper at one place makes .03 on so few questions.
    assert float(found[0]) >= float(static[0]) - 0.03
    assert float(found[1]) >= float(static[1]) - 0.03


@pytest.mark.slow
def test_no_page_is_empty(rows):
    assert rows["find"][3] == "0"


@pytest.mark.slow
def test_marking_finds_more_than_reading_down(rows):
    found, static = (rows[name][4].split() for name in ("find", "library search"))
    assert float(found[-1]) >= float(static[-1]) + 0.05
