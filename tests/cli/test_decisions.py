"""What a person decided on papers leaves the result, is exported, and can be asked for."""

import csv
import io
from pathlib import Path

import pytest
from tests.cli.conftest import QUESTION, Cli, Once


@pytest.fixture
def decided(cli: Cli, home: Path, once: Once) -> str:
    """A thread that ended with papers 1 and 2 relevant, and 3 to 5 irrelevant."""
    marks = ("--relevant", "1,2", "--irrelevant", "3-5", "--reason", "wrong population")

    def decide() -> str:
        found = cli("find", QUESTION, "--source", "sample", "--no-strategy-review", "--json")
        thread = str(found.document["thread_id"])
        ended = cli("resume", thread, "--approve", *marks, "--home", str(home))
        assert ended.code == 0, ended.stderr
        listing = f"export {thread} --decision excluded --home {home}"
        assert (
            f"3 decided irrelevant and left out; to list them: paper-search {listing}"
            in ended.stderr
        )
        return thread

    return once(("decided",), decide)


def rows(cli: Cli, thread: str, *options: str) -> tuple[list[dict[str, str]], str]:
    ended = cli("export", thread, "--format", "csv", *options)
    assert ended.code == 0, ended.stderr
    return list(csv.DictReader(io.StringIO(ended.stdout))), ended.stderr


def test_an_export_leaves_out_what_was_decided_irrelevant_and_says_so(cli, decided):
    listed, said = rows(cli, decided)
    counts = {row["decision"] for row in listed}
    assert counts == {"include", ""}
    undecided = sum(row["decision"] == "" for row in listed)
    assert (
        f"included and undecided papers (2 included, {undecided} undecided); "
        "left out: 3 excluded; --decision chooses others" in said
    )


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("included", {"include": 2}),
        ("excluded", {"exclude": 3}),
        ("undecided", {"": None}),
        ("all", {"include": 2, "exclude": 3, "": None}),
    ],
)
def test_an_export_holds_the_papers_decided_as_asked_for(cli, decided, decision, expected):
    listed, _ = rows(cli, decided, "--decision", decision)
    found = [row["decision"] for row in listed]
    assert set(found) == set(expected)
    for word, count in expected.items():
        assert count is None or found.count(word) == count
    assert {row["reason"] for row in listed if row["decision"] == "exclude"} <= {"wrong population"}
    assert all(row["decided_by"] and row["decided_at"] for row in listed if row["decision"])


def test_a_thread_is_shown_without_what_was_decided_irrelevant_unless_asked(cli, decided):
    every = cli("show", decided, "--json", "--decision", "all").document["collection"]
    out = {p["id"] for p in every["papers"] if p.get("screening", {}).get("decision") == "exclude"}
    assert len(out) == 3
    shown = cli("show", decided, "--json").document["collection"]
    assert not out & {paper["id"] for paper in shown["papers"]}
    listed = cli("show", decided, "--json", "--all").document["collection"]
    assert not out & {paper["id"] for paper in listed["papers"]}
    shown = " ".join(cli("show", decided).stdout.split())
    assert ("3 excluded" in shown, "set aside, 3 of them excluded: " in shown) == (True, True)
