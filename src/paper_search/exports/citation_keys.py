"""Citation keys: `lastname_year_firsttitleword`, the same in BibTeX and CSL-JSON."""

from __future__ import annotations

from itertools import count, product
from string import ascii_lowercase
from typing import TYPE_CHECKING

from anyascii import anyascii

from paper_search.bibliography.names import parts_of, without_particle
from paper_search.bibliography.text import NOT_A_TO_Z_OR_DIGIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paper_search.models import Paper

_MAX_PART = 40


def citation_keys(papers: Sequence[Paper]) -> list[str]:
    """Return one key for each paper, in order, of [a-z0-9_] and all different.

    The first paper of a key has it plain, the next ones get _a, _b, ... _z, _aa.
    """
    used: set[str] = set()
    suffixes: dict[str, Iterator[str]] = {}
    keys = []
    for paper in papers:
        base = key = _plain_key(paper)
        while key in used:
            key = f"{base}_{next(suffixes.setdefault(base, _letters()))}"
        used.add(key)
        keys.append(key)
    return keys


def _plain_key(paper: Paper) -> str:
    names = (_romanised(without_particle(parts_of(author).family)) for author in paper.authors)
    words = (_romanised(word) for word in paper.title.split())
    year = "nd" if paper.year is None else _romanised(str(paper.year))
    return f"{next(filter(None, names), 'anon')}_{year}_{next(filter(None, words), 'item')}"


def _romanised(text: str) -> str:
    return NOT_A_TO_Z_OR_DIGIT.sub("", anyascii(text).lower())[:_MAX_PART]


def _letters() -> Iterator[str]:
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)
