"""What a question is about, without the verbs that it is asked with."""

from __future__ import annotations

from paper_search.skills.words import tokens

VERBS = frozenset(
    tokens(
        "affect alleviate cause detect determine enable enhance explain improve increase influence "
        "lead learn predict prevent promote reduce relieve replace solve"
    )
)
"""What stands between two things in a question; no part of the name of either."""
_AT_THE_END = frozenset(
    tokens(
        "better change differ effective effectively help lower name safe superior treat work worse"
    )
)
"""What is said of a thing when it stands behind it; in front it may be part of its name."""
_ONLY_VERBS = frozenset({"help", "helps", "treat", "treats"})
_COMPARING = frozenset({"better", "fewer", "less", "more", "other", "worse"})
_ING = ("ing", "ion")
"""Nouns that have the stems of verbs: "learning", "prediction"."""


def without_verbs(concept: str) -> list[str]:
    """Return the parts of a phrase between its verbs: "trees lower heat" is "trees" and "heat"."""
    parts: list[list[str]] = [[]]
    for word in concept.split():
        if _is_of(word, VERBS) or word.casefold() in _ONLY_VERBS:
            parts.append([])
        else:
            parts[-1].append(word)
    for part in parts:
        while len(part) > 1 and _is_of(part[-1], _AT_THE_END):
            part.pop()
        while len(part) > 1 and part[0].casefold() in _COMPARING:
            del part[0]
    kept = [" ".join(part) for part in parts if part]
    return kept or [concept]


def _is_of(word: str, stems: frozenset[str]) -> bool:
    return not word.casefold().endswith(_ING) and bool(stems.intersection(tokens(word)))
