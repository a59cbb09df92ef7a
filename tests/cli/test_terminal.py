"""A person at a terminal, in processes of their own."""

import re
import shlex
import socket
from collections.abc import Iterator

import pytest

QUESTION = "graph neural networks for molecules"
MENU_1 = "[a]pprove  [e]dit"
MENU_2 = "[a]pprove  [r]elevant"


def test_approving_twice_gives_the_result_and_nothing_else_on_stdout(person, cli, tmp_path):
    """HUM-01"""
    file = tmp_path / "redirected.bib"
    someone = person("find", QUESTION, "--source", "sample", "--format", "bibtex", stdout=file)
    someone.sees("is this the search strategy?")
    someone.sees("query 1")
    someone.sees(MENU_1)
    someone.types("nonsense")
    someone.sees("is none of: a, e, b, x, s, h, q")
    someone.types("a")
    someone.sees("is this the result?")
    someone.sees(MENU_2)
    someone.types("s 1")
    someone.sees("seen in")
    someone.types("approve")
    assert someone.leaves() == 0
    assert "approved" in someone.screen
    assert file.read_text().startswith("@")
    assert [block["ended_by"] for block in cli("threads", "--json").document] == ["approved"]


def test_a_bad_edit_is_shown_with_its_field_and_asked_again_and_a_good_one_searches(cli, editor):
    """HUM-02"""
    body = """
import json
fields = json.loads(form[form.index("{"):])
if form.startswith("#!"):
    assert "max_results" in form.splitlines()[0]
    fields["queries"] = [{"boolean_query": "graph AND network"}]
fields["filters"]["max_results"] = 7 if form.startswith("#!") else 0
form = json.dumps(fields)
"""
    asked = ("find", QUESTION, "--source", "sample")
    ended = cli(*asked, typed=["e", "e", "a"], EDITOR=editor(body), code=0)
    ended.shows(MENU_1, "filters.max_results", "[e]dit again", "is this the result?", MENU_2)
    thread = cli("threads", "--json").document[0]["thread_id"]
    strategy = cli("show", thread, "--json").document["history"][0]["strategy"]
    assert [query["boolean_query"] for query in strategy["queries"]] == ["graph AND network"]
    assert strategy["filters"]["max_results"] == 7


def test_a_broader_query_is_taken_by_its_number_shown_and_searched_once_approved(cli):
    asked = ("find", "few-shot segmentation of medical images", "--source", "sample")
    ended = cli(*asked, typed=["b", "b 7", "b 1", "b 2", "a", "a"], code=0)
    ended.shows(
        *("broader 2", "[b]roader N", "no such broader query: ''; give 1 to 2", "'7'"),
        *("broader 1", "taken", "broader 2", "taken", "is this the result?", MENU_2),
    )
    thread = cli("threads", "--json").document[0]["thread_id"]
    [query] = cli("show", thread, "--json").document["history"][0]["strategy"]["queries"]
    assert query["boolean_query"] == (
        "(few-shot AND segmentation) OR (shot AND segmentation)"
        " OR (medical AND images) OR (medical AND image) OR radiology OR (diagnostic AND imaging)"
    )


def test_a_strategy_is_shown_again_and_rejected_with_words(waiting, cli):
    ended = cli("resume", waiting, typed=["s", "x", "newer ones", "x older ones"], code=3)
    ended.shows(
        *(MENU_1, "What each source will be sent:", MENU_1, "what should be different? "),
        *(
            "Round 2: ",
            "you wrote: newer ones",
            MENU_1,
            "Round 3: ",
            "you wrote: older ones",
            MENU_1,
        ),
    )
    assert "Round 2: not searched, rejected" in cli("show", waiting).stdout


def test_papers_are_marked_by_number_and_the_search_goes_round(cli):
    marking = ["r 99999", "r 1 3-4", "i 2: too old", "u 4", "r 60", "u 60"]
    typed = ["e", "", *marking, "m", "s 1", "e graph", "q"]
    asked = ("find", "neural networks", "--source", "sample", "--no-strategy-review")
    ended = cli(*asked, typed=typed, code=3)
    ended.shows(
        *(MENU_2, "what to look for", "another round needs feedback", "no such paper: '99999'"),
        *("relevant: 1 3 4", "irrelevant: -", "relevant: 1 3 4", "irrelevant: 2"),
        *("relevant: 1 3\n", "irrelevant: 2", "60 has not been listed yet: ", "relevant: 1 3 60"),
        *("relevant: 1 3\n", "irrelevant: 2", "seen in", "Round 2: is this the result?", MENU_2),
    )
    command = re.search(r"approve: (.*--approve --token \w+)", ended.stderr)
    assert command is not None
    assert cli(*shlex.split(command[1])[1:]).code == 0
    detail = cli("show", cli("threads", "--json").document[0]["thread_id"], "--json").document
    feedback = detail["history"][0]["feedback"]
    assert len(feedback["marked_relevant"]) == 2
    assert len(feedback["marked_irrelevant"]) == 1
    assert feedback["free_text_feedback"] == "graph"
    assert detail["ended_by"] == "approved"


def test_the_papers_fit_the_window_above_the_prompt_and_what_is_longer_waits(person, reviewing):
    rows = 50  # of the window
    someone = person("resume", reviewing)
    someone.sees("not on this page (m shows them)")
    someone.sees(MENU_2)
    lines = someone.screen[: someone.screen.rindex(MENU_2)].splitlines()
    head = max(n for n, line in enumerate(lines) if line.lstrip().startswith("#"))
    assert len(lines) - head < rows
    numbers = [int(n) for n in re.findall(r"^ ?(\d+) │", "\n".join(lines), re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    someone.types("m")
    someone.sees(f"\n{numbers[-1] + 1:>2} │")
    someone.sees(MENU_2)
    someone.types("s 1-20")
    someone.sees("[m]ore  [b]ack > ")
    someone.types("m")
    someone.sees("[m]ore  [b]ack > ")
    someone.types("b")
    someone.sees(MENU_2)
    someone.types("q")
    assert someone.leaves() == 3
    assert "\n20. " not in someone.screen, "it was left before the end"


@pytest.mark.parametrize("leave", ["q", "ctrl-c", "ctrl-d"])
def test_marks_are_saved_at_once_and_no_way_of_leaving_loses_them(person, cli, reviewing, leave):
    """PER-06"""
    shown = cli("show", reviewing, "--json").document["open_checkpoint"]["payload"]["collection"]
    first, second, third = [paper["id"] for paper in shown["papers"][:3]]
    someone = person("resume", reviewing)
    someone.sees("this round found")
    someone.sees(MENU_2)
    assert re.search(r"this round found[^\n]*\n\[a\]pprove", someone.screen), (
        "papers above the prompt"
    )
    someone.types("r 1 3")
    someone.sees("relevant: 1 3")
    someone.types("i 2: wrong population")
    someone.sees("irrelevant: 2")
    someone.types("u 3")
    someone.sees("relevant: 1\n")
    someone.sees(MENU_2)
    someone.types("approve please")
    someone.sees("nothing may follow 'approve'")
    someone.sees(MENU_2)
    someone.rests()
    if leave == "ctrl-c":
        someone.presses_ctrl_c()
    else:
        someone.types({"q": "q", "ctrl-d": "\x04"}[leave])
    assert someone.leaves() == (130 if leave == "ctrl-c" else 3)
    assert (f"interrupted; thread {reviewing}" in someone.screen) is (leave == "ctrl-c")

    again = cli("show", reviewing, "--json").document["open_checkpoint"]
    assert again["payload"]["marks"] == {first: True, second: False}
    ended = cli("resume", reviewing, "--approve", "--token", again["token"], "--json", code=0)
    marked = {p["id"]: p["screening"] for p in ended.document["papers"] if p.get("screening")}
    assert list(marked) == [first]
    out = cli("export", reviewing, "--decision", "excluded", "--format", "json").document["papers"]
    assert [(p["id"], p["screening"]["reason"]) for p in out] == [(second, "wrong population")]
    assert third not in marked


@pytest.fixture
def silent_server() -> Iterator[socket.socket]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(240)
        yield server


def test_ctrl_c_in_the_middle_of_the_work_loses_nothing(person, cli, silent_server):
    """PER-06"""
    port = silent_server.getsockname()[1]
    someone = person(
        "find",
        QUESTION,
        "--source",
        "sample",
        "--yes",
        LLM_MODEL="none",
        OPENAI_API_KEY="CANARY-key",
        LLM_BASE_URL=f"http://127.0.0.1:{port}/v1",
    )
    connection, _ = silent_server.accept()
    with connection:
        someone.presses_ctrl_c()
        assert someone.leaves() == 130
    assert "continue with" in someone.screen
    assert "Traceback" not in someone.screen
    assert "CANARY" not in someone.screen
    (thread,) = cli("threads", "--json").document
    assert thread["status"] == "failed"
    ended = cli("resume", thread["thread_id"], "--json", code=0)
    assert ended.document["ended_by"] == "not_reviewed"
    assert ended.document["papers"]


def test_pruning_all_threads_asks_first(done, cli):
    cli("prune", typed=["n"], code=1).shows("delete the history of all threads? [y/N]", "kept")
    cli("prune", typed=["y"], code=0).shows("[y/N]", "pruned 1 thread")
    assert cli("prune", done).code == 0
