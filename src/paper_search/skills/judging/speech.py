"""Tells text that speaks to whoever grades papers from text that reports research."""

from __future__ import annotations

import re
import unicodedata

from paper_search.skills.untrusted import visible

_SENTENCE = re.compile(r"[.;!?]\s|\n")
_WORD = re.compile(r"[^\W_]+")
_GLUED = re.compile(r"\b[A-Z_]*(?:SCORE|RANK|GRADE|RELEVAN|FIRST)[A-Z_]*\b")
_SHORTEST_GLUED = 8


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ADDRESS = _words("please kindly dear whoever")
_READER = _words("you your yours yourself")
_DUTY = _words(
    "must should ought shall deserve deserves merit merits belong belongs demand demands require "
    "requires want wants wish wishes wished let put place keep give place treat consider"
)
_THINGS = _words(
    "paper papers record records entry entries item items study studies article articles abstract "
    "abstracts candidate candidates submission submissions document documents publication "
    "publications text texts work works one ones it this rest others everything anything nothing"
)
_VERDICT = _words(
    "rank ranks ranked ranking first top best highest score scores scored scoring grade grades "
    "graded grading rated rating relevant relevance irrelevant zero lowest last bottom above ahead "
    "before foremost front selected chosen preferred maximum minimum full perfect marks winner"
)
_BESIDE = _words(
    "other others remaining rest neighbour neighbours neighbor neighbors neighbouring neighboring "
    "surrounding accompanying adjacent preceding following beside rival rivals competing all every "
    "everything else none no nothing"
)
_DISMISSAL = _words(
    "irrelevant unrelated worthless useless unimportant zero ignore ignored disregard disregarded "
    "skip skipped dismissed lowest last bottom below less lower nothing pointless spam"
)
_HERE = _words("here list batch page block query search topic question set")
_GRADERS = _words(
    "grader graders assessor assessors screener screeners judge judges ranker evaluator evaluators "
    "reader readers reviewer reviewers editor editors curator curators librarian chatbot assistant"
)
SPEECH_WORDS = (
    _ADDRESS | _READER | _DUTY | _THINGS | _VERDICT | _BESIDE | _DISMISSAL | _HERE | _GRADERS
)
"""The words in which such texts speak; of a subject, none of them says anything."""


def speaks_to_judges(*texts: str | None) -> bool:
    """Whether one of the texts seems to speak to who grades papers, or of the papers beside it.

    A wider net than `is_suspicious`, for what need not be an order. It catches honest texts, too,
    so what it catches is judged alone, flagged and bounded, no more.
    """
    return any(_speaks(text) for text in texts if text)


def _speaks(text: str) -> bool:
    shown = unicodedata.normalize("NFKC", visible(text))
    if any(len(found) >= _SHORTEST_GLUED for found in _GLUED.findall(shown)):
        return True
    return any(
        _is_speech(frozenset(_WORD.findall(sentence.casefold())))
        for sentence in _SENTENCE.split(shown)
    )


def _is_speech(words: frozenset[str]) -> bool:
    if words & _ADDRESS:
        return True
    if words & (_READER | _GRADERS) and words & _DUTY and words & _VERDICT:
        return True
    is_of_papers = bool(words & _THINGS)
    if is_of_papers and words & _DUTY and words & _VERDICT and words & (_HERE | _BESIDE):
        return True
    return is_of_papers and bool(words & _BESIDE and words & _DISMISSAL and words & _HERE)
