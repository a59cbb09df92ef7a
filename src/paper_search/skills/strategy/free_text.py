"""What a person's note asks of the next strategy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paper_search.skills.phrases import key_phrases
from paper_search.skills.untrusted import visible
from paper_search.skills.words import words_in

_CLAUSES = re.compile(
    r"[.;:\n!?]+|,\s*|\bbut\b|\bhowever\b"
    r"|\band\s+(?=(?:not|exclude|only|more|less|without|add)\b)",
    re.IGNORECASE,
)
_EXCLUDE = re.compile(
    r"^\W*(?:(?:please|and|also|i|we|want|would like|do|should|there are|these are|show|me)\s+)*"
    r"(?:exclude|excluding|not|no more|no|non|without|avoid|remove|drop|skip|except|omit|leave out"
    r"|don'?t (?:want|include|need|show(?: me)?)"
    r"|do not (?:want|include|need|show(?: me)?)"
    r"|less|fewer|too (?:much|many)|nothing|not interested in|no need for)\b"
    r"(?:\s+(?:any|about|on|of|the|more|studies|papers|articles|those|ones|want|include)\b)*\s*",
    re.IGNORECASE,
)
_REQUIRE = re.compile(
    r"^\W*(?:(?:please|and|i|we|want|need|show|me|keep|use|include|just)\s+)*"
    r"(?:only|just|restrict(?:ed)?(?: it| this)? to|limit(?:ed)?(?: it| this)? to|must (?:be"
    r"|include|have|mention|contain)|has to be|have to be|require|nothing but|exclusively"
    r"|narrow(?: it)?(?: down)? to)\b"
    r"(?:\s+(?:on|about|the|to)\b)*\s*",
    re.IGNORECASE,
)
_ONLY_AT_END = re.compile(r"^(?P<what>.+?)(?<!\s)\s+(?:only|exclusively)\W*$", re.IGNORECASE)
_ADD = re.compile(
    r"^\W*(?:(?:please|and|also|i|we|want|need|would like|show|me|to see|look)\s+)*"
    r"(?:more|add|also|include|including|missing|look(?:ing)? (?:for|at|into)|consider|try"
    r"|interested in|extend(?:ed)? to|as well as|plus|what about|how about|cover"
    r"|focus(?:ed|ing)?|specifically)\b"
    r"(?:\s+(?:about|on|of|for|the|papers|articles|studies|work|to|include)\b)*\s*",
    re.IGNORECASE,
)
_SMALL_TALK = frozenset(
    words_in(
        """
    good great thanks thank okay ok fine nice better bad wrong results result search query
    queries strategy again try broad broader narrow narrower wide wider specific general
    relevant irrelevant yes no please old older new newer recent something else different
    many few enough too much missed way off
    """
    )
)
_PER_KIND = 4
_LONGEST_TERM = 60


@dataclass(frozen=True)
class FeedbackTerms:
    """Terms by what the person wants done with them."""

    required: tuple[str, ...] = ()
    """Every paper must have them ("only randomised trials")."""
    excluded: tuple[str, ...] = ()
    """No paper may have them ("exclude animal studies")."""
    added: tuple[str, ...] = ()
    """To be looked for as well ("more about toxicity")."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return not (self.required or self.excluded or self.added)


def terms_of_text(text: str | None) -> FeedbackTerms:
    """Return the terms that a person's free text asks for, clause by clause.

    A clause without a word that says what to do with it is something to look for as well.
    """
    kinds: dict[str, list[str]] = {"required": [], "excluded": [], "added": []}
    for clause in _CLAUSES.split(visible(text or "")):
        kind, rest = _read(clause.strip())
        kinds[kind] += _phrases(rest, is_excluded=kind == "excluded")
    known = {term.casefold() for term in kinds["excluded"]}
    for kind in ("required", "added"):
        kinds[kind] = [term for term in kinds[kind] if term.casefold() not in known]
        known |= {term.casefold() for term in kinds[kind]}
    return FeedbackTerms(**{kind: tuple(terms[:_PER_KIND]) for kind, terms in kinds.items()})


def _read(clause: str) -> tuple[str, str]:
    for kind, cue in (("excluded", _EXCLUDE), ("required", _REQUIRE), ("added", _ADD)):
        if match := cue.match(clause):
            return kind, clause[match.end() :]
    if match := _ONLY_AT_END.match(clause):
        return "required", match["what"]
    return "added", clause


def _phrases(text: str, *, is_excluded: bool) -> list[str]:
    found = [phrase[:_LONGEST_TERM].strip() for phrase in key_phrases(text)]
    found = [phrase for phrase in found if any(char.isalnum() for char in phrase)]
    if is_excluded:
        return found
    return [phrase for phrase in found if not set(phrase.casefold().split()) <= _SMALL_TALK]
