"""One key has one meaning in all prompts, and a decision is not taken from half a sentence."""

from __future__ import annotations

import re

import pytest

from paper_search.cli import report_review, result_review, screening, strategy_review
from paper_search.cli.keys import KEYS, command
from paper_search.errors import InvalidDecisionError

MENUS = {
    "strategy": strategy_review.MENU,
    "result": result_review.MENU,
    "plan": report_review.PLAN_MENU,
    "report": report_review.MENU,
    "screening": screening.PROMPT,
}
SAID = {"undo": "unmark"}
"""What a menu calls a key by another word."""


@pytest.mark.parametrize("menu", MENUS.values(), ids=MENUS)
def test_a_menu_offers_each_key_in_its_one_meaning(menu: str) -> None:
    offered = re.findall(r"(\w*)\[(\w)\](\w*)(?: (\w+))?", menu)
    assert offered
    for before, key, after, beside in offered:
        word = f"{before}{key}{after}" if len(before + after) else beside
        assert KEYS[key] == SAID.get(word, word), menu


@pytest.mark.parametrize("line", ["approve please", "a 1", "A please", "q now", "k it"])
def test_a_key_that_takes_no_words_is_refused_with_some(line: str) -> None:
    with pytest.raises(InvalidDecisionError, match="takes nothing more"):
        command(line, "a k q")


def test_a_line_is_a_key_or_its_word_with_what_stands_behind_it() -> None:
    assert command(" R 1 3-5 ", "a r") == ("relevant", "1 3-5")
    assert command("relevant 1", "a r") == ("relevant", "1")
    assert command("split 4", "a split") == ("split", "4")
    with pytest.raises(InvalidDecisionError, match="'r' is none of: a, x"):
        command("r 1", "a x")
    with pytest.raises(InvalidDecisionError):
        command("", "a x")
