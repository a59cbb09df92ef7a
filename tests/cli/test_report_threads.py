"""The commands for threads, given the thread of a report."""

import asyncio

import pytest
from tests.cli.conftest import Cli, Once
from tests.report_workflow.doubles import later

from paper_search.cli.answers import Answer
from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.report_workflow import ReportWorkflow


def plan(cli: Cli) -> str:
    ended = cli("report", "protein folding", "--source", "sample", "--json", code=3)
    return str(ended.document["thread_id"])


@pytest.fixture
def planned(cli: Cli, once: Once) -> str:
    """A report that waits with its plan."""
    return once(("planned",), lambda: plan(cli))


@pytest.fixture
def written(cli: Cli, reply: Cli, once: Once) -> str:
    """A report that a person took to its end."""

    def write() -> str:
        thread = plan(cli)
        assert reply(thread, "--approve").code == 3
        assert reply(thread, "--approve").code == 1  # titles alone answer nothing
        return thread

    return once(("written",), write)


def test_papers_cannot_be_marked_in_a_report(cli, planned):
    ended = cli("resume", planned, "--relevant", "1", code=2)
    assert "this thread is a report" in ended.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("show", "REPORT", "--all"),
        ("show", "REPORT", "--details"),
        ("show", "REPORT", "--min-score", "0"),
        ("export", "REPORT", "--decision", "all"),
        ("resume", "REPORT", "--keep"),
        ("export", "SEARCH", "--references", "plain"),
        ("export", "SEARCH", "--no-figures"),
        ("resume", "SEARCH", "--figures"),
    ],
    ids=" ".join,
)
def test_an_option_of_which_nothing_would_come_is_refused(cli, planned, done, command):
    threads = {"REPORT": planned, "SEARCH": done}
    ended = cli(*(threads.get(word, word) for word in command), code=2)
    other = "a report" if "REPORT" in command else "a search"
    assert command[2] in ended.stderr
    assert f"this thread is {other}" in ended.stderr


@pytest.mark.parametrize("name", ["note", "feedback"])
def test_a_note_stands_in_place_of_that_of_the_file(name):
    whole = {"action": "modify", name: "of the file"}
    assert Answer(edit=whole, note="mine").decision(None) == {"action": "modify", "note": "mine"}


def test_resume_goes_on_with_what_silence_approves(cli, home):
    config = AppConfig(home=home, sources={"sample": SearchSourceConfig(name="sample")})
    flow = ReportWorkflow.from_config(
        config,
        persistence=config.persistence_url,
        hitl_after_planning=True,
        auto_approve_on_timeout=["plan_review"],
    )
    asyncio.run(flow.start("protein folding", thread_id="t"))
    with later(hours=1):
        assert "is not the one with the token abc" in cli("resume", "t", "--token", "abc").stderr
        assert "is this the plan" not in cli("resume", "t").stderr
    assert "nobody answered in time" in cli("show", "t").stdout


def test_an_export_of_a_report_is_in_its_own_formats(cli, written, tmp_path):
    assert cli("export", written).stdout.startswith("# ")
    html = ("export", written, "--format", "html")
    assert cli(*html).stdout.startswith("<!doctype html>")
    assert "nowhere" in cli(*html, "--references", "nowhere.csl").stderr
    assert cli("export", written, "--json").document["thread_id"] == written
    target = tmp_path / "report.tex"
    assert cli("export", written, "--output", str(target)).code == 0
    assert target.with_suffix(".bib").exists()
    ended = cli("export", written, "--format", "ris", code=2)
    assert "latex" in ended.stderr


def test_a_report_that_waits_has_nothing_to_export(cli, planned):
    ended = cli("export", planned, code=1)
    assert "has no draft yet" in ended.stderr


def test_searches_and_reports_are_one_list_by_pages(cli, done, planned):
    """LOAD-07."""
    listed = cli("threads", "--json").document
    assert [row["thread_id"] for row in listed] == [planned, done]
    assert [row["graph"] for row in listed] == ["research_report", "paper_search"]
    shared = {"thread_id", "status", "question", "created_at", "updated_at", "ended_by", "error"}
    assert all(shared <= set(row) for row in listed)
    first = cli("threads", "--limit", "1", "--json")
    second = cli("threads", "--limit", "1", "--offset", "1", "--json")
    assert [row["thread_id"] for row in [*first.document, *second.document]] == [planned, done]
    assert "--offset 1" in first.stderr
    table = cli("threads").stdout
    assert "plan review" in table
    assert "report" in table
    assert "search" in table


def test_fork_asks_a_decided_question_of_a_report_again(cli, written):
    """HUM-18."""
    ended = cli("fork", written, "--to", "plan", "--json", code=3)
    assert ended.document["review"]["kind"] == "plan_review"
    assert cli("show", written, "--json").document["status"] == "waiting"
    wrong = cli("fork", written, "--to", "strategy", code=2)
    assert "plan or draft" in wrong.stderr


def test_a_search_has_no_plan_to_go_back_to(cli, done):
    wrong = cli("fork", done, "--to", "plan", code=2)
    assert "strategy or result" in wrong.stderr


def test_prune_keeps_the_question_of_a_report(cli, waiting, planned):
    """PER-19."""
    assert set(cli("prune", "--yes", "--json").document["pruned"]) == {waiting, planned}
    assert cli("resume", planned, "--approve").code == 3
    assert cli("fork", planned, "--to", "plan").code == 3


def test_a_bibliography_that_is_there_stays_and_nothing_is_written_beside_it(
    cli, written, tmp_path
):
    mine = tmp_path / "report.bib"
    mine.write_text("mine", encoding="utf-8")
    ended = cli("export", written, "--output", str(tmp_path / "report.tex"), code=2)
    assert "report.bib" in ended.stderr
    assert [path.name for path in tmp_path.glob("report.*")] == ["report.bib"]
    assert mine.read_text(encoding="utf-8") == "mine"
