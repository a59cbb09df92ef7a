"""`paper-search graph`, and its commands `list`, `show`, `run` and `check`."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]
EXAMPLES = f"{ROOT / 'docs' / 'examples'}/"
QUESTION = '{"question": "graph neural networks for molecules"}'


def test_the_graph_is_shown_as_a_picture_and_as_json(cli):
    assert "confirm_strategy -- edit --> search" in cli("graph").stdout
    document = cli("graph", "--json").document
    edge = {"from": "confirm_strategy", "outcome": "edit", "to": "search"}
    assert edge in document["transitions"]


# --- list -----------------------------------------------------------------------------------------


def test_list_finds_those_of_a_directory(cli):
    names = [block["name"] for block in cli("graph", "list", "--in", EXAMPLES, "--json").document]
    assert names == ["confidence_loop", "hybrid_steps", "linear", "mode_branching", "quality_gate"]


def test_list_shows_the_others_and_fails_where_one_cannot_be_used(cli, tmp_path):
    shutil.copy(ROOT / "docs" / "examples" / "linear.py", tmp_path)
    (tmp_path / "bad.py").write_text("WORKFLOW = 1")
    ended = cli("graph", "list", "--in", f"{tmp_path}/", code=1)
    assert ended.stdout.startswith("linear ")
    assert "which is not a Workflow" in ended.stderr
    ended = cli("graph", "run", "bad", "--in", f"{tmp_path}/", code=2)
    assert "which is not a Workflow" in ended.stderr


# --- check ----------------------------------------------------------------------------------------


def test_check_compares_with_langgraph_json(cli, monkeypatch):
    monkeypatch.chdir(ROOT)
    ended = cli("graph", "check", "--json", code=0)
    assert ended.document == {
        "workflows": ["paper_search", "research_report"],
        "is_compared": True,
        "problems": [],
    }


@pytest.mark.parametrize("services", ["no.such:thing", "paper_search.errors:no_such_function"])
def test_check_and_run_find_out_that_live_objects_cannot_be_made(cli, tmp_path, services):
    (tmp_path / "poor.py").write_text(
        "from paper_search.steps import Outcome, StepDef, Workflow\n"
        "step = StepDef('a', next={Outcome.OK: None})\n"
        f"WORKFLOW = Workflow('poor', step, services={services!r})\n"
    )
    where = ("--in", f"{tmp_path}/")
    assert services in cli("graph", "check", *where).stdout
    ended = cli("graph", "run", "poor", *where, code=1)
    assert services in ended.stderr


# --- run ------------------------------------------------------------------------------------------


def run_example(cli: Cli, name: str, *options: str) -> Any:
    return cli("graph", "run", name, "--in", EXAMPLES, *options)


def test_run_prints_the_result_and_says_the_way_it_went(cli):
    ended = run_example(cli, "linear", "--input", '{"title": "The origin of species"}')
    assert ended.code == 0
    assert ended.document["name"] == "origin-species"
    assert ended.stderr.splitlines() == ["split: ok", "shorten: ok", "name: ok"]


def test_run_takes_settings_as_words_and_checks_them(cli):
    words = ("--param", "max_iterations=1", "--param", "wanted=3", "--json")
    document = run_example(cli, "confidence_loop", *words).document
    assert document["status"] == "done"
    assert document["result"]["confidence"] == "capped"
    assert document["trace"][0] == {"step": "investigate", "outcome": "ok"}


def test_run_runs_one_step_by_itself(cli):
    words = ("--step", "investigate", "--param", "wanted=3", "--input", '{"shelf": ["a", "b"]}')
    document = run_example(cli, "confidence_loop", *words).document
    assert document["outcome"] in {"ok", "iterate"}
    assert document["next_command"].startswith("paper-search graph run confidence_loop --step ")
    assert document["update"]
    unknown = run_example(cli, "confidence_loop", "--step", "nowhere")
    assert (unknown.code, "known: " in unknown.stderr) == (2, True)
    assert run_example(cli, "confidence_loop", *words, "--thread", "one").code == 2


def test_a_step_that_needs_records_does_not_run_alone(cli):
    ended = cli("graph", "run", "paper_search", "--step", "parse_intent", code=1)
    assert "has no store: run its workflow" in ended.stderr


def test_one_step_after_the_other_runs_by_the_commands_that_are_printed(cli):
    words = ("graph", "run", "mode_branching", "--in", EXAMPLES, "--param", "mode=full")
    document = cli(*words, "--step", "plan", "--input", "{}").document
    titles = [document["title"]]
    while document["next_command"]:
        _program, *command = shlex.split(document["next_command"])
        document = cli(*command).document
        titles.append(document["title"])
    assert titles == ["Plan the work", "Make it thorough", "Write it down"]
    assert document["update"]["plan"][1] == "2. write a protocol"


def test_run_prints_the_question_and_exits_as_one_that_waits(cli):
    ended = cli("graph", "run", "paper_search", "--input", QUESTION, code=3)
    assert ended.document["kind"] == "strategy_confirmation"
    assert "--answer" in ended.stderr
    assert cli("threads", "--json").document == []


def test_run_gives_the_answers_in_order(cli):
    limits = ("--param", 'sources=["library"]', "--param", "max_results=2")
    answers = ("--answer", '"approve"', "--answer", '{"action": "approve"}')
    ended = cli("graph", "run", "paper_search", "--input", QUESTION, *limits, *answers, "--json")
    assert ended.code == 0
    document = ended.document
    assert [block["kind"] for block in document["questions"]] == [
        "strategy_confirmation",
        "result_review",
    ]
    assert document["result"]["ended_by"] == "approved"
    assert len(document["result"]["collection"]["papers"]) == 2


@pytest.mark.parametrize("options", [(), ("--thread", "one"), ("--step", "pay")])
def test_what_a_handler_raises_is_told_as_a_failure_of_its_step(cli, tmp_path, options):
    (tmp_path / "ordering.py").write_text(
        "from paper_search.steps import Outcome, StepDef, Workflow\n"
        "def pay(ctx): return Outcome.OK, {'price': {}['book']}\n"
        "WORKFLOW = Workflow('ordering', StepDef('pay', handler=pay, next={Outcome.OK: None}))\n"
    )
    ended = cli("graph", "run", "ordering", "--in", f"{tmp_path}/", *options, code=1)
    assert "step 'pay' of the workflow 'ordering': KeyError: 'book'" in ended.stderr
    assert "bug in paper-search" not in ended.stderr
    if "--thread" in options:
        assert "'pay'" in cli("graph", "resume", "one", "--in", f"{tmp_path}/", code=1).stderr


# --- threads of other workflows -------------------------------------------------------------------


@pytest.fixture
def written(tmp_path: Path) -> str:
    """The workflow that the page about extending shows, in a directory of its own."""
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    (code,) = [
        match
        for match in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        if "ordering" in match
    ]
    (tmp_path / "workflows").mkdir()
    (tmp_path / "workflows" / "ordering.py").write_text(code)
    return f"{tmp_path / 'workflows'}/"


def test_a_thread_of_another_workflow_is_run_shown_resumed_and_deleted(cli, written):
    begun = ["graph", "run", "ordering", "--in", written, "--thread", "order-8"]
    ended = cli(*begun, "--input", '{"copies": 2}', code=3)
    assert "graph resume order-8" in ended.stderr
    (row,) = cli("threads", "--json").document
    assert (row["thread_id"], row["graph"], row["status"]) == ("order-8", "ordering", "waiting")
    assert "ordering" in cli("threads").stdout
    assert "2 or more?" in cli("show", "order-8").stdout
    assert cli("export", "order-8").code == 1
    checks = {row["what"]: row["found"] for row in cli("doctor", "--json").document}
    assert checks["threads"] == "0 searches, 1 thread of another workflow"
    resumed = ["graph", "resume", "order-8", "--in", written]
    assert cli(*resumed).code == 1
    bad = cli(*resumed, "--answer", '{"copeis": 3}')
    assert (bad.code, "'ask'" in bad.stderr, "copies" in bad.stderr) == (2, True, True)
    done = cli(*resumed, "--answer", '{"copies": 3}', "--json").document
    assert done["result"] == {"copies": 3, "is_paid": True}
    assert cli("show", "order-8", "--json").document["status"] == "done"
    assert cli("delete", "order-8", "--yes").code == 0
    assert cli("threads", "--json").document == []
