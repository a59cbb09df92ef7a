"""A slow source at the command line: what is said of it, and how its rest is had."""

from typing import Any

import pytest
from tests.cli.conftest import Cli
from tests.workflow.doubles import Late

from paper_search import models
from paper_search.cli.source_lines import unfinished_line
from paper_search.skills import Searcher
from paper_search.testing.sources import FakeSource
from paper_search.workflow import assembly

QUESTION = "marching ants"


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Late:
    """A source that four others are far ahead of, in every search of the test."""
    source = Late("late", [models.RawPaper(id="late1", title="Marching ants, late", source="late")])
    quick = [
        FakeSource(
            name, [models.RawPaper(id=f"{name}1", title=f"Marching ants by {name}", source=name)]
        )
        for name in "abcd"
    ]

    def searcher(*_: Any) -> Searcher:
        return Searcher([*quick, source], straggler_s=0.05, patience_s=0.05)

    monkeypatch.setattr(assembly, "_searcher", searcher)
    return source


@pytest.fixture
def left_behind(cli: Cli, late: Late) -> tuple[str, str, str]:
    """A thread that waits with a result without the late source, its token and what was said."""
    found = cli("find", QUESTION, "--no-strategy-review", "--json", code=3)
    assert found.document["checkpoint"]["payload"]["unfinished_sources"] == ["late"]
    late.is_late = False
    token = found.document["checkpoint"]["token"]
    return found.document["thread_id"], token, found.stderr


def titles(document: Any) -> set[str]:
    return {paper["title"] for paper in document["checkpoint"]["payload"]["collection"]["papers"]}


def test_resume_takes_the_rest_into_the_result(cli, left_behind):
    thread, token, said = left_behind
    assert f"  wait:    paper-search resume {thread} --wait --token {token}" in said
    shown = cli("show", thread)
    assert "unfinished  late may have more: wait to add the rest to this result" in shown.stdout
    waited = cli("resume", thread, "--wait", "--token", token, "--json")
    assert waited.code == 3, waited.stderr
    assert "Marching ants, late" in titles(waited.document)
    assert "  wait:  " not in waited.stderr
    again = cli("resume", thread, "--wait", "--token", token, "--json")
    assert again.document["checkpoint"]["token"] == waited.document["checkpoint"]["token"]
    token = waited.document["checkpoint"]["token"]
    refused = cli("resume", thread, "--wait", "--token", token, code=2)
    assert "there is nothing to wait for" in refused.stderr
    done = cli("resume", thread, "--approve", "--token", token, "--json")
    assert len(done.document["papers"]) == 5
    assert "updated  once, for slow sources or added files" in cli("show", thread).stdout


def test_waiting_is_no_part_of_another_answer(cli, left_behind, tmp_path):
    (tmp_path / "f.json").write_text("{}")
    for options in (["--approve"], ["--reject", "no"], ["--note", "w"], ["--edit", "f.json"]):
        refused = cli("resume", left_behind[0], "--wait", *options, code=2)
        assert f"--wait cannot be combined with {options[0]}" in refused.stderr


@pytest.mark.usefixtures("late")
def test_there_is_nothing_to_wait_for_at_the_strategy(cli):
    found = cli("find", QUESTION, "--json")
    refused = cli("resume", found.document["thread_id"], "--wait", code=2)
    assert "no source has been searched yet" in refused.stderr


def test_the_line_names_each_source_once():
    reports = [
        models.SourceReport(source=name, status=models.SourceStatus.TIMEOUT, is_unfinished=is_late)
        for name, is_late in [("doaj", True), ("arxiv", False), ("doaj", True), ("dblp", True)]
    ]
    for question_asked in ("two\nlines", "many words " * 100):
        line = str(unfinished_line(question_asked, reports, None))
        assert "Unfinished: doaj and dblp." in line
        assert line.endswith(": run the same `find` with --source doaj --source dblp")
    assert unfinished_line("q", reports[1:2], None) is None
