"""How a report words things: counts, lists, quotations, and who says them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_YEAR_AT_END = re.compile(r", (?:\d{4}|n\.d\.)$")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in words up to twelve: "three sources".

    `plural`: by default the noun with an s, or es after ch; empty: the number alone.
    """
    word = _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
    if plural == "":
        return "none" if number == 0 else word
    many = plural or noun + ("es" if noun.endswith("ch") else "s")
    return f"{word} {noun if number == 1 else many}"


def joined(names: Iterable[str]) -> str:
    """Return names as in a sentence: "a, b and c"."""
    listed = list(names)
    if len(listed) <= 1:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"


def quoted(text: str) -> str:
    """Return words in quotation marks, without the full stop at their end.

    Marks inside become single ones, so that the outer ones stay a pair.
    """
    inner = text.strip().rstrip(".").translate(str.maketrans('“”„«»"', "''''''"))
    return f"“{inner}”"


def said_by(who: str) -> str:
    """Return who, as `author_year` names them, writes something: "Lee et al. write"."""
    names = without_year(who)
    return f"{names} {'write' if ' et al.' in names or ' and ' in names else 'writes'}"


def without_year(who: str) -> str:
    """Return who wrote a source, as `author_year` names them, without the year."""
    return _YEAR_AT_END.sub("", who)


def sentence_case(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
