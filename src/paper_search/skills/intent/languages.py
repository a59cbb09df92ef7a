"""Detects the language of a question."""

from __future__ import annotations

import re

from paper_search.skills.stop_words import BREAKS

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
FUNCTION_WORDS = {
    code: frozenset(words.split())
    for code, words in {
        "de": "der die das den dem des ein eine und oder nicht für von vom zur über mit auf aus im",
        "es": "el la los las un una y o pero no para por con sin sobre entre desde de del al en",
        "fr": "le la les un une des du de et ou mais ne pas pour par avec sur dans en au aux sans",
        "pt": "o a os as um uma e ou mas não para por com sem sobre entre desde do da dos das em",
        "it": "il lo la i gli le un uno una e o ma non per con su sul sulla di del della dei nel",
        "nl": "de het een en of maar niet voor van met zonder over onder tussen op bij naar",
    }.items()
}
"""Words that tell a language, and part the phrases of a text in it."""
_LETTERS = {
    "de": "äöüß", "es": "ñáíóú¿", "fr": "éèêçàœ", "pt": "ãõçáêí", "it": "àèìòù", "nl": "ëï",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the language; English where nothing tells another one.

    Short words mean different things in different languages ("die", "des"), so a list counts
    only where it explains more of the text than the English one does.
    """
    letters = sum(char.isalpha() for char in text)
    foreign = sum(char > "\u036f" for char in text if char.isalpha())
    for code, pattern in _SCRIPTS:
        if foreign * 4 > letters and pattern.search(text):
            return code
    words = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in BREAKS for word in words)
    lowered = text.casefold()
    scores = {
        code: sum(word in own for word in words)
        + any(letter in lowered for letter in _LETTERS[code])
        for code, own in FUNCTION_WORDS.items()
    }
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > max(1, english) else "en"
