"""Tables of words as they are written in the source: wrapped text."""

from __future__ import annotations


def words_in(table: str) -> list[str]:
    """Return the words of a table, which are separated by white space."""
    return table.split()


def terms_in(table: str) -> list[str]:
    """Return the terms of a table, which are separated by bars and may hold spaces."""
    return [" ".join(term.split()) for term in table.split("|")]
