"""The keys of all prompts: each means one thing, wherever it can be pressed."""

from __future__ import annotations

from paper_search.cli.console import visible
from paper_search.errors import InvalidDecisionError

KEYS = {
    "a": "approve",
    "e": "edit",
    "x": "reject",
    "k": "skip",
    "r": "relevant",
    "i": "irrelevant",
    "u": "unmark",
    "n": "note",
    "l": "label",
    "t": "wait",
    "w": "same",
    "d": "different",
    "m": "more",
    "p": "paper",
    "s": "show",
    "f": "full",
    "o": "open",
    "h": "help",
    "?": "help",
    "q": "quit",
}
"""What each key means; the word does as well."""
WITH_WORDS = frozenset(
    {
        "edit",
        "reject",
        "relevant",
        "irrelevant",
        "unmark",
        "same",
        "different",
        "split",
        "paper",
    }
)
"""What can be said with words behind it; "approve please" is no approval."""


def command(line: str, offered: str) -> tuple[str, str]:
    """Return the meaning of a line that was typed, and the words behind it.

    Args:
        line: a key or its word, with words behind it.
        offered: the keys that the prompt takes, and words without a key, separated by blanks.

    Raises:
        InvalidDecisionError: the prompt does not take it, or not with words.
    """
    word, _, rest = line.strip().partition(" ")
    meaning = KEYS.get(word.lower(), word.lower())
    if meaning not in {KEYS.get(word, word) for word in offered.split()}:
        taken = ", ".join(offered.split())
        raise InvalidDecisionError(f"{visible(word)!r} is none of: {taken}")
    if rest.strip() and meaning not in WITH_WORDS:
        raise InvalidDecisionError(
            f"{visible(line)!r} is not a command: {meaning!r} takes nothing more; "
            f"to do it, type {word.lower()} alone"
        )
    return meaning, rest.strip()
