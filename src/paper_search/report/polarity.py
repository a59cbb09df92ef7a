"""Which way a sentence goes: whether it denies, whether it tells of a rise or a fall, of whom."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

_DENIAL = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|nobody|nothing|hardly|fail(?:s|ed)? to"
    r"|unable to|lack(?:s|ed)? of|absence of|ineffective|unlikely)\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_DENIAL = re.compile(
    r"\b(?:not only|no doubt|not (?:yet )?(?:known|clear)|without (?:language )?model)\b",
    re.IGNORECASE,
)
_RISE = re.compile(r"\b(?:increas|rais|ris(?:e|es|ing)\b|rose\b|higher\b)\w*", re.IGNORECASE)
_FALL = re.compile(r"\b(?:decreas|declin|reduc|lower)\w*|\bfell\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[;:]|,? (?:but|although|though|whereas|while|however|yet|except that)\b", re.IGNORECASE
)
_GROUPS: MappingProxyType[str, re.Pattern[str]] = MappingProxyType(
    {
        name: re.compile(rf"\b(?:{forms})\b", re.IGNORECASE)
        for name, forms in {
            "adults": r"adults?|grown-ups?",
            "older people": r"elderly|seniors?|older (?:adults?|people|persons?|patients?)|aged",
            "adolescents": r"adolescen(?:ts?|ce)|teen(?:s|agers?|aged)?|youths?|young people",
            "children": r"child(?:ren|hood)?|p(?:a)?ediatrics?|kids?|boys|girls|school-?aged?",
            "infants": r"infants?|newborns?|neonat\w{1,4}|bab(?:y|ies)|toddlers?",
            "women": r"wom[ae]n|females?|mothers|girls",
            "men": r"men|males?|fathers|boys",
            "pregnant women": r"pregnan(?:t|cy)|gestation\w{0,3}",
            "animals": r"mouse|mice|rats?|animals?|rodents?|dogs?|rabbits?|monkeys?|in vitro",
        }.items()
    }
)


def denies(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    return _DENIAL.search(_NO_DENIAL.sub(" ", text)) is not None


def direction(text: str) -> int:
    """Return 1 for a rise, -1 for a fall, 0 for neither, or for both."""
    return int(_RISE.search(text) is not None) - int(_FALL.search(text) is not None)


def clauses(text: str) -> list[str]:
    """Return the parts of a sentence of which one may deny what another says."""
    return [part for part in _CLAUSE.split(text) if part.strip()]


@lru_cache(maxsize=4096)
def groups(text: str) -> frozenset[str]:
    """Return of whom a text speaks: adults, children, women, animals ..."""
    return frozenset(name for name, form in _GROUPS.items() if form.search(text))
