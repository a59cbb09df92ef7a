"""What a search found and does not show first can be counted, listed, exported and marked."""

import csv
import io
import json
import re
from typing import Any

import pytest
from tests.cli.conftest import Cli


def result(cli: Cli, thread: str, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = cli("show", thread, "--json", *options).document["collection"]
    return found


def ids(papers: list[dict[str, Any]]) -> list[str]:
    return [paper["id"] for paper in papers]


@pytest.fixture
def question() -> str:
    """Return one that the sample has more papers on than are shown."""
    return "drug toxicity of molecules"


def test_nothing_that_was_found_is_lost_what_is_set_aside_is_counted_and_listed_on_request(
    cli, done
):
    collection = result(cli, done)
    aside = len(collection["set_aside"])
    every = ids(collection["papers"]) + ids(collection["set_aside"])
    assert len(every) - aside >= 100
    assert len(every) == len(set(every)) == collection["metadata"]["total_found"]
    shown = cli("show", done).stdout
    assert f"{aside} set aside: paper-search show {done} --all" in shown
    assert "done (not reviewed)" in shown
    whole = result(cli, done, "--all")
    assert ids(whole["papers"]) == every
    assert "set_aside" not in whole


def test_without_a_terminal_no_key_is_offered_to_see_the_rest(cli, waiting):
    shown = " ".join(cli("resume", waiting, "--approve").stderr.split())
    assert "is this the result?" in shown
    assert f"set aside; to list them: paper-search show {waiting} --all" in shown
    assert "m shows" not in shown


@pytest.mark.parametrize(
    "options", [(), ("--all",), ("--min-score", "0.3"), ("--all", "--min-score", "0.3")]
)
def test_an_export_holds_what_the_same_options_show_and_says_what_there_is(cli, done, options):
    ended = cli("export", done, "--format", "csv", *options)
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    listed = result(cli, done, *options)
    assert len(rows) == len(listed["papers"])
    least = 0.3 if "--min-score" in options else 0
    assert all(paper["relevance_score"] >= least for paper in listed["papers"])
    held, *left = ended.stderr[ended.stderr.index("papers (") :].split("; left out: ")
    assert held.rstrip() == f"papers ({len(rows)} undecided)"
    whole = result(cli, done)
    others = len(whole["papers"]) + len(whole["set_aside"]) - len(rows)
    assert sum(map(int, re.findall(r"\d+", "".join(left)))) == others
    assert bool(left) == (options != ("--all",))


def test_what_has_a_lower_score_is_not_called_set_aside(cli, done):
    shown = cli("show", done, "--min-score", "1").stdout
    assert "with a lower score: paper-search show" in shown
    assert "set aside" not in shown


def test_an_export_as_json_says_what_its_lists_hold_besides(cli, done):
    ended = cli("export", done, "--format", "json")
    count = len(json.loads(ended.stdout)["set_aside"])
    assert f"; in separate lists: {count} set aside)" in ended.stderr
    assert "left out" not in ended.stderr


def test_what_only_an_earlier_round_found_is_a_part_of_its_own_listed_on_request(
    cli, reply, waiting, tmp_path
):
    reply(waiting, "--approve")
    first = result(cli, waiting)
    found = {*ids(first["papers"]), *ids(first["set_aside"])}
    liked = first["papers"][0]["id"]
    reply(waiting, "--relevant", liked, "--note", "more on graphs")
    strategy = cli("show", waiting, "--json").document["open_checkpoint"]["payload"]["strategy"]
    strategy["queries"] = [{"boolean_query": "Rydberg", "keywords": []}]
    strategy["ranked"] = []
    file = tmp_path / "strategy.json"
    file.write_text(json.dumps(strategy))
    reply(waiting, "--edit", str(file))
    second = result(cli, waiting)
    now = {*ids(second["papers"]), *ids(second.get("set_aside", []))}
    assert ids(second["papers"])[0] == liked
    assert second["metadata"]["total_found"] == len(now - {liked})
    assert {*ids(second["earlier"])} == found - now
    count = len(second["earlier"])
    assert f"{count} undecided of earlier rounds" in cli("show", waiting).stdout
    written = cli("export", waiting, "--format", "csv")
    assert f"{count} undecided of earlier rounds; --decision and --all" in written.stderr
    chosen = cli("export", waiting, "--format", "csv", "--all", "--decision", "included")
    assert "included papers only (1 included)" in chosen.stderr
    assert [row["decision"] for row in csv.DictReader(io.StringIO(chosen.stdout))] == ["include"]
    whole = result(cli, waiting, "--all")
    assert {*ids(whole["papers"])} == found | now


def test_a_condition_that_narrowed_the_result_stands_above_it_and_is_counted(cli, reply):
    asked = cli("find", "graph neural networks for molecules", "--source", "sample", "--json")
    thread = asked.document["thread_id"]
    assert "    limits  " not in reply(thread, "--approve").stderr
    reply(thread, "--reject", "only toxicity prediction")
    opened = cli("show", thread, "--json").document["open_checkpoint"]["payload"]
    [condition] = opened["strategy"]["filters"]["conditions"]
    hits = [entry["counts"][0]["hits"] for entry in opened["scope"]["queries"]]
    shown = reply(thread, "--approve").stderr
    assert f"    limits  {condition}" in shown
    document = cli("show", thread, "--json").document
    reports = document["open_checkpoint"]["payload"]["reports"]
    assert [row["hits"] for row in reports[-len(hits) :]] == hits
