"""Light stemming of English words, and their rarity in scholarly English."""

from functools import cache, lru_cache

from paper_search.resources import PackageFiles

_LATIN_ENDINGS = (
    ("isations", "ize"), ("izations", "ize"), ("isation", "ize"), ("ization", "ize"),
    ("ising", "ize"), ("izing", "ize"), ("ised", "ize"), ("ized", "ize"), ("ise", "ize"),
    ("ations", "ate"), ("ation", "ate"), ("ating", "ate"), ("ated", "ate"), ("ative", "ate"),
    ("ctions", "ct"), ("ction", "ct"), ("cting", "ct"), ("cted", "ct"), ("ctive", "ct"),
    ("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("ly", ""),
)  # fmt: skip
_SHORTEST_STEM = 3
_SHORTEST_PLURAL = 4


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word, in American spelling.

    Only plurals, -ing, -ed, -ation and -isation/-ization are removed, because people see which
    words were matched.
    """
    if len(word) <= _SHORTEST_STEM:
        return word
    folded = _without_plural(word)
    for ending, base in _LATIN_ENDINGS:
        if folded.endswith(ending) and len(folded) - len(ending) >= _SHORTEST_STEM:
            folded = folded[: -len(ending)] + base
            break
    if len(folded) > _SHORTEST_PLURAL and folded.endswith("our"):
        folded = folded[:-3] + "or"
    if len(folded) > _SHORTEST_PLURAL and folded[-1] == "e":
        folded = folded[:-1]
    if len(folded) > _SHORTEST_STEM and folded[-1] == folded[-2] and folded[-1] not in "lsz":
        folded = folded[:-1]
    return folded


def _without_plural(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is", "ies", "sses")):
        return word
    if word.endswith(("xes", "shes")):
        return word[:-2]
    return word[:-1]


_TABLE = "word_rarities.txt"
_TENTHS = 10
OF_STOP_WORDS = 0.5
"""The rarity of stop words; all other words have more."""


def rarity(stem: str) -> float:
    """Return -log10 of the share of scholarly records with the stem: 0.6 to 4.6.

    Unknown stems are as rare as the rarest known one. `scripts/word_rarities.py` counts the table.
    """
    table, rarest = _rarities()
    return table.get(stem, rarest)


def is_known(stem: str) -> bool:
    return stem in _rarities()[0]


@cache
def _rarities() -> tuple[dict[str, float], float]:
    lines = PackageFiles("paper_search.bibliography").read(_TABLE).decode("ascii").splitlines()
    table: dict[str, float] = {}
    level = 0.0
    for line in lines:
        if line.startswith("#"):
            continue
        number, *stems = line.split()
        level = int(number) / _TENTHS
        table.update(dict.fromkeys(stems, level))
    return table, level
