"""Signals in two titles besides spelling: parts, replies, errata, columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from paper_search.skills.deduplication.text import word_set
from paper_search.skills.deduplication.wording import LITTLE_WORDS

_ROMAN_VALUES = {
    "i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8",
    "ix": "9", "x": "10", "xi": "11", "xii": "12", "xiii": "13", "xiv": "14", "xv": "15",
}  # fmt: skip
_PART_WORDS = word_set("part type phase vol volume chapter no number paper stage grade")
_ROLES = {
    "correction": r"errat(?:um|a)|corrigend(?:um|a)|addendum|^(?:\w+ )?corrections?|corrections?$",
    "concern": r"expressions? of concern",
    "retraction": r"^(?:\w+ )?retraction|retraction$|withdrawal notice",
    "reply": r"repl(?:y|ies)|rebuttal|rejoinder|^re|^\w*(?: \w+)?responses?|responses?(?: \w+)?$",
    "comment": r"^(?:\w+ )?(?:comments?|commentary|editorial|discussion)"
    r"|(?:comments?|commentary|editorial|discussion)(?: \w+)?$",
    "plan": r"protocols?|rationale|statistical (?:analysis )?plan|(?:study|trial) design"
    r"|design (?:and|of the|of a|of an)|methods and design|baseline (?:characteristics|data)",
}
"""What a title says if its work is about another one, or is an earlier part of one."""
_ROLE = re.compile("|".join(rf"(?P<{name}>\b(?:{pattern})\b)" for name, pattern in _ROLES.items()))
_CITATION = re.compile(r"\(?\bvol(?:ume)? \d+,? (?:pg?|pages?)\.? \w+,? \d{4}\)?")
"""Behind the title of a correction, as the Web of Science has it: where the corrected work is."""
_NOTE = (
    r"(?:retracted|erratum|errata|corrected|comment|see comment|published|republished|retraction"
    r"|summary for|abstract|poster|original|review|clinical trial|reprint|panel|tutorial|demo"
    r"|demonstration|invited|keynote|extended)\b"
)
_ANNOTATION = re.compile(
    r"^retracted(?: article)?\s*:"
    rf"|\[{_NOTE}[^\]]{{0,300}}(?:\]|$)"
    rf"|\({_NOTE}[^)]{{0,300}}(?:\)|$)"
    rf"|{_CITATION.pattern}"
)
"""Notes of PubMed, Embase and the Web of Science in a title, after folding."""
_NOTE_AT_THE_END = re.compile(
    r"(?<=\S)\s*\[(?!part\b|reply\b|response\b|correction\b|[ivx]+\])"
    r"(?:[^\W\d][^\W\d]+(?:[ ,./'-]+[^\W\d]+)*|\d+ refs?|\d{1,2}|abstract no:? ?\w+)\.?\]?[\s.]*$"
)
"""Words in square brackets, a number of references, a footnote: of a cataloguer, not the title."""
_GENERIC_WORDS = word_set(
    "a abstract abstracts acknowledgement acknowledgements acknowledgment acknowledgments address"
    " advertisement and announcement announcements annual appendix at author authors award back"
    " board book books calendar call case chair chairs chairman closing column columns comment"
    " comments committee communications conclusion conclusions conference contents contributors"
    " correction corrections corrigenda corrigendum correspondence cover dean dear department"
    " discussion editor editorial editorials editors editorship erratum errata events fellows"
    " foreword forward for from front guest highlights in inside index industry information"
    " instructions introduction introductory invited issue issues keynote letter letters list"
    " masthead material matter meeting meetings memoriam message messages new news newsletter note"
    " notes notice obituary of on opening our overview page pages panel papers perspective"
    " perspectives poster posters preface president presidents proceedings program programme"
    " publisher publishers record references remarks reply report reports response retraction"
    " review reviews reviewer reviewers s section session society special speech subject summary"
    " supplement table talk thank thanks the this title to treasurer treasurers tutorial untitled"
    " update vice volume welcome with workshop year you your no"
)
_SERIAL_WORDS = word_set(
    "activities advances annual annually biennial highlights overview proceedings progress report"
    " reports round statistics status survey trends update updates yearbook yearly"
)
"""Words of titles under which a team publishes again and again."""
_GENERIC_KEYS = word_set("序言 前言 编者按 目录 引言")
_SHORTEST_KEY = 3
_REMEMBERED = 8_192
"""Titles; a title is compared with several others in a row."""


def without_annotations(folded_title: str) -> str:
    """Return a folded title without what a database added to it (`[Erratum appears in ...]`)."""
    text = _ANNOTATION.sub(" ", folded_title)
    before = ""
    while text != before:
        before, text = text, _NOTE_AT_THE_END.sub("", text.rstrip())
    return text if text.strip(" .[]()") else folded_title


@lru_cache(maxsize=_REMEMBERED)
def letters(words: tuple[str, ...]) -> frozenset[str]:
    """Return the single letters among the words of a title, as in "hepatitis B"."""
    found = {word for word in words[:-1] if len(word) == 1 and word not in LITTLE_WORDS}
    return frozenset(found | {word for word in words[-1:] if len(word) == 1})


@lru_cache(maxsize=_REMEMBERED)
def numerals(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the numbers among the words of a title, Roman ones as digits.

    A single "i", "v" or "x" counts only as the last word, before the last third, or after "part"
    and the like.
    """
    found: list[str] = []
    for place, word in enumerate(words):
        if word[0].isdigit() and not word[3:].isalpha():  # "2d", "3rd"; "0verview" is misread
            found.append(word.lstrip("0") or "0")
        elif word in _ROMAN_VALUES:
            before = words[place - 1] if place else ""
            if len(word) > 1 or place == len(words) - 1 or before in _PART_WORDS:
                found.append(_ROMAN_VALUES[word])
        elif len(word) == 1 and place and words[place - 1] == "part":
            found.append(word)
    return tuple(found)


def role(folded_title: str, words: Sequence[str]) -> str:
    """Return what a work is to another one: "correction", "reply", "plan"; "": it stands alone."""
    if _CITATION.search(folded_title):
        return "correction"
    match = _ROLE.search(" ".join(words))
    return (match.lastgroup or "") if match else ""


@lru_cache(maxsize=_REMEMBERED)
def is_generic(words: tuple[str, ...]) -> bool:
    """Whether a title is one that many different works carry ("Editorial", "Book review")."""
    if sum(map(len, words)) <= _SHORTEST_KEY or "".join(words) in _GENERIC_KEYS:
        return True
    return all(word in _GENERIC_WORDS or word.isdigit() for word in words)


def is_serial(words: tuple[str, ...]) -> bool:
    """Whether a title may be that of a report that comes out every year or so."""
    return not _SERIAL_WORDS.isdisjoint(words)
