"""Commands that the program prints are run as they stand, whatever the question and the home."""

import json
import re
import shlex
from pathlib import Path

from tests.cli.conftest import Cli, Ended

ODD = '--yes it\'s "graph" $HOME `date` neural networks; && | Übersicht 图'
_COMMAND = re.compile(
    r"paper-search (?:find|resume|show|screen|judge|export|report|reconcile|threads) .*"
)


def printed(ended: Ended) -> list[list[str]]:
    """Return the commands that a command printed, as a shell reads them."""
    lines = (ended.stdout + "\n" + ended.stderr).splitlines()
    commands = [match.group().rstrip("`") for line in lines if (match := _COMMAND.search(line))]
    return [shlex.split(command)[1:] for command in commands]


def test_what_a_waiting_search_prints_can_be_run(cli, home, tmp_path):
    odd_home = tmp_path / "a home's $(folder)"
    home.rename(odd_home)
    asked = cli("find", "--source", "sample", "--home", str(odd_home), "--", ODD, code=3)
    assert asked.stdout == ""
    commands = {command[2]: command for command in printed(asked)}
    assert {"--approve", "--edit", "--reject"} <= set(commands)
    thread = commands["--approve"][1]
    assert cli(*_filled(commands["--reject"], NOTE="that isn't it")).code == 3

    question_now = cli("show", thread, "--json", "--home", str(odd_home)).document
    strategy = question_now["open_checkpoint"]["payload"]["strategy"]
    file = tmp_path / "an edited strategy.json"
    file.write_text(json.dumps(strategy))
    reviewing = cli(*_open(cli, thread, odd_home, "--edit", str(file)), code=3)
    commands = {command[2]: command for command in printed(reviewing)}
    one, other = (paper["id"] for paper in _papers(cli, thread, odd_home)[:2])
    edit = _filled(commands["--relevant"], WORDS="more on graphs")
    edit[edit.index("IDS")], edit[edit.index("IDS")] = one, other
    assert cli(*edit).code == 3
    assert cli(*_open(cli, thread, odd_home, "--approve")).code == 3
    done = cli(*_open(cli, thread, odd_home, "--approve"), code=0)
    assert ("Title" in done.stdout, "approved" in done.stderr) == (True, True)
    shown = cli("show", thread, "--home", str(odd_home))
    for command in [*printed(done), *printed(shown)]:
        if command[0] in {"show", "export"}:
            assert cli(*command).code == 0, command


def _filled(command: list[str], **words: str) -> list[str]:
    """Return a printed command with words in the place of those that stand for others."""
    return [words.get(word, word) for word in command]


def _open(cli: Cli, thread: str, home: Path, *decision: str) -> list[str]:
    shown = cli("show", thread, "--json", "--home", str(home)).document
    token = shown["open_checkpoint"]["token"]
    return ["resume", thread, *decision, "--token", token, "--home", str(home)]


def _papers(cli: Cli, thread: str, home: Path) -> list[dict[str, str]]:
    shown = cli("show", thread, "--json", "--home", str(home)).document
    papers: list[dict[str, str]] = shown["open_checkpoint"]["payload"]["collection"]["papers"]
    return papers


def test_what_reports_and_reviewers_print_can_be_run(cli, home, tmp_path, reviewing):
    odd_home = tmp_path / "a home's $(folder)"
    home.rename(odd_home)
    at_home = ("--home", str(odd_home))
    plan = cli(
        "report", "--source", "sample", "--depth", "quick", *at_home, "--", "-protein folding"
    )
    page = tmp_path / "the draft.html"
    draft = cli(*next(c for c in printed(plan) if "--approve" in c), "-o", str(page), code=3)
    (thread,) = {command[1] for command in printed(draft)}
    assert [command[:3] for command in printed(cli("show", thread, *at_home))] == [
        ["resume", thread, decision] for decision in ("--approve", "--note", "--reject", "--skip")
    ]
    assert cli(*next(c for c in printed(draft) if "--skip" in c), "--force").code in {0, 1}
    assert page.exists()

    done = cli("screen", reviewing, "--reviewer", "ada", "--done", *at_home)
    (command,) = printed(done)
    assert cli(*command).code == 0


def test_the_commands_in_messages_of_every_layer_name_the_home_and_the_thread(cli, home, tmp_path):
    odd_home = tmp_path / "a home's $(folder)"
    home.rename(odd_home)
    at_home = ("--home", str(odd_home))
    asked = cli("find", "visual slam", "--source", "sample", *at_home)
    approving = next(command for command in printed(asked) if "--approve" in command)
    thread = approving[1]
    assert cli(*approving).code == 3
    messages = [
        cli("show", "nothing", *at_home, code=4).stderr,
        cli("update", thread, *at_home, code=1).stderr,
        cli("report", "--from", thread, *at_home, code=1).stderr,
        cli("reconcile", thread, *at_home, code=0).stderr,
        cli("resume", thread, "--approve", *at_home, code=1).stderr,
        cli(*approving[:2], "--reject", "no", *approving[3:], code=1).stderr,
    ]
    suggestions = [re.findall("`(paper-search [^`]+)`", message)[0] for message in messages]
    commands = [shlex.split(suggestion)[1:] for suggestion in suggestions]
    fork = ["fork", thread, "--round", "1", "--to", "strategy"]
    assert commands[-1][:-2] == fork
    for command in commands:
        assert command[-2:] == list(at_home)
        assert cli(*_filled(command, NAME="ada")).code in {0, 3}, command


def test_a_page_of_a_finished_search_names_the_command_that_lists_all(cli, done):
    (command,) = [c for c in printed(cli("show", done)) if "--all" in c]
    listed = cli(*command, code=0)
    assert len(listed.stdout) > len(cli("show", done).stdout)


def test_a_search_without_papers_prints_how_to_see_what_the_sources_answered(cli):
    ended = cli("find", "blorptang zzqx", "--source", "sample", "--yes", code=0)
    [details] = [command for command in printed(ended) if "--details" in command]
    assert details[0] == "show"
    assert "blorptang zzqx" in cli(*details).stdout
