"""Papers screened one by one, by a person at a terminal."""

import re
from typing import Any

from tests.cli.conftest import Cli

KEYS = "[q]uit > "


def marks(cli: Cli, thread: str) -> list[tuple[bool | None, str | None]]:
    document = cli("screen", thread, "--json").document
    return [(mark["is_relevant"], mark["note"]) for mark in document["marks"]]


def sees_screened(someone: Any, screened: int, *, relevant: int | None = None) -> None:
    someone.sees(f"{screened} of ")
    someone.sees(" screened, " if relevant is None else f" screened, {relevant} relevant.")


def test_every_key_is_saved_and_the_marks_join_the_answer(cli, reviewing):
    before = cli("screen", reviewing, "--json").document
    assert before["stopping_estimate"] is None
    first = before["queue"][0]["id"]
    typed = ["r", "x", "n", "ask the author", "n and me", "i", "q"]
    cli("screen", reviewing, typed=typed, code=0).shows(
        *(f"{before['papers']} papers to screen", before["queue"][0]["title"][:40]),
        *("no abstract; keywords: ", KEYS, "1 of ", " screened, 1 relevant.", KEYS, "is none of"),
        *(KEYS, "note: ", "noted", KEYS, "noted", KEYS, "2 of ", " screened, 1 relevant.", KEYS),
        *(
            f"saved; to continue: paper-search screen {reviewing}",
            "your marks will be added to your answer",
            "waits for",
        ),
    )
    after = cli("screen", reviewing, "--json").document
    assert [mark["is_relevant"] for mark in after["marks"]] == [True, False]
    assert after["marks"][0]["paper_id"] == first
    assert after["marks"][1]["note"] == "and me"
    assert after["stopping_estimate"]["unseen"] == before["papers"] - 2
    waiting = cli("show", reviewing, "--json").document
    assert waiting["status"] == "waiting"
    assert waiting["open_checkpoint"]["payload"]["marks"][first] is True
    irrelevant = after["marks"][1]["paper_id"]
    assert cli("resume", reviewing, "--approve", "--json").code == 0
    feedback = cli("show", reviewing, "--json").document["history"][-1]["feedback"]
    assert feedback["marked_relevant"] == [first]
    assert feedback["marked_irrelevant"] == [irrelevant]


def test_a_mark_can_be_taken_back_and_a_skipped_paper_comes_last(cli, reviewing):
    first = cli("screen", reviewing, "--json").document["queue"][0]
    title = first["title"][:40]
    cli("screen", reviewing, typed=["u", "r", "u", "k", "q"], code=0).shows(
        *(KEYS, "nothing to undo", KEYS, "1 of ", " screened, ", KEYS, f"undone: {title}"),
        *(title, KEYS, KEYS),
    )
    document = cli("screen", reviewing, "--json").document
    assert document["queue"][-1] == first
    assert [mark["is_skipped"] for mark in document["marks"]] == [True]


def test_what_was_screened_is_in_front_of_the_person_who_answers_and_can_be_unmarked(
    cli, reviewing
):
    cli("screen", reviewing, typed=["r", "r", "q"], code=0)
    kept, dropped = (
        mark["paper_id"] for mark in cli("screen", reviewing, "--json").document["marks"]
    )
    shown = cli("show", reviewing, "--json").document["open_checkpoint"]["payload"]
    ids = [paper["id"] for paper in shown["collection"]["papers"]]
    ended = cli("resume", reviewing, typed=[f"u {ids.index(dropped) + 1}", "a"], code=0)
    ended.shows("2 of ", " screened, ", "[h]elp  [q]uit > ", "relevant: ", "[h]elp  [q]uit > ")
    feedback = cli("show", reviewing, "--json").document["history"][-1]["feedback"]
    assert feedback["marked_relevant"] == [kept]


def test_without_a_terminal_screening_is_refused(cli, reviewing):
    ended = cli("screen", reviewing, code=2)
    assert "screening needs a terminal" in ended.stderr
    assert f"`paper-search review {reviewing}` shows a page to screen on" in ended.stderr


def test_a_narrow_window_without_colours_shows_it_all_and_may_change_its_width(
    person, cli, reviewing
):
    someone = person("screen", reviewing, NO_COLOR="1")
    someone.resizes(40)
    someone.sees(KEYS)
    shown = [line for line in someone.screen.splitlines() if "[r]elevant" not in line]
    assert max(map(len, shown)) <= 40
    assert not re.search("\x1b\\[[0-9;]*3[0-9]m", someone.raw)
    someone.resizes(100)
    someone.types("k")
    someone.sees(KEYS)
    assert max(map(len, someone.screen.splitlines())) > 40
    someone.types("\x04")  # Ctrl-D
    someone.sees("saved")
    assert someone.leaves() == 0
    assert marks(cli, reviewing) == [(None, None)]


def test_a_second_screening_is_told_of_the_first_which_loses_nothing_when_it_is_killed(
    person, cli, reviewing
):
    first = person("screen", reviewing)
    first.sees(KEYS)
    second = person("screen", reviewing)
    second.sees("is being screened by process")
    assert second.leaves() != 0
    first.types("r")
    sees_screened(first, 1)
    first.sees(KEYS)
    first.close_at_once()
    third = person("screen", reviewing)
    sees_screened(third, 1, relevant=1)
    third.sees(KEYS)
    third.types("u")
    third.sees("undone")
    third.sees(KEYS)
    third.rests()
    third.presses_ctrl_c()
    assert third.leaves() == 130
    assert marks(cli, reviewing) == []
