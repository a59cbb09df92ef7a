"""`paper-search screen --import`: files of records, screened without a search."""

from pathlib import Path

import pytest

RIS = """TY  - JOUR
TI  - {title}
AU  - Li, Ada
PY  - {year}
{doi}ER  -
"""
QUESTION = "graph neural networks for molecules"


def ris(title: str, year: int = 2020, doi: str = "") -> str:
    return RIS.format(title=title, year=year, doi=f"DO  - {doi}\n" if doi else "")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    one, two = tmp_path / "one.ris", tmp_path / "two.ris"
    first = [ris(f"Graph networks, part {n}", doi=f"10.1000/{n}") for n in range(150)]
    one.write_text("\n".join([*first, ris("Beekeeping in the Alps")]))
    two.write_text(
        "\n".join([ris("Graph networks, part 7", doi="10.1000/7"), "TY  - JOUR\nER  -\n"])
    )
    return str(one), str(two)


def test_all_records_of_files_are_merged_and_can_be_screened_and_searched_further(cli, files):
    one, two = files
    told = cli("screen", "--import", one, "--import", two, "--question", QUESTION, "--json")
    assert told.code == 0, told.stderr
    assert told.document["papers"] == 151  # below no line, and part 7 once
    assert told.document["queue"][-1]["title"] == "Beekeeping in the Alps"
    assert "one.ris: 151 read\n" in told.stderr
    assert "two.ris: 1 read, 1 rejected" in told.stderr
    assert "two.ris, line 8: left out: the title is missing" in told.stderr
    counts = "153 records identified, 1 not kept, 1 duplicate, 151 works"
    assert counts in told.stderr
    thread = told.document["thread_id"]
    shown = cli("show", thread, "--json").document
    assert [report["query"] for report in shown["reports"]] == ["one.ris", "two.ris"]
    token = shown["open_checkpoint"]["token"]
    again = cli("resume", thread, "--reject", "also property prediction", "--token", token)
    assert again.code == 3, again.stderr
    strategy = cli("show", thread, "--json").document["open_checkpoint"]["payload"]
    assert strategy["strategy"]["sources"] == ["library"]


def test_the_search_log_has_the_day_and_the_strategy_of_imported_files(cli, files, tmp_path):
    (tmp_path / "ovid.txt").write_text("1. graph network*.ti.\n")
    search = ("--searched", "2026-11-02", "--strategy", "ovid.txt")
    imported = ("--import", files[1], "--question", QUESTION)
    thread = cli("screen", *imported, *search, "--json", code=0).document["thread_id"]
    [row] = cli("show", thread, "--json").document["reports"]
    assert (row["asked_at"], row["strategy"]) == ("2026-11-02", "1. graph network*.ti.")
    future = cli("screen", *imported, "--searched", "2100-01-01")
    assert (future.code, "is in the future" in future.stderr) == (2, True)
    alone = cli("screen", thread, *search)
    assert (alone.code, "need --import FILE" in alone.stderr) == (2, True)
