"""Reads word lists that are written as wrapped text in the code."""

from __future__ import annotations


def words_in(table: str) -> list[str]:
    """Return the words of a table, which are separated by white space."""
    return table.split()


def terms_in(table: str) -> list[str]:
    """Return the terms of a table, which are separated by bars and may hold spaces."""
    return [" ".join(term.split()) for term in table.split("|")]
