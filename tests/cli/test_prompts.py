"""The loop that asks all questions at the terminal, and the editor that it opens."""

import shlex
import sys

import pytest
from typing_extensions import override

from paper_search.cli.prompts import Choice, Terminal, decide, edit
from paper_search.errors import InvalidDecisionError


class Typed(Terminal):
    """A terminal at which lines are typed."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)
        self.prompts: list[str] = []

    @override
    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return next(self._lines)


CHOICES = [
    Choice("a", "approve", "approve it", lambda _: "approved"),
    Choice("r", "relevant", "mark", lambda w: f"marked {w}", takes_words=True, menu="[r]elevant N"),
    Choice("s", "show", "show it", lambda _: None, menu=""),
]


@pytest.mark.parametrize("line", ["approve please", "a 1", "A please", "q now", "s 1"])
def test_a_decision_is_not_taken_from_half_a_sentence(line, capsys):
    assert decide(Typed(line, "r 1"), CHOICES) == "marked 1"
    assert "nothing may follow" in capsys.readouterr().err


def test_another_key_is_refused_by_name_and_what_only_shows_asks_again(capsys):
    terminal = Typed("x", "", "s", "h", "?", "a")
    assert decide(terminal, CHOICES) == "approved"
    assert len(terminal.prompts) == 6
    told = capsys.readouterr().err
    assert told.count("is none of: a, r, s, h, q") == 2
    assert told.count("show it") == 2


def test_a_menu_breaks_between_choices(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    many = [Choice("a", "a", "", lambda _: "a", menu=f"[a]pprove {n}") for n in range(9)]
    terminal = Typed("a")
    decide(terminal, many)
    lines = terminal.prompts[0].splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert [line.count("[a]pprove") for line in lines[:3]] == [3, 3, 3]


def only_numbers(text: str) -> int | None:
    if not text.strip().isdecimal():
        raise InvalidDecisionError("that is not a number")
    return int(text) or None


def test_a_text_that_cannot_be_read_is_edited_again_with_the_reason_on_top(editor):
    command = editor("form = '7' if form.startswith('#! that is not') else 'seven'")
    assert edit(Typed("e"), command, "0", "form.txt", only_numbers) == 7
    assert edit(Typed("b"), editor("form = 'x'"), "0", "form.txt", only_numbers) is None


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (None, "set EDITOR, or edit on the page"),
        ("no-such-editor", "cannot be used"),
        (f"{shlex.quote(sys.executable)} -c 'raise SystemExit(3)'", "failed with code 3"),
        (f"{shlex.quote(sys.executable)} -c pass", "nothing changed"),
        ("'", "cannot be used"),
    ],
)
def test_without_a_change_nothing_is_decided(command, words, capsys):
    assert edit(Typed(), command, "0", "form.txt", only_numbers) is None
    assert words in capsys.readouterr().err
