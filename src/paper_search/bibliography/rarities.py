"""How rare words are in scholarly English: a fixed table, so that no verdict hangs on its batch."""

from __future__ import annotations

from functools import cache

from paper_search.resources import PackageFiles

_TABLE = "word_rarities.txt"
_TENTHS = 10
OF_STOP_WORDS = 0.5
"""The rarity of words that say nothing about a subject, and of nothing else."""


def rarity(stem: str) -> float:
    """Return log10 of one in how many scholarly records have the stem: 0.6 to 4.6.

    A stem that is not in the table is as rare as the rarest that is; a stop word is commoner than
    all of them. The table is counted by `scripts/word_rarities.py`.
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
