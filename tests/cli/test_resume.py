"""`paper-search resume` without a terminal."""

import contextlib
import json
import shlex
import sqlite3
from typing import Any

import pytest
from tests.cli.conftest import Cli


def payload(cli: Cli, thread: str) -> dict[str, Any]:
    found: dict[str, Any] = cli("show", thread, "--json").document["open_checkpoint"]["payload"]
    return found


@pytest.mark.parametrize("command", ["find", "report"])
def test_a_thread_whose_process_died_at_once_goes_on_with_the_sources_it_was_begun_with(
    cli, home, command
):
    """PER-02"""
    begun = cli(command, "protein folding", "--source", "sample", "--json").document
    with contextlib.closing(sqlite3.connect(home / "threads.db")) as file:
        # Only the input is left, as when the process is killed before the first step.
        file.execute(
            "DELETE FROM checkpoints WHERE checkpoint_id > "
            "(SELECT MIN(checkpoint_id) FROM checkpoints)"
        )
        file.execute("DELETE FROM writes")
        file.commit()
    resumed = cli("resume", begun["thread_id"], "--json")
    assert resumed.code == 3, resumed.stderr
    shown = cli("show", begun["thread_id"], "--json").document
    if command == "find":
        assert shown["open_checkpoint"]["payload"]["available_sources"] == ["sample"]
    else:
        assert shown["open_review"]["kind"] == "plan_review"


def test_a_decision_for_another_checkpoint_is_refused(cli, waiting):
    """HUM-10"""
    named = {"run_id": waiting, "kind": "result_review", "iteration": 0}
    decision = json.dumps({"action": "approve", "checkpoint": named})
    ended = cli("resume", waiting, "--edit", "-", stdin=decision, code=1)
    assert "the open question is strategy confirmation of round 1" in ended.stderr
    assert cli("show", waiting, "--json").document["status"] == "waiting"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "JSON"),
        ("null", "null instead of a decision"),
        ("7", "revised_data"),
        ("{}", "changes nothing"),
        ('{"action": "yes"}', "action"),
        ('{"queries": [{"boolean_query": "(a AND"}], "sources": ["sample"]}', "boolean_query"),
        ('{"queries": [{"boolean_query": "a"}], "sources": ["nowhere"]}', "nowhere"),
        (r'{"queries": [{"boolean_query": "\ud800"}]}', "it cannot be stored"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_a_bad_edit_names_the_field_and_the_question_stays_open(cli, waiting, content, words):
    """HUM-02, HUM-03, HUM-16"""
    ended = cli("resume", waiting, "--edit", "-", stdin=content, code=2)
    assert words in ended.stderr
    assert "stays open" in ended.stderr
    assert cli("show", waiting, "--json").document["status"] == "waiting"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--relevant", "999"), "'999'"),
        (("--relevant", "2-1"), "'2-1'"),
        (("--relevant", "made-up-id"), "made-up-id"),
        (("--relevant", ","), "no paper given"),
        (("--relevant", "1", "--irrelevant", "1"), "both"),
        (("--skip",), "action"),
    ],
)
def test_bad_marks_are_named_and_the_question_stays_open(cli, reviewing, options, words):
    """HUM-04, HUM-05"""
    ended = cli("resume", reviewing, *options, code=2)
    assert words in ended.stderr
    assert cli("show", reviewing, "--json").document["iteration"] == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--approve", "--reject", "no"),
        ("--approve", "--edit", "-"),
        ("--reject", "no", "--edit", "-"),
        ("--edit", "-", "--relevant", "1"),
        ("--reject", "no", "--note", "really"),
        ("--relevant", "1"),
        ("--note", "words alone"),
        ("--edit", "no-such-file.json"),
        ("--edit", "."),
    ],
)
def test_options_that_do_not_fit_are_a_usage_error(cli, waiting, options):
    ended = cli("resume", waiting, *options, code=2)
    assert len(ended.stderr.strip().splitlines()) == 1
    assert cli("show", waiting, "--json").document["status"] == "waiting"


@pytest.mark.parametrize("options", [(), ("--approve",), ("--reject", "no")])
def test_a_finished_thread_cannot_be_resumed(cli, done, options):
    """HUM-11"""
    ended = cli("resume", done, *options, code=1)
    assert "is finished" in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize("options", [(), ("--approve",)])
@pytest.mark.parametrize("thread", ["unknown", "../x"])
def test_an_unknown_thread_is_never_a_new_run(cli, thread, options):
    """HUM-11"""
    ended = cli("resume", "--", thread) if not options else cli("resume", *options, "--", thread)
    assert ended.code == 4
    assert "paper-search threads" in ended.stderr
    assert cli("threads", "--json").document == []


async def test_a_thread_that_another_process_drives_is_busy(cli, waiting, home):
    import asyncio

    from paper_search.persistence import open_persistence

    url = f"sqlite:///{home / 'threads.db'}"
    async with open_persistence(url) as persistence, persistence.leases.hold(waiting):
        ended = await asyncio.to_thread(cli, "resume", waiting, "--approve")
        kept = await asyncio.to_thread(cli, "delete", waiting, "--yes")
    detail = await asyncio.to_thread(cli, "show", waiting, "--json")
    assert ended.code == 1
    assert "is running in process" in ended.stderr
    assert kept.code == 1
    assert detail.document["status"] == "waiting"


def test_a_printed_command_that_runs_twice_approves_one_question(cli, waiting):
    shown = cli("show", waiting).stdout
    line = next(line for line in shown.splitlines() if line.strip().startswith("approve:"))
    words = shlex.split(line.split(":", 1)[1])[1:]
    assert cli(*words).code == 3
    again = cli(*words, "--json", code=3)
    assert again.document["checkpoint"]["kind"] == "result_review"

    bare = cli("resume", waiting, "--approve", code=1)
    token = again.document["checkpoint"]["token"]
    assert f"paper-search resume {waiting} --approve --token {token}" in bare.stderr
    marked = cli(*words, "--relevant", "1", code=1)
    alone = cli("resume", waiting, *words[-2:], code=1)
    assert words[-2] == "--token"
    assert token in marked.stderr
    assert token in alone.stderr
    assert cli("show", waiting, "--json").document["status"] == "waiting"
    assert cli("resume", waiting, "--approve", "--token", token).code == 0
    assert cli("resume", waiting, "--approve", "--token", token).code == 0, "it is given again"
