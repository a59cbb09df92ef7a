"""`paper-search report`: from a search that was approved to a report that was approved."""

import json

import pytest

ASK = ("report", "graph neural networks for proteins", "--source", "sample")


def test_a_search_is_approved_reported_revised_and_approved(cli, reviewing, tmp_path):
    assert cli("resume", reviewing, "--approve", "--json").code == 0
    planned = cli("report", "--from", reviewing, "--json")
    assert planned.code == 3
    thread = planned.document["thread_id"]
    assert planned.document["review"]["kind"] == "plan_review"
    drafted = cli("report", "--thread", thread, "--approve", "--json")
    assert drafted.code == 3
    assert drafted.document["review"]["kind"] == "pre_output_review"
    revised = cli("report", "--thread", thread, "--note", "more on molecules", "--json")
    assert revised.code == 3
    assert revised.document["review"]["shows"]["draft"]["version"] == 2
    target = tmp_path / "report.html"
    done = cli("report", "--thread", thread, "--approve", "-o", str(target))
    assert done.code == 0
    assert "complete report" in done.stderr
    assert "<h2>References</h2>" in target.read_text(encoding="utf-8")
    listed = {each["thread_id"]: each for each in cli("threads", "--json").document}
    assert listed[thread]["status"] == "done"
    assert listed[thread]["graph"] == "research_report"
    product = json.loads(cli("report", "--thread", thread, "--format", "json").stdout)
    assert product["provenance"]["from_thread"] == reviewing
    assert product["provenance"]["collection_ended_by"] == "approved"
    assert product["provenance"]["is_approved_by_person"] is True
    late = cli("resume", thread, "--approve")
    assert late.code == 1
    assert "is done" in late.stderr
    assert cli("delete", thread, "--yes").code == 0
    assert cli("report", "--thread", thread).code == 4


def test_a_report_without_a_person_is_written_at_once(cli, tmp_path):
    target = tmp_path / "report.tex"
    ended = cli(*ASK, "--yes", "--depth", "quick", "-o", str(target))
    assert ended.code == 0
    assert r"\begin{document}" in target.read_text(encoding="utf-8")
    assert "@" in (tmp_path / "report.bib").read_text(encoding="utf-8")


def test_a_report_from_a_search_that_has_not_ended_is_refused(cli, waiting):
    ended = cli("report", "--from", waiting, "--yes")
    assert ended.code == 1
    assert "has not ended" in ended.stderr


def test_options_that_do_not_go_together_are_refused(cli):
    assert cli("report").code == 2
    assert cli(*ASK, "--approve").code == 2
    assert cli(*ASK, "--format", "pdf").code == 2
    assert cli(*ASK, "--depth", "bottomless", "--yes").code != 0
    assert cli("report", "short").code == 2


@pytest.mark.parametrize("name", ["missing/report.md", "folder.md", "dangling.md"])
def test_no_report_is_wasted_on_a_file_that_cannot_be_written(cli, tmp_path, name):
    """SEC-12"""
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    ended = cli(*ASK, "--yes", "--depth", "quick", "-o", str(tmp_path / name))
    assert ended.code == 2
    assert name.partition("/")[0] in ended.stderr
    assert cli("threads", "--json").document == []


def test_a_report_that_could_not_begin_is_not_said_to_go_on(cli, home):
    (home / "threads.db").write_bytes(b"no database at all" * 500)
    ended = cli(*ASK, "--yes", "--depth", "quick")
    assert ended.code == 1
    assert "threads.db" in ended.stderr
    assert "continue with" not in ended.stderr
