"""The parts of an author's name, read from the one string that a source gives.

nameparser was weighed: it reads "Smith JA" as given name Smith, splits organisations, and takes
longer to import than all of our exports together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# fmt: off
_PARTICLES = frozenset({
    "af", "al", "bin", "da", "das", "de", "degli", "dei", "del", "della", "den", "der", "di", "do",
    "dos", "du", "el", "ibn", "la", "las", "le", "les", "lo", "los", "op", "'t", "ten", "ter",
    "van", "vande", "vanden", "vander", "vom", "von", "zu", "zum", "zur",
})
# fmt: on
# Capitalised, these are given or family names as often as they are particles.
_ONLY_LOWER_CASE = frozenset({"do", "lo", "los", "las", "les", "op", "af", "zu", "den"})
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|2nd|3rd|4th)\.?", re.IGNORECASE)
_DEGREE = re.compile(r"(?:ph\.?d|m\.?d|m\.?sc|b\.?sc|m\.?a|m\.?p\.?h|d\.?phil)\.?", re.IGNORECASE)
_INITIALS = re.compile(r"[^\W\d_](?:[.\-]{0,2}[^\W\d_]){0,3}\.?")
_ORGANISATION = re.compile(
    r"\b(?:academy|agency|alliance|association|cent(?:er|re)|collaborat(?:ion|ors)|college"
    r"|commission|committee|company|consortium|corporation|council|department|federation"
    r"|foundation|gmbh|group|inc|initiative|institut(?:e|ion|o)?|investigators|laborator"
    r"(?:y|ies)|ltd|ministry|network|office|organi[sz]ation|project|society|team|universi\w{2,5}"
    r"|working\ party)\b",
    re.IGNORECASE,
)
_JOINING_WORDS = frozenset({"of", "for", "and", "the", "&", "on", "in", "at"})
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_COMMAS = re.compile(r"(?:(?<!\s)\s+)?[,，]\s*")


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in parts; every part but `family` may be empty.

    Attributes:
        family: family name without its particle, the only name of a person who has one, or the
            whole of a literal.
        given: given names or initials.
        particle: "van der", "de la" ...
        suffix: "Jr.", "III" ...
        is_literal: the name is not to be taken apart: an organisation, a Chinese or Japanese
            name without a space, or something that follows no known form.
    """

    family: str
    given: str = ""
    particle: str = ""
    suffix: str = ""
    is_literal: bool = False

    @property
    def full_family(self) -> str:
        """The family name with its particle."""
        return f"{self.particle} {self.family}".strip()

    @property
    def inverted(self) -> str:
        """The name as "Family, Given, Suffix", as RIS wants it."""
        return ", ".join(part for part in (self.full_family, self.given, self.suffix) if part)


def split_name(name: str) -> PersonName:
    """Split a name written in any of the usual ways.

    Understood are "John A. Smith", "Smith, John A.", "Smith, Jr., John", "Smith, John, Jr.",
    "Smith JA" (Vancouver), names of one word, and Chinese, Japanese and Korean names in their own
    script. Academic degrees are left out. What fits nothing comes back whole, as a literal;
    an empty text gives an empty literal.
    """
    is_braced = name.strip().startswith("{") and name.strip().endswith("}")
    text = " ".join(name.strip().strip("{}").split()) if is_braced else " ".join(name.split())
    if is_braced or not text or _is_organisation(text):
        return PersonName(text, is_literal=True)
    parts = [part for part in _COMMAS.split(text) if not _DEGREE.fullmatch(part)]
    if len(parts) == 1:
        return _split_words(parts[0].split(" "))
    return _split_inverted(parts) or PersonName(text, is_literal=True)


def _is_organisation(text: str) -> bool:
    words = text.split(" ")
    return (
        _ORGANISATION.search(text) is not None
        or not _JOINING_WORDS.isdisjoint(words)
        or words[-2:] in (["et", "al"], ["et", "al."])
        or any(letter.isdigit() for word in words[:-1] for letter in word)
    )


def _split_inverted(parts: list[str]) -> PersonName | None:
    """Split "Family, Given", with the suffix in any of its three places."""
    if not all(parts):
        return None
    match parts:
        case [whole, suffix] if _SUFFIX.fullmatch(suffix):
            name = _split_words(whole.split(" "))
            return PersonName(name.family, name.given, name.particle, suffix)
        case [family, suffix, given] if _SUFFIX.fullmatch(suffix):
            pass
        case [family, given, suffix] if _SUFFIX.fullmatch(suffix):
            pass
        case [family, given]:
            family, suffix = _cut_suffix(family)
        case _:
            return None
    particle, rest = _cut_particle(family.split(" "))
    return PersonName(" ".join(rest), given, particle, suffix)


def _split_words(words: list[str]) -> PersonName:
    """Split a name without commas."""
    if all(_CJK.fullmatch(word) for word in words):
        if len(words) == 1:
            return PersonName(words[0], is_literal=True)
        return PersonName(words[0], " ".join(words[1:]))  # family name first
    text, suffix = _cut_suffix(" ".join(words))
    words = text.split(" ")
    if len(words) == 1:
        return PersonName(words[0], suffix=suffix)
    start = _start_of_trailing_initials(words)
    if 0 < start < len(words):
        particle, rest = _cut_particle(words[:start])
        return PersonName(" ".join(rest), " ".join(words[start:]), particle, suffix)
    start = _start_of_family(words)
    particle, rest = _cut_particle(words[start:])
    return PersonName(" ".join(rest), " ".join(words[:start]), particle, suffix)


def _cut_suffix(text: str) -> tuple[str, str]:
    rest, _, last = text.rpartition(" ")
    # "Smith II" is a Smith with two initials; "John Smith II" is the second of the name.
    needed = 0 if last.lower().startswith(("jr", "sr")) else 1
    if rest.count(" ") >= needed and rest and _SUFFIX.fullmatch(last):
        return rest, last
    return text, ""


def _start_of_trailing_initials(words: list[str]) -> int:
    """Return where the initials of a "Smith JA" begin; 0 or the length: it is not of that form."""
    start = len(words)
    while start and _INITIALS.fullmatch(words[start - 1]) and words[start - 1].isupper():
        start -= 1
    return start


def _start_of_family(words: list[str]) -> int:
    """Return where the family name of a "John van der Berg" begins."""
    for place, word in enumerate(words[:-1]):
        may_be_capital = place > 0 and word.lower() not in _ONLY_LOWER_CASE
        if word.lower() in _PARTICLES and (word.islower() or may_be_capital):
            return place
        if place > 1 and word == "y":  # Spanish: Ramón y Cajal
            return place - 1
    return len(words) - 1


def _cut_particle(words: list[str]) -> tuple[str, list[str]]:
    """Cut the particles off the front of a family name; one word always remains."""
    count = 0
    while count < len(words) - 1 and words[count].lower() in _PARTICLES:
        count += 1
    return " ".join(words[:count]), words[count:]
