"""`paper-search fork`, `prune`, `backup`, `restore`, and `threads` by pages."""

import re
import shlex
import sqlite3
from contextlib import closing


def test_fork_asks_a_decided_question_again(cli, reply, done_by_hand):
    """HUM-18."""
    ended = cli("fork", done_by_hand, "--to", "strategy", "--json", code=3)
    assert ended.document["checkpoint"]["kind"] == "strategy_confirmation"
    shown = cli("show", done_by_hand, "--json").document
    assert shown["status"] == "waiting"
    assert [row["event"] for row in shown["decisions"]].count("forked") == 1
    assert reply(done_by_hand, "--approve").code == 3
    assert cli("fork", done_by_hand, "--round", "9").code == 1


def test_a_round_says_that_it_was_searched_after_its_rejection_was_undone(
    cli, reply, question, tmp_path
):
    edit = tmp_path / "edit.json"
    edit.write_text('{"queries": ["zzqq"], "ranked": []}')
    thread = cli("find", question, "--source", "sample", "--json").document["thread_id"]
    for count, says in enumerate(("not searched", "0 papers")):
        if count:
            assert cli("fork", thread, "--to", "strategy", "--round", "1").code == 3
            assert reply(thread, "--edit", str(edit)).code == 3
        assert reply(thread, "--reject", "others").code == 3
        assert f"Round 1: {says}, rejected" in cli("show", thread).stdout


def test_fork_goes_back_to_before_what_is_damaged(cli, home, done_by_hand):
    """PER-09."""
    last = "(SELECT MAX(checkpoint_id) FROM checkpoints)"
    with closing(sqlite3.connect(home / "threads.db")) as connection, connection:
        connection.execute(f"UPDATE checkpoints SET checksum = 1 WHERE checkpoint_id = {last}")  # noqa: S608  # a constant
    assert "`fork`" in cli("show", done_by_hand).stderr
    assert re.search(r"search │ damaged │ - +│ +- │", cli("threads").stdout)
    assert cli("fork", done_by_hand, "--to", "strategy").code == 3
    assert cli("show", done_by_hand, "--json").document["status"] == "waiting"


def test_prune_forgets_the_history_and_keeps_the_rest(cli, home, reviewing):
    """PER-19."""
    assert cli("prune", "--yes", "--json").document == {"pruned": [reviewing], "skipped": {}}
    with closing(sqlite3.connect(home / "threads.db")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM checkpoints").fetchone() == (1,)
    assert cli("fork", reviewing, "--to", "strategy").code == 1
    assert cli("resume", reviewing, "--approve").code == 0
    assert cli("prune", "unknown").code == 4
    unasked = cli("prune", "--json", code=2)
    assert "give --yes to prune all threads" in unasked.stderr


def test_a_backup_is_put_back(cli, waiting, tmp_path):
    """PER-10."""
    file = tmp_path / "backup.db"
    assert cli("backup", str(file), "--json").document["bytes"] == file.stat().st_size
    assert cli("backup", str(file)).code == 2
    nowhere = tmp_path / "no" / "backup.db"
    assert "does not exist" in cli("backup", str(nowhere), code=2).stderr
    assert not nowhere.parent.exists()
    assert cli("delete", waiting, "--yes").code == 0
    assert cli("restore", str(file)).code == 0
    assert cli("show", waiting, "--json").document["status"] == "waiting"
    refused = cli("restore", str(file), code=2)
    assert "--force" in refused.stderr


def test_the_printed_command_restores_a_backup_whatever_its_name_and_home(cli, home, tmp_path):
    odd_home, file = tmp_path / "a home", tmp_path / "a backup.db"
    home.rename(odd_home)
    at_home = ("--home", str(odd_home))
    assert cli("find", "visual slam", "--source", "sample", *at_home).code == 3
    told = cli("backup", file.name, *at_home, code=0).stderr
    command = told.split(": ")[-1]
    assert f"restore {shlex.quote(str(file))}" in command
    assert cli(*shlex.split(command)[1:], "--force").code == 0
    beyond = cli("threads", "--offset", "3", *at_home).stderr
    assert "no threads after the first 3" in beyond
