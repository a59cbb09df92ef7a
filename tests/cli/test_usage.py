"""What a user sees of what models cost, and how a budget holds."""

import json
from typing import Any

import pytest
from tests.cli.conftest import Cli
from tests.cli.test_import_screening import ris

QUESTION = "graph neural networks for molecules"
SAMPLE = ("--source", "sample")
SEARCHING = ("deduplicate", "score")
"""What an estimate is of."""


def spent(cli: Cli, thread: str) -> dict[str, Any]:
    document: dict[str, Any] = cli("usage", thread, "--json").document
    return document


def test_the_log_holds_no_text_and_no_key(cli, model, home):
    assert model.url
    cli("find", QUESTION, *SAMPLE, "--yes")
    (log,) = (home / "usage").glob("*.jsonl")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {line["event"] for line in lines} == {"call", "end"}
    assert "graph" not in log.read_text()
    assert "CANARY" not in log.read_text()


def test_a_budget_holds_over_rounds_until_it_is_raised(cli, reply, model):
    thread = cli("find", QUESTION, *SAMPLE, "--json", "--budget", "4 calls").document["thread_id"]
    assert reply(thread, "--approve").code == 3
    assert spent(cli, thread)["spent"]["calls"] == 4
    reply(thread, "--note", "more on toxicity")
    assert sum(model.calls.values()) == 4
    told = cli("judge", thread, "--unjudged").stderr
    assert "looked at now: 0" in told
    assert "of 4 calls does not cover another call, which may need 1 call: 0 calls left" in told
    assert f"`paper-search judge {thread} --unjudged --budget AMOUNT` asks again" in told

    reply(thread, "--reject", "more on drugs", "--budget", "6 calls")
    reply(thread, "--approve")
    assert sum(model.calls.values()) == 6
    assert spent(cli, thread)["budget"]["calls"] == 6


def test_a_budget_of_money_needs_the_price_of_the_model(cli, model, monkeypatch, tmp_path):
    assert model.url
    monkeypatch.setenv("LLM_MODEL", "house-model")
    ended = cli("find", QUESTION, *SAMPLE, "--yes", "--budget", "1.00", code=1)
    assert "price of openai:house-model is not known" in ended.stderr
    prices = tmp_path / "prices.json"
    prices.write_text('{"date": "2026-05-01", "models": {"openai:house-model": [1000, 1000]}}')
    monkeypatch.setenv("LLM_PRICES", str(prices))
    ended = cli("find", QUESTION, *SAMPLE, "--yes", "--json", "--budget", "10.00")
    used = spent(cli, ended.document["thread_id"])["spent"]
    assert used["money"] == pytest.approx((used["input_tokens"] + used["output_tokens"]) / 1000)
    assert 0 < used["money"] <= 10


def test_without_a_model_nothing_costs_and_nothing_is_said_of_it(cli):
    ended = cli("find", QUESTION, *SAMPLE)
    assert "will cost" not in ended.stdout
    assert "Cost" not in cli("threads").stdout
    assert cli("usage", "--json").document == []
    thread = cli("threads", "--json").document[0]["thread_id"]
    asked = cli("usage", thread)
    assert (asked.code, asked.stdout) == (0, "")
    assert f"no language model was called from this home for thread '{thread}'" in asked.stderr
    assert spent(cli, thread)["spent"]["calls"] == 0
    assert cli("usage", "no-such-thread").code == 4


def test_a_deleted_thread_leaves_no_log(cli, model, home):
    assert model.url
    thread = cli("find", QUESTION, *SAMPLE, "--json").document["thread_id"]
    assert cli("usage", thread).code == 0
    cli("delete", thread, "--yes")
    assert not list((home / "usage").iterdir())
    assert cli("usage", thread).code == 4


def test_a_report_is_counted_and_kept_within_its_budget(cli, model):
    question = "How do graph neural networks predict molecular properties?"
    ended = cli("report", question, *SAMPLE, "--yes", "--json", "--budget", "4 calls")
    assert ended.code == 1  # four calls answer nothing
    thread = ended.document["thread_id"]
    used = spent(cli, thread)
    assert used["spent"]["calls"] == 4 == sum(model.calls.values())
    assert {step["step"] for step in used["steps"]} <= {"planner", "searcher", "analyst", "writer"}
    shown = cli("show", thread)
    assert "spent  4 calls" in shown.stdout
    assert "budget of 4 calls" in shown.stdout
    assert "Cost" in cli("threads").stdout


def test_the_cost_of_an_update_is_that_of_what_is_new(cli, reply, model, tmp_path):
    def add(*numbers: int) -> None:
        path = tmp_path / "own.ris"
        title = "Graph neural networks, part {} of a series"
        path.write_text("\n".join(ris(title.format(n), doi=f"10.1000/{n}") for n in numbers))
        assert cli("library", "add", str(path)).code == 0

    add(*range(40))
    found = cli("find", QUESTION, "--source", "library", "--json").document
    thread, first = found["thread_id"], found["checkpoint"]["payload"]["estimate"]
    assert (first["papers"], reply(thread, "--approve").code) == (40, 3)
    tokens, calls = (
        sum(step[name] for step in spent(cli, thread)["steps"] if step["step"] in SEARCHING)
        for name in ("input_tokens", "calls")
    )
    assert (calls, tokens) == (first["calls"], pytest.approx(first["input_tokens"], rel=0.1))
    assert reply(thread, "--approve").code == 0
    add(*range(50))
    told = cli("update", thread, code=3)
    assert "for about 10 new papers, by the rise in hits" in told.stderr
    model.calls.clear()
    assert reply(thread, "--approve").code == 3
    assert model.calls["BatchAnswer"] == 10
