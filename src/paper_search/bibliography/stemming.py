"""The part of an English word that its forms share."""

from __future__ import annotations

from functools import lru_cache

_LATIN_ENDINGS = (
    ("isations", "ize"), ("izations", "ize"), ("isation", "ize"), ("ization", "ize"),
    ("ising", "ize"), ("izing", "ize"), ("ised", "ize"), ("ized", "ize"), ("ise", "ize"),
    ("ations", "ate"), ("ation", "ate"), ("ating", "ate"), ("ated", "ate"), ("ative", "ate"),
    ("ctions", "ct"), ("ction", "ct"), ("cting", "ct"), ("cted", "ct"), ("ctive", "ct"),
    ("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("ly", ""),
)  # fmt: skip
_SHORTEST_STEM = 3
_SHORTEST_PLURAL = 4


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
