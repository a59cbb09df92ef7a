"""Tells texts in English from others."""

from __future__ import annotations

import re

from paper_search.skills.stop_words import BREAKS

FUNCTION_WORDS = frozenset(
    """
    der die das den dem des ein eine und oder nicht für von vom zur über mit auf aus im ohne bei
    el la los las un una y o pero para por con sin sobre entre desde de del al le les une du et ou
    mais ne pas pour par avec sur dans au aux sans os um uma e ao não com do da dos em il lo gli
    uno ma su sul sulla di della dei nel het een en maar voor van met zonder onder tussen op bij
    naar
    """.split()  # noqa: SIM905  # a list of words is read as one
)
"""Words of German, Spanish, French, Portuguese, Italian and Dutch that English has not: they tell
that a text is not in English, and part its phrases."""
_LETTERS = re.compile("[äöüßñáíóúéèêçàœãõìòù¿]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


def is_english(text: str) -> bool:
    """Return whether nothing tells that the text is in another language.

    Short words mean different things in different languages ("die", "do"), so foreign ones count
    only where they explain more of the text than English ones do.
    """
    letters = [char for char in text if char.isalpha()]
    if sum(char > "\u036f" for char in letters) * 4 > len(letters):
        return False
    words = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in BREAKS for word in words)
    foreign = sum(word in FUNCTION_WORDS for word in words) + bool(_LETTERS.search(text))
    return foreign <= max(1, english)
