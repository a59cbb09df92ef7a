"""What a user sees of a model that judges, or does not."""

import io

from rich.console import Console

from paper_search.cli.tables import paper_table
from paper_search.models import Author, Criterion, Grade, Paper

FIND = ("find", "graph neural networks for molecules", "--source", "sample")
QUOTA = (429, "insufficient_quota")


def test_a_search_in_which_nothing_was_judged_fails_and_says_what_asks_again(cli, model):
    model.failing["BatchAnswer"] = QUOTA
    ended = cli(*FIND, "--yes", "--json")
    thread, papers = ended.document["thread_id"], ended.document["papers"]
    count = len(papers) + len(ended.document.get("set_aside", []))
    assert ended.code == 1
    line = f"{count} of {count} unjudged: quota exceeded; `paper-search judge {thread} --unjudged`"
    assert line in ended.stderr
    assert model.calls["BatchAnswer"] == 1
    assert {paper["unjudged_because"] for paper in papers} == {"quota exceeded"}

    still = cli("judge", thread, "--unjudged", code=1)
    assert line in still.stderr

    model.failing.clear()
    judged = cli("judge", thread, "--unjudged", "--json", code=0)
    assert judged.document == {"thread_id": thread, "papers": count, "asked": count, "unjudged": {}}
    shown = cli("export", thread, "--format", "json").document["papers"]
    assert all(paper["is_judged"] and paper["grades"] for paper in shown)
    scores = [paper["relevance_score"] for paper in shown]
    assert scores == sorted(scores, reverse=True)
    calls = model.calls["BatchAnswer"]
    assert cli("judge", thread).code == 0
    assert model.calls["BatchAnswer"] == calls


def test_an_open_question_names_the_command_and_has_the_new_judgements(cli, model):
    model.failing["BatchAnswer"] = QUOTA
    asked = cli(*FIND, "--no-strategy-review", code=3)
    assert "unjudged: quota exceeded" in asked.stderr
    (thread,) = [block["thread_id"] for block in cli("threads", "--json").document]
    assert f"judge:   paper-search judge {thread} --unjudged" in asked.stderr
    model.failing.clear()
    assert "papers judged" in cli("judge", thread, "--unjudged").stderr
    shown = cli("show", thread)
    assert "unjudged" not in shown.stdout
    assert shown.stdout.count(") It is about graph neural networks") == 1
    assert cli("resume", thread, "--approve").code == 0


def test_judging_needs_a_model_and_papers(cli, done):
    ended = cli("judge", done, code=1)
    assert "no model is configured" in ended.stderr
    assert cli("judge", "nobody").code == 4


def graded_paper() -> Paper:
    grades = [
        Grade(criterion=Criterion(text="It measures sleep"), grade=3, snippet="slept less"),
        Grade(criterion=Criterion(text="It is about tea", weight=2), grade=0),
    ]
    return Paper(
        id="p",
        title="Coffee and sleep",
        abstract="Adults slept less. Others did not.",
        authors=[Author(name="A")],
        source="s",
        grades=grades,
        relevance_reason="; ".join(map(str, grades)),
    )


def test_criteria_are_named_once_below_a_table():
    written = io.StringIO()
    Console(file=written, width=200).print(paper_table([graded_paper(), graded_paper()]))
    assert written.getvalue().count('3/3 (1): "slept less"; 0/3 (2)') == 2
    *_, first, second = map(str.strip, written.getvalue().splitlines())
    assert (first, second) == ("(1) It measures sleep", "(2) It is about tea (weight 2)")
    assert written.getvalue().count("sleep") == 3  # of two titles, and a criterion
