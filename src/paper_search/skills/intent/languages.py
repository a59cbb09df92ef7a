"""Detects the language of a question."""

from __future__ import annotations

import re
from functools import lru_cache

from paper_search.skills.stop_words import BREAKS, OTHER_LANGUAGES

NAMES = {
    "de": "German", "es": "Spanish", "fr": "French", "pt": "Portuguese", "it": "Italian",
    "nl": "Dutch", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian",
    "ar": "Arabic", "he": "Hebrew", "el": "Greek", "th": "Thai",
}  # fmt: skip
_SCRIPTS = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]{3}")),
    ("ar", re.compile("[\u0600-\u06ff]{3}")),
    ("he", re.compile("[\u0590-\u05ff]{3}")),
    ("el", re.compile("[\u0370-\u03ff]{4}")),
    ("th", re.compile("[\u0e00-\u0e7f]{3}")),
)
_LETTERS_OF = {
    "de": "äöüß", "es": "ñáíóú¿", "fr": "éèêçàœ", "pt": "ãõçáêí", "it": "àèìòù", "nl": "ëï",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=64)
def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the language; English where nothing tells another one.

    Short words mean different things in different languages ("die", "des"), so a list counts
    only where it explains more of the text than the English one does.
    """
    letters = sum(char.isalpha() for char in text)
    for code, pattern in _SCRIPTS:
        found = pattern.search(text)
        if found and sum(char > "\u036f" for char in text if char.isalpha()) * 4 > letters:
            return code
    words = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in BREAKS for word in words)
    lowered = text.casefold()
    scores = {
        code: sum(word in own for word in words)
        + any(letter in lowered for letter in _LETTERS_OF.get(code, ""))
        for code, own in OTHER_LANGUAGES.items()
    }
    best = max(scores, key=lambda code: scores[code])
    if scores[best] >= 2 and scores[best] > english:  # noqa: PLR2004  # one may be chance
        return best
    return "en"
