"""Words of a text in the form in which two of them count as the same."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = (
    "\u3040-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\u0e00-\u0e7f"  # Thai
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_LATIN_ENDINGS = (
    ("isations", "ize"), ("izations", "ize"), ("isation", "ize"), ("ization", "ize"),
    ("ising", "ize"), ("izing", "ize"), ("ised", "ize"), ("ized", "ize"), ("ise", "ize"),
    ("ations", "ate"), ("ation", "ate"), ("ating", "ate"), ("ated", "ate"), ("ative", "ate"),
    ("ctions", "ct"), ("ction", "ct"), ("cting", "ct"), ("cted", "ct"), ("ctive", "ct"),
    ("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("ly", ""),
)  # fmt: skip
_SHORTEST_STEM = 3
_SHORTEST_PLURAL = 4


def tokens(text: str) -> list[str]:
    """Return the stems of the words of `text` in order.

    Scripts that put no space between words give overlapping pairs of characters, so that a
    phrase is found wherever it stands in a longer run.
    """
    if text.isascii():
        return [stem(word) for word in _WORD.findall(text.lower())]
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            found.append(stem(word))
        else:
            found.extend(_pieces(word))
    return found


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    end = 0
    for run in _UNSPACED_RUN.finditer(word):
        if run.start() > end:
            pieces.append(stem(word[end : run.start()]))
        chars = run.group()
        pieces += [chars[i : i + 2] for i in range(len(chars) - 1)] or [chars]
        end = run.end()
    if end < len(word):
        pieces.append(stem(word[end:]))
    return pieces


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the part of a lower-case word that its English forms and both spellings share.

    Light on purpose: it joins plurals, -ing, -ed, -ation and -isation/-ization, and no more,
    because a wrong join makes a reason that a person cannot follow.
    """
    if len(word) <= _SHORTEST_STEM:
        return word
    folded = _without_plural(word)
    for ending, base in _LATIN_ENDINGS:
        if folded.endswith(ending) and len(folded) - len(ending) >= _SHORTEST_STEM:
            folded = folded[: -len(ending)] + base
            break
    if len(folded) > _SHORTEST_PLURAL and folded.endswith("our"):
        folded = folded[:-3] + "or"
    if len(folded) > _SHORTEST_PLURAL and folded[-1] == "e":
        folded = folded[:-1]
    if len(folded) > _SHORTEST_STEM and folded[-1] == folded[-2] and folded[-1] not in "lsz":
        folded = folded[:-1]
    return folded


def _without_plural(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is", "ies", "sses")):
        return word
    if word.endswith(("xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


def is_unspaced(text: str) -> bool:
    """Whether the text is mostly in a script that puts no space between words."""
    unspaced = sum(len(run) for run in _UNSPACED_RUN.findall(text))
    return unspaced * 2 > sum(char.isalnum() for char in text)
