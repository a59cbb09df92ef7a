"""Text to the numbers of BERT's uncased word pieces (Devlin et al. 2019; Wu et al. 2016)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_LONGEST_WORD = 100
"""Characters of a word that is looked up; a longer one is unknown."""
_CONTROLS = {"Cc", "Cf", "Co"}
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Blocks whose characters are words of their own, as BERT's normalizer has them."""


class WordPieces:
    """A vocabulary of word pieces by their numbers; those inside of a word start with ##."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._of_word = lru_cache(maxsize=50_000)(self._pieces)

    def numbers(self, text: str, longest: int) -> list[int]:
        """Return at most `longest` numbers of a text, those of its start and its end included."""
        made = [self._numbers[_FIRST]]
        for word in _words(text):
            made += self._of_word(word)
            if len(made) >= longest:
                break
        return [*made[: longest - 1], self._numbers[_LAST]]

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Return the longest pieces that make up the word, from its start."""
        made: list[int] = []
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            prefix = "##" if start else ""
            for stop in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:stop])
                if number is not None:
                    break
            else:
                break
            made.append(number)
            start = stop
        return tuple(made) if start == len(word) else (self._numbers[_UNKNOWN],)


def _words(text: str) -> Iterator[str]:
    """Yield words in lower case and without accents, and every punctuation mark by itself."""
    for part in _normalised(text).split():
        start = 0
        for position, character in enumerate(part):
            if _is_punctuation(character):
                if start < position:
                    yield part[start:position]
                yield character
                start = position + 1
        if start < len(part):
            yield part[start:]


def _normalised(text: str) -> str:
    spaced = "".join(map(_cleaned, text))
    plain = unicodedata.normalize("NFD", spaced)
    return "".join(c for c in plain if unicodedata.category(c) != "Mn").lower()


@lru_cache(maxsize=10_000)
def _cleaned(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in _CONTROLS:
        return ""
    number = ord(character)
    if any(first <= number <= last for first, last in _CJK):
        return f" {character} "
    return " " if character.isspace() else character


@lru_cache(maxsize=10_000)
def _is_punctuation(character: str) -> bool:
    is_symbol = character.isascii() and character.isprintable() and not character.isalnum()
    return (is_symbol and character != " ") or unicodedata.category(character).startswith("P")
