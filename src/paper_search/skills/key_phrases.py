"""Key phrases of a text: noun phrases that tell its subject."""

from __future__ import annotations

from paper_search.skills.intent.phrases import phrases
from paper_search.skills.intent.requests import without_request
from paper_search.skills.words import is_unspaced

_MOST = 8
_LONGEST = 5
"""Words of a phrase; a longer one is a sentence without function words, not a term."""


def key_phrases(text: str) -> list[str]:
    """Return the key phrases of `text`, quoted ones first, each once, at most eight.

    Nouns that say nothing alone ("effect", "method") are left out where something else is left.
    """
    found = phrases(without_request(text))
    found.sort(key=lambda phrase: not phrase.is_quoted)
    solid = [phrase for phrase in found if not phrase.is_empty] or found
    names = [phrase.text if phrase.is_quoted else _shortened(phrase.text) for phrase in solid]
    return list({name.casefold(): name for name in reversed(names)}.values())[::-1][:_MOST]


def _shortened(name: str) -> str:
    return name if is_unspaced(name) else " ".join(name.split()[:_LONGEST])
