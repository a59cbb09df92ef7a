"""Terms that the built-in table of synonyms knows."""

from __future__ import annotations

from functools import cache

from paper_search.skills.synonyms import SYNONYMS
from paper_search.skills.words import is_unspaced, tokens


def is_known(name: str) -> bool:
    """Return whether the term is in the table, in any form; single words are not looked up."""
    stems = tuple(tokens(name))
    return len(stems) > 1 and stems in _known()


@cache
def _known() -> frozenset[tuple[str, ...]]:
    names = (tuple(tokens(name)) for group in SYNONYMS for name in group if not is_unspaced(name))
    return frozenset(stems for stems in names if len(stems) > 1)
