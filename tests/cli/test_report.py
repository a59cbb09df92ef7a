"""`paper-search report`: from a search that was approved to a report that was approved."""

import json

import pytest

ASK = ("report", "protein folding", "--source", "sample")


def test_a_search_is_approved_reported_revised_and_approved(cli, reply, reviewing, tmp_path):
    assert cli("resume", reviewing, "--approve", "--json").code == 0
    planned = cli("report", "--from", reviewing, "--json", code=3)
    thread = planned.document["thread_id"]
    assert planned.document["review"]["kind"] == "plan_review"
    assert cli("resume", thread, "--json").document["review"]["kind"] == "plan_review"
    shows = planned.document["review"]["shows"]
    result = cli("show", reviewing, "--json").document
    assert [query["query_text"] for query in shows["research_plan"]["search_queries"]] == [
        result["question"]
    ]
    used = f"{result['papers']} papers of the search {reviewing}; nothing is searched"
    assert f"the report rests on {used}" in shows["warnings"]
    plan = tmp_path / "plan.json"
    plan.write_text('{"search_queries": [{"query_text": "something else"}]}')
    refused = cli("resume", thread, "--edit", str(plan))
    assert (refused.code, "searches nothing" in refused.stderr) == (2, True)
    plan.write_text('{"decomposed_questions": ["What are they?", "What are molecules?"]}')
    drafted = cli("resume", thread, "--edit", str(plan), "--json", code=3)
    assert drafted.document["review"]["kind"] == "pre_output_review"
    revised = reply(thread, "--note", "more on molecules", "--json")
    assert revised.code == 3
    first, second = (ended.document["review"]["shows"]["draft"] for ended in (drafted, revised))
    assert second["version"] > first["version"]
    target = tmp_path / "report.html"
    token = revised.document["review"]["token"]
    options = ("--approve", "--token", token, "-o", str(target), "--json")
    done = cli("resume", thread, *options)
    assert done.code == 1  # titles alone answer nothing, and no approval changes that
    assert (done.document["thread_id"], done.document["output"]) == (thread, str(target))
    assert "partial report" in done.stderr
    assert ">References</h2>" in target.read_text(encoding="utf-8")
    listed = {block["thread_id"]: block for block in cli("threads", "--json").document}
    assert listed[thread]["status"] == "done"
    assert listed[thread]["graph"] == "research_report"
    product = json.loads(cli("export", thread, "--format", "json").stdout)
    assert product["provenance"]["from_thread"] == reviewing
    assert product["provenance"]["collection_ended_by"] == "approved"
    assert product["provenance"]["is_approved_by_person"] is True
    runs = [run for query in product["provenance"]["search_queries"] for run in query["runs"]]
    assert {run["source"] for run in runs} == {"sample"}
    assert all(run["query"] for run in runs)
    assert any(run["kept"] for run in runs)
    by = product["approval"]["by"]
    assert f"version {second['version']} approved by {by} on" in cli("export", thread).stdout
    late = cli("resume", thread, "--approve", code=1)
    assert "is finished" in late.stderr
    assert cli("delete", thread, "--yes").code == 0
    assert cli("resume", thread).code == 4


def test_a_report_without_a_person_is_written_at_once(cli, tmp_path):
    target = tmp_path / "report.tex"
    ended = cli(*ASK, "--yes", "--depth", "quick", "-o", str(target))
    assert ended.code == 1  # the sample has titles only, which answer nothing
    assert r"\begin{document}" in target.read_text(encoding="utf-8")
    assert "@" in (tmp_path / "report.bib").read_text(encoding="utf-8")


def test_a_question_that_nothing_answers_is_a_failure_with_the_papers_found(cli):
    question = "Does methylphenidate cause cancer in teenagers?"
    ended = cli("report", question, "--source", "sample", "--yes")
    told = ended.stdout
    assert ended.code == 1
    assert "No answer found" in ended.stderr
    assert "Status: partial" in told
    assert "no text to read; its title: “Methylphenidate Exposure Induces Dopamine Neuron" in told
    assert "| journal article, " in told


APPENDIX_B = {
    "depth": "quick",
    "style_guide": "technical",
    "target_length": 700,
    "max_iterations": 2,
    "max_search_iterations": 4,
    "max_gap_searches": 1,
    "max_search_errors": 5,
}


def test_every_setting_of_a_report_can_be_given_and_remembered(cli):
    """An option wins over what is remembered."""
    remembered = ", ".join(f"{name}={value}" for name, value in APPENDIX_B.items())
    assert cli("config", "set", "report", f"{remembered}, max_sources=9").code == 0
    ended = cli(*ASK, "--yes", "--set", "max_sources=7", "--words", "800", "--json")
    settings = ended.document["provenance"]["settings"]
    chosen = {**APPENDIX_B, "target_length": 800, "max_sources": 7}
    assert {name: settings[name] for name in chosen} == chosen


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("max_gap_searches", "give NAME=VALUE"),
        ("max_gapsearches=1", "it has: depth"),
        ("max_gap_searches=many", "max_gap_searches"),
        ("writer_model=a-model", "OPENAI_API_KEY"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_before_any_work(cli, given, words):
    ended = cli(*ASK, "--yes", "--set", given)
    assert ended.code in {1, 2}
    assert words in ended.stderr
    assert cli("threads", "--json").document == []


def test_a_plan_that_asks_for_a_search_of_code_is_refused(cli, tmp_path):
    planned = cli(*ASK, "--json").document["thread_id"]
    file = tmp_path / "plan.json"
    file.write_text('{"search_queries": [{"query_text": "gnn", "search_type": "code"}]}')
    ended = cli("resume", planned, "--edit", str(file), code=2)
    assert "there is no search of code" in ended.stderr


def test_a_report_from_a_search_with_a_long_question_asks_for_one_in_a_sentence(cli):
    asked = " OR ".join(f"protein{number}" for number in range(300))
    thread = cli("find", asked, "--source", "sample", "--yes", "--json")
    refused = cli("report", "--from", thread.document["thread_id"], "--yes")
    assert refused.code == 2
    assert "characters; a report allows 2,000: give QUESTION as a sentence" in refused.stderr
    words = ("report", "Which proteins are known?", "--from", thread.document["thread_id"])
    assert cli(*words).code == 3


def test_a_report_from_a_search_that_has_not_ended_is_refused(cli, waiting):
    for words in (("report", "--from", waiting), ("report", "Do rats sing?", "--from", waiting)):
        ended = cli(*words)
        assert ended.code == 1, "no plan is asked about"
        assert "has not ended" in ended.stderr
    assert cli("report", "Do rats sing?", "--from", "no-such-thread").code == 4
    threads = cli("threads", "--json").document
    assert [thread["thread_id"] for thread in threads] == [waiting], "no failed report is left"


@pytest.mark.parametrize("name", ["missing/report.md", "folder.md", "dangling.md"])
def test_no_report_is_wasted_on_a_file_that_cannot_be_written(cli, tmp_path, name):
    """SEC-12"""
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    ended = cli(*ASK, "--yes", "--depth", "quick", "-o", str(tmp_path / name), code=2)
    assert name.partition("/")[0] in ended.stderr
    assert cli("threads", "--json").document == []
