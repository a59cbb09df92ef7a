"""`paper-search eval` with a model: the numbers by which a model is chosen."""

import asyncio
import csv
from pathlib import Path
from typing import Any

import pytest

from paper_search.persistence import open_persistence
from paper_search.testing.llm import grades_of
from paper_search.workflow.session import SearchSession

QUESTION = "graph neural networks for molecules"
GRADES = {"Rewiring": 0, "Poultry farming": 0, "Tea": 0}
NAMES = ("question", "doi", "title", "abstract", "label")


@pytest.fixture
def model_answers() -> dict[str, Any]:
    return {"BatchAnswer": grades_of(GRADES)}


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Papers on two questions; "Rewiring" shares no word with its question."""
    path = tmp_path / "labels.csv"
    rows = [
        (QUESTION, "", "Graph neural networks for molecules", "On molecules.", 1),
        (QUESTION, "", "Rewiring", "", 1),
        (QUESTION, "", "Poultry farming", "Chickens and hens.", 0),
        ("statins against stroke", "10.1/x", "Statins against stroke", "Stroke.", 1),
        ("statins against stroke", "", "Tea", "Green tea.", 0),
    ]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        writer.writerows(rows)
    return path


def test_judging_is_measured_with_a_model_and_without(cli, labels, model):
    assert model.url
    without, by_model = cli("eval", str(labels), "--json").document
    assert (without["variant"], by_model["variant"]) == ("no model", "gpt-4o-mini")
    assert without["spent"]["calls"] == 0
    assert by_model["spent"]["calls"] > 0
    assert by_model["spent"]["money"] > 0
    for row in (without, by_model):
        assert (row["task"], row["questions"], row["papers"]) == ("judging", 2, 5)
        assert row["recall"] == 0.75
        assert row["precision"] == 1.0
        assert row["ndcg"] > 0.8
        missed = [(wrong["title"], wrong["is_relevant"]) for wrong in row["wrong"]]
        assert missed == [("Rewiring", True)]

    shown = cli("eval", str(labels))
    assert "gpt-4o-mini" in shown.stdout
    assert "relevant, score" in shown.stderr
    assert "Rewiring" in shown.stderr
    assert "eval-gpt-4o-mini" in cli("usage").stdout


def test_searching_is_measured_where_a_source_is_named(cli, tmp_path, model):
    assert model.url
    found = cli("find", QUESTION, "--source", "sample", "--yes", "--json").document["papers"]
    path = tmp_path / "known.csv"
    lines = [f'"{QUESTION}","{paper["title"]}",1' for paper in found[:3]]
    path.write_text("\n".join(["question,title,label", *lines, f"{QUESTION},Nowhere to be seen,1"]))
    results = cli("eval", str(path), "--source", "sample", "--json").document
    searched = [result for result in results if result["task"] == "search"]
    assert [item["variant"] for item in searched] == ["no model", "gpt-4o-mini"]
    for row in searched:
        assert row["recall"] == 0.75
        assert [(wrong["title"], wrong["score"]) for wrong in row["wrong"]] == [
            ("Nowhere to be seen", None)
        ]


def test_a_budget_ends_an_evaluation_and_says_so(cli, labels, model):
    assert model.url
    ended = cli("eval", str(labels), "--budget", "3 calls", "--json")
    by_model = ended.document[1]
    assert by_model["spent"]["calls"] == 3
    assert by_model["questions"] == 1
    assert "the budget of 3 calls" in by_model["problem"]
    assert "ended early" in cli("eval", str(labels), "--budget", "3 calls").stderr


def test_papers_without_grades_of_the_model_are_counted_by_reason(cli, labels, model):
    """Their scores by words would be taken for those of the model."""
    model.failing["BatchAnswer"] = (401, "invalid_api_key")
    by_model = cli("eval", str(labels), "--json").document[1]
    assert by_model["unjudged"] == sum(by_model["unjudged_because"].values()) == 5
    assert list(by_model["unjudged_because"]) == ["key refused"]
    said = "gpt-4o-mini, judging: 5 papers scored by words, not by the model: key refused"
    assert said in cli("eval", str(labels)).stderr


def test_a_screened_search_is_a_set_of_labels(cli, reviewing):
    assert cli("eval", "--thread", reviewing).code == 2
    papers = cli("show", reviewing, "--json").document["collection"]["papers"]
    marks = ("--relevant", papers[0]["id"], "--irrelevant", papers[1]["id"])
    cli("resume", reviewing, *marks)
    ended = cli("eval", "--thread", reviewing, "--json")
    [without] = ended.document
    assert (without["questions"], without["papers"]) == (1, 2)
    assert without["recall"] == 1.0


def test_a_mark_that_was_taken_back_is_no_label(cli, home, reviewing):
    papers = cli("show", reviewing, "--json").document["collection"]["papers"]
    ids = [paper["id"] for paper in papers[:2]]
    cli("resume", reviewing, "--relevant", ",".join(ids))

    async def take_back() -> None:
        async with open_persistence(f"sqlite:///{home / 'threads.db'}") as persistence:
            await SearchSession.on(persistence, reviewing).mark(ids[:1], is_relevant=None)

    asyncio.run(take_back())
    [without] = cli("eval", "--thread", reviewing, "--json").document
    assert without["papers"] == 1


def test_without_a_model_it_says_how_to_compare_one(cli, labels):
    shown = cli("eval", str(labels), code=0)
    assert "no model is configured" in shown.stderr
