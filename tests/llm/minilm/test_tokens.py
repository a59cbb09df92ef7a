"""Text becomes the word pieces that BERT was trained on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm.minilm.tiny import PIECES

from paper_search.llm.minilm import WordPieces

PIECES_OF = WordPieces(PIECES)


def pieces(text: str, longest: int = 256) -> list[str]:
    return [PIECES[number] for number in PIECES_OF.numbers(text, longest)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("graphs", ["graph", "##s"]),
        ("Neural  NETWORK,graph", ["neural", "net", "##work", ",", "graph"]),
        ("neural\tnet\nwork", ["neural", "net", "[UNK]"]),
        ("gràphs", ["graph", "##s"]),
        ("gra\u00adph\u200b", ["graph"]),
        ("net北net", ["net", "北", "net"]),
        ("netx graph", ["[UNK]", "graph"]),
        ("", []),
        (" \x00\ufffd ", []),
    ],
)
def test_words_are_cut_into_the_longest_known_pieces(text, expected):
    assert pieces(text) == ["[CLS]", *expected, "[SEP]"]


def test_a_word_of_more_than_a_hundred_letters_is_unknown():
    assert pieces("net" + "s" * 97) == ["[CLS]", "net", *["##s"] * 97, "[SEP]"]
    assert pieces("net" + "s" * 98) == ["[CLS]", "[UNK]", "[SEP]"]


def test_a_long_text_is_cut_and_still_ends():
    assert pieces("graphs " * 50, longest=6) == ["[CLS]", "graph", "##s", "graph", "##s", "[SEP]"]
    assert pieces("graph neural net neural", 5) == ["[CLS]", "graph", "neural", "net", "[SEP]"]


@given(st.text())
def test_any_text_has_a_start_and_an_end_within_the_limit(text):
    numbers = PIECES_OF.numbers(text, 10)
    assert 2 <= len(numbers) <= 10
    assert (numbers[0], numbers[-1]) == (2, 3)
