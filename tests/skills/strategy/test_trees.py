from __future__ import annotations

import pytest

from paper_search.query import Term
from paper_search.skills.strategy.trees import words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("few-shot object detection", ["few-shot", "object", "detection"]),
        ("the state of the art", ["state", "art"]),
    ],
)
def test_words_with_a_hyphen_stay_whole(name: str, words: list[str]) -> None:
    assert words_of(name) == [Term(word) for word in words]
