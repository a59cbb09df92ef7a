"""Boolean query text from a person's words, and when two queries are equal."""

from __future__ import annotations

import re
from collections.abc import Iterable

from paper_search.bibliography.text import WORD
from paper_search.errors import QuerySyntaxError
from paper_search.query import parse
from paper_search.skills.untrusted import visible

MIN_QUERIES, MAX_QUERIES = 2, 4
"""Queries of a strategy that we write; a person may write more."""

MAX_QUERY_CHARS = 2_000
"""The longest query in a strategy; services refuse longer ones."""

_SYNTAX = re.compile(r"[\"“”„«»()\[\]{}<>*?|&^~\\/:;,=!$%#@`]+")
_OPERATORS = re.compile(r"\b(AND|OR|NOT|NEAR)\b")


def quoted(text: str) -> str:
    """Return the text as one term of a query: a bare word or a phrase in quotes, or "".

    Whatever has a meaning in the query language is taken out of the text; operators among its
    words become ordinary words.
    """
    words = cleaned(text).split()
    if not any(char.isalnum() for word in words for char in word):
        return ""
    joined = " ".join(words)
    return joined if WORD.fullmatch(joined) else f'"{joined}"'


def cleaned(text: str) -> str:
    """Return the words of the text without signs and operators of the query language."""
    plain = _OPERATORS.sub(lambda match: match.group().lower(), _SYNTAX.sub(" ", visible(text)))
    words = (word.strip(".'’-+_") if len(word) > 1 else word for word in plain.split())
    return " ".join(word for word in words if word)


def all_of(parts: Iterable[str]) -> str:
    """Return the parts joined by AND, blank ones left out."""
    return " AND ".join(dict.fromkeys(part for part in parts if part))


def is_readable(query: str) -> bool:
    """Whether the query can be read by `paper_search.query.parse`."""
    try:
        parse(query)
    except QuerySyntaxError:
        return False
    return True


def normalised(query: str) -> str:
    """Return what two spellings of one query share: case and spaces do not matter."""
    return " ".join(re.sub(r"([()])", r" \1 ", query).casefold().split())
