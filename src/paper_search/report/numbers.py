"""Numbers in a text, in a form in which two of them are the same."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"(?<![\w.])[-−]?\d{1,3}(?:[,\u202f]\d{3})+(?:\.\d+)?|(?<![\w.])[-−]?\d+(?:\.\d+)?|(?<=\w-)\d+"
)
_OF_THE_REPORT = re.compile(
    r"^\s*(?:sources?|sub-questions?|sections?|queries|searches|records?|findings?|themes?"
    r"|citations?|references?|gaps?)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"^(?:st|nd|rd|th)\b")
_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30",
    "fifty": "50", "hundred": "100", "half": "50",
}  # fmt: skip
_SCALED = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


def numbers(text: str) -> list[str]:
    """Return the numbers of a text that say something of the world, each once, in order.

    Counts of the report's own parts ("5 sources") and ordinals are none.
    """
    found = []
    for match in _NUMBER.finditer(text):
        rest = text[match.end() :]
        if _OF_THE_REPORT.match(rest) or _ORDINAL.match(rest):
            continue
        found.append(_plain(match.group()))
    return list(dict.fromkeys(found))


def stated(text: str) -> set[str]:
    """Return every number that a text can be said to state, also in words and as a share."""
    have = {_plain(match.group()) for match in _NUMBER.finditer(text)}
    have |= {each.lstrip("-") for each in have}
    for word in re.findall(r"[a-z]+", text.casefold()):
        if word in _WORDS:
            have.add(_WORDS[word])
    scaled = set()
    for match in re.finditer(
        r"(?<!\d)(\d+(?:\.\d+)?)\s{0,9}(thousand|million|billion)\b", text.casefold()
    ):
        scaled.add(_plain(str(int(float(match[1]) * _SCALED[match[2]]))))
    return have | scaled


def _plain(number: str) -> str:
    digits = number.replace(",", "").replace("\u202f", "").replace("−", "-")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return digits or "0"
