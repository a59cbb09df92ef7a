"""`paper-search add`: files that join a review, whatever has been decided on it."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_import_screening import ris

pytestmark = pytest.mark.usefixtures("plain_audits")

QUESTION = "balneotherapy for pain in older adults"
WHAT = ["pain", "sleep", "gait", "mood", "falls", "grip"]


def export(folder: Path, name: str, numbers: range) -> str:
    def title(number: int) -> str:
        return f"Randomised trial {number} of balneotherapy for {WHAT[number % 6]} in older adults"

    path = folder / name
    rows = (ris(title(n), 1960 + n, doi=f"10.1000/{n}") for n in numbers)
    path.write_text("\n".join(rows))
    return str(path)


@pytest.fixture
def review(cli: Any, tmp_path: Path) -> str:
    """A review of 30 records of Embase, none of them decided on."""
    file = export(tmp_path, "embase.ris", range(30))
    words = ("--database", "Embase (Ovid)", "--question", QUESTION, "--json")
    told = cli("screen", "--import", file, *words)
    assert told.code == 0, told.stderr
    return str(told.document["thread_id"])


def decide(cli: Any, thread: str, *, relevant: str = "", irrelevant: str = "") -> None:
    """Approve the result with these papers marked."""
    token = cli("show", thread, "--json").document["open_checkpoint"]["token"]
    words = ["--relevant", relevant] * bool(relevant) + ["--irrelevant", irrelevant] * bool(
        irrelevant
    )
    assert cli("resume", thread, *words, "--approve", "--token", token).code == 0


def audit(cli: Any, thread: str, folder: Path) -> tuple[dict[str, Any], list[dict[str, str]]]:
    assert cli("audit", thread, "--output", str(folder)).code == 0
    rows = csv.DictReader((folder / "search_log.csv").read_text().splitlines())
    return json.loads((folder / "prisma_flow.json").read_text()), list(rows)


def test_records_of_another_database_join_a_result_that_waits(cli, review, tmp_path):
    second = export(tmp_path, "scopus.ris", range(20, 45))
    run = tmp_path / "run.txt"
    run.write_bytes(b"\x00\x01 no text")
    assert "is not a text file" in cli("add", review, second, "--strategy", str(run)).stderr
    run.write_text("1. balneo*.ti.\n2. pain.ab.\n3. 1 and 2\n", encoding="utf-16")
    words = ("--database", "Scopus", "--searched", "2025-11-02")
    told = cli("add", review, second, *words, "--strategy", str(tmp_path / "run.txt"), "--json")
    assert told.code == 0, told.stderr
    assert told.document["flow"] == {
        "identified": 55,
        "removed_by_checks": 0,
        "duplicates": 10,
        "works": 45,
        "undecided": 45,
    }
    flow, log = audit(cli, review, tmp_path / "audit")
    assert flow["by_source"] == {"Embase (Ovid)": 30, "Scopus": 25}
    row = log[-1]
    assert (row["source"], row["query"], row["hits"]) == ("Scopus", "scopus.ris", "25")
    assert (row["asked_at"], row["new_works"]) == ("2025-11-02", "15")
    assert row["strategy"] == "1. balneo*.ti. 2. pain.ab. 3. 1 and 2"
    decisions = csv.DictReader((tmp_path / "audit" / "decisions.csv").read_text().splitlines())
    assert [row["note"] for row in decisions if row["event"] == "added"] == ["scopus.ris"]


def test_a_file_that_cannot_join_is_named_and_nothing_changes(cli, review, tmp_path):
    good = export(tmp_path, "good.ris", range(50, 52))
    again = tmp_path / "renamed.ris"
    again.write_bytes((tmp_path / "embase.ris").read_bytes())
    (tmp_path / "none.ris").write_text("TY  - JOUR\nER  -\n")
    with (tmp_path / "large.ris").open("wb") as large:
        large.truncate(500_000_001)
    before = cli("show", review, "--json").document
    same = cli("add", review, str(tmp_path / "embase.ris")).stderr
    assert "'embase.ris' is already on thread" in same
    for words, why in (
        ((good, str(again)), "is already on thread"),
        ((good, str(tmp_path / "none.ris")), "has no record that can be used"),
        ((good, str(tmp_path / "absent.ris")), "cannot be read"),
        ((str(tmp_path / "large.ris"),), "large.ris: 500,000,001 bytes; the limit is 500,000,000"),
        ((good, "--database", " "), "the name of a database is blank"),
        ((good, "--searched", "2 November"), "is not a date"),
        ((good, "--searched", "2999-01-01"), "is in the future"),
    ):
        told = cli("add", review, *words)
        assert told.code == 2, told.stderr
        assert why in told.stderr
    assert cli("show", review, "--json").document == before


def test_files_show_all_their_works_beside_as_many_of_the_search_as_were_asked_for(cli, tmp_path):
    words = ("--source", "sample", "--max", "5", "--yes", "--keep", "--json")
    found = cli("find", "graph neural networks", *words).document
    told = cli("add", found["thread_id"], export(tmp_path, "new.ris", range(9)), "--json")
    assert told.document["flow"]["undecided"] == 5 + 9


def test_a_database_that_has_no_record_is_in_the_search_log(cli, review, tmp_path):
    words = ("--database", "CINAHL", "--searched", "2025-11-02")
    before = audit(cli, review, tmp_path / "before")[0]
    told = cli("add", review, *words)
    assert told.code == 0, told.stderr
    assert "CINAHL: no records" in told.stderr
    flow, log = audit(cli, review, tmp_path / "after")
    assert {**flow, "rounds": before["rounds"]} == before
    row = log[-1]
    assert [row[name] for name in ("source", "asked_at", "hits", "status")] == [
        "CINAHL", "2025-11-02", "0", "empty",
    ]  # fmt: skip
    reporting = (tmp_path / "after" / "reporting.md").read_text()
    assert "Embase (Ovid): not known; CINAHL: 2025-11-02" in reporting
    assert "is already on thread" in cli("add", review, *words).stderr
    for missing in (words[:2], words[2:]):
        told = cli("add", review, *missing)
        assert (told.code, "name the database without any record" in told.stderr) == (2, True)


def test_files_join_a_search_of_services_and_none_of_their_records_is_set_aside(cli, tmp_path):
    found = cli("find", "hepatotoxicity of molecules", "--source", "sample", "--yes", "--json")
    thread = found.document["thread_id"]
    unlike = tmp_path / "bees.ris"
    unlike.write_text(ris("Beekeeping in the Alps"))
    told = cli("add", thread, str(unlike), "--database", "CAB Abstracts")
    assert told.code == 0, told.stderr
    queue = cli("screen", thread, "--json").document["queue"]
    assert "Beekeeping in the Alps" in {paper["title"] for paper in queue}


def test_an_import_is_decided_on_where_the_sources_of_searches_are_stored(cli, review):
    assert cli("config", "set", "sources", "sample").code == 0
    token = cli("show", review, "--json").document["open_checkpoint"]["token"]
    more = ("--relevant", "1", "--note", "more on molecules", "--token", token, "--json")
    asked = cli("resume", review, *more, code=3).document
    assert asked["checkpoint"]["payload"]["strategy"]["sources"] == ["sample"]


def test_the_limits_of_a_search_are_not_said_of_a_file(cli, tmp_path):
    question = "hepatotoxicity of molecules since 2010"
    asked = cli("find", question, "--source", "sample", "--json").document
    thread, token = asked["thread_id"], asked["checkpoint"]["token"]
    assert cli("resume", thread, "--approve", "--token", token).code == 3
    added = cli("add", thread, export(tmp_path, "scopus.ris", range(3)), "--database", "Scopus")
    assert added.code == 0, added.stderr
    _, log = audit(cli, thread, tmp_path / "audit")
    of_sample, of_file = log[0], log[-1]
    assert "years 2010-" in of_sample["filters"]
    assert (of_file["source"], of_file["filters"]) == ("Scopus", "")


def test_fork_names_the_files_that_its_question_was_without(cli, review, tmp_path):
    second = export(tmp_path, "scopus.ris", range(30, 34))
    decide(cli, review, relevant="1")
    assert cli("add", review, second, "--database", "Scopus").code == 0
    forked = cli("fork", review, "--to", "result", code=3)
    assert "'scopus.ris', added later, is no longer part of the thread" in " ".join(
        forked.stderr.split()
    )
    flow, log = audit(cli, review, tmp_path / "audit")
    assert (flow["identified"], flow["outside_rounds"]) == (30, 4)
    assert "Not counted: of rounds" in (tmp_path / "audit" / "report.md").read_text()
    assert {row["source"] for row in log} == {"Embase (Ovid)"}
    assert len(cli("show", review, "--json").document["collection"]["papers"]) == 30
    again = cli("add", review, second, "--database", "Scopus", "--json")
    assert again.document["flow"]["identified"] == 34
    further = cli("fork", review, "--to", "strategy", code=3)
    assert "'scopus.ris', added later, is no longer part of the thread" in " ".join(
        further.stderr.split()
    )


def test_each_reviewer_is_sent_to_their_own_screening_of_what_was_added(cli, review, tmp_path):
    for name in ("ada", "bo"):
        cli("screen", review, "--reviewer", name, "--done", code=0)
    told = cli("add", review, "--database", "PEDro", "--searched", "2025-11-02", code=0)
    assert told.stderr.endswith(f"  paper-search reconcile {review}\n")
    told = cli("add", review, export(tmp_path, "scopus.ris", range(30, 32)), code=0)
    screening = f"  paper-search screen {review} --reviewer"
    assert told.stderr.endswith(f"{screening} ada\n{screening} bo\n")
