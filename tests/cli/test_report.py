"""`paper-search report`: from a search that was approved to a report that was approved."""

import json

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
