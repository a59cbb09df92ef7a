"""The parts of an author's name, as given by a source or split from one string.

The package nameparser is not used: it reads "Smith JA" as given name Smith, splits organisations,
and is slow to import.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from paper_search.models import Author

# fmt: off
_PARTICLES = frozenset({
    "af", "al", "bin", "da", "das", "de", "degli", "dei", "del", "della", "den", "der", "di", "do",
    "dos", "du", "el", "ibn", "la", "las", "le", "les", "lo", "los", "op", "'t", "ten", "ter",
    "van", "vande", "vanden", "vander", "vom", "von", "zu", "zum", "zur",
})
# fmt: on
# Capitalised, these are given or family names as often as they are particles.
_ONLY_LOWER_CASE = frozenset({"bin", "do", "lo", "los", "las", "les", "op", "af", "zu", "den"})
# The family name begins with one of these: "Anis Ben Hassen".
_BEGIN_FAMILIES = frozenset({"ben", "abu", "san", "santa", "saint", "st."})
SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|2nd|3rd|4th)\.?", re.IGNORECASE)
_SURE_SUFFIX = re.compile(r"(?:[Jj]r|[Ss]r|2nd|3rd|4th)\.?")
"""JR, SR and IV in capitals may also be initials."""
_DEGREE = re.compile(r"(?:ph\.?d|m\.?d|m\.?sc|b\.?sc|m\.?a|m\.?p\.?h|d\.?phil)\.?", re.IGNORECASE)
_RARELY_A_DEGREE = re.compile(r"m\.?a\.?", re.IGNORECASE)
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
        family: family name without its particle, a person's only name, or a whole literal.
        given: given names or initials.
        particle: "van der", "de la" ...
        suffix: "Jr.", "III" ...
        is_literal: whether the name must not be split: an organisation, a Chinese or Japanese name
            without a space, or an unknown form.
    """

    family: str
    given: str = ""
    particle: str = ""
    suffix: str = ""
    is_literal: bool = False

    @property
    def full_family(self) -> str:
        return f"{self.particle} {self.family}".strip()

    @property
    def inverted(self) -> str:
        return ", ".join(part for part in (self.full_family, self.given, self.suffix) if part)


def split_name(name: str, *, is_inverted: bool = False) -> PersonName:
    """Split a name in any of the usual forms.

    These are "John A. Smith", "Smith, John A.", "Smith, Jr., John", "Smith, John, Jr.", "Smith JA"
    (Vancouver), names of one word, and Chinese, Japanese and Korean names in their own script.
    Academic degrees are removed if a family and a given name remain, because MD, MA and JR may be
    initials. Other texts become literals.

    `is_inverted`: the text before a comma is the family name, as in RIS or MEDLINE, and the text
    after it is never a degree or a suffix in capitals.
    """
    is_braced = name.strip().startswith("{") and name.strip().endswith("}")
    text = " ".join(name.strip().strip("{}").split()) if is_braced else " ".join(name.split())
    if is_braced or not text or _is_organisation(text):
        return PersonName(text, is_literal=True)
    parts = _without_degrees(_COMMAS.split(text), is_inverted=is_inverted)
    if len(parts) == 1:
        return _split_words(parts[0].split(" "))
    return _split_inverted(parts, is_inverted=is_inverted) or PersonName(text, is_literal=True)


def author_named(name: str, author_id: str | None = None, *, is_inverted: bool = False) -> Author:
    """Return the author for a name in one string, which is kept; see `split_name`."""
    parts = split_name(name, is_inverted=is_inverted)
    return Author(name=name, author_id=author_id, **fields_of(parts))


def author_of(
    *,
    family: str | None = None,
    given: str | None = None,
    suffix: str | None = None,
    literal: str | None = None,
    author_id: str | None = None,
) -> Author | None:
    """Return the author for the parts of a name, or None if all are empty.

    A literal is used if there is no family or given name; a given name alone is the only name.
    """
    if not family:
        family, given = given, None
    if not family:
        return Author(name=literal, literal=literal, author_id=author_id) if literal else None
    parts = PersonName(family, given or "", "", suffix or "")
    name = " ".join(filter(None, (parts.given, parts.full_family, parts.suffix)))
    return Author(name=name, author_id=author_id, **fields_of(parts))


def parts_of(author: Author) -> PersonName:
    """Return the parts of an author's name, from the source or by splitting the name."""
    if author.literal:
        return PersonName(author.literal, is_literal=True)
    if author.family:
        return PersonName(
            author.family, author.given or "", author.particle or "", author.suffix or ""
        )
    return split_name(author.name)


def name_text(author: Author) -> str:
    """Return the name if it is unambiguous, else "Family, Given" or "{Literal}"."""
    parts = parts_of(author)
    fields = attrgetter("full_family", "given", "suffix", "is_literal")
    if fields(split_name(author.name, is_inverted=True)) == fields(parts):
        return author.name
    return f"{{{parts.family}}}" if parts.is_literal else parts.inverted


def fields_of(parts: PersonName) -> dict[str, str]:
    if parts.is_literal:
        return {"literal": parts.family} if parts.family else {}
    names = ("family", "given", "particle", "suffix")
    return {name: value for name in names if (value := getattr(parts, name))}


def without_particle(family: str) -> str:
    return " ".join(_split_particle(family.split(" "))[1])


def _is_organisation(text: str) -> bool:
    words = text.split(" ")
    numbered = (word for word in words[:-1] if not SUFFIX.fullmatch(word.rstrip(",")))
    return (
        _ORGANISATION.search(text) is not None
        or not _JOINING_WORDS.isdisjoint(words)
        or words[-2:] in (["et", "al"], ["et", "al."])
        or words[-1].isdigit()
        or any(letter.isdigit() for word in numbered for letter in word)
    )


def _without_degrees(parts: Sequence[str], *, is_inverted: bool) -> list[str]:
    """Remove degrees at the end of the parts between commas.

    "Bertness, MD" has initials, "Jane Doe, MD" a degree, "Smith, MD, PhD" both.
    """
    rest = list(parts)
    least = 3 if len(rest) > 2 and _SURE_SUFFIX.fullmatch(rest[1]) else 2  # noqa: PLR2004  # "King, Jr., MD"
    while len(rest) > least and _DEGREE.fullmatch(rest[-1]):
        rest.pop()
    whole, last = rest[0], rest[-1]
    is_one_of_several = len(rest) < len(parts)
    if (
        len(rest) == 2  # noqa: PLR2004  # as above
        and not is_inverted
        and _DEGREE.fullmatch(last)
        and (is_one_of_several or not _RARELY_A_DEGREE.fullmatch(last))
        and _has_given_name(whole)
    ):
        return [whole]
    return rest


def _has_given_name(text: str) -> bool:
    words = text.split(" ")
    is_family = words[0].lower() in _BEGIN_FAMILIES | _PARTICLES
    return not is_family and bool(_split_words(words).given)


def _split_inverted(parts: list[str], *, is_inverted: bool) -> PersonName | None:
    if not all(parts):
        return None
    match parts:
        case [whole, suffix] if _is_suffix_after(whole, suffix, is_inverted=is_inverted):
            # For an inverted "King, Jr.", the given name is unknown.
            name = PersonName(whole) if is_inverted else _split_words(whole.split(" "))
            return PersonName(name.family, name.given, name.particle, suffix)
        case [family, suffix, given] if _SURE_SUFFIX.fullmatch(suffix):
            pass
        case [family, given, suffix] if SUFFIX.fullmatch(suffix):
            pass
        case [family, suffix, given] if SUFFIX.fullmatch(suffix):
            pass
        case [family, given]:
            family, suffix = _split_suffix(family)
            if not suffix:
                given, suffix = _split_sure_suffix(given)
        case _:
            return None
    particle, rest = _split_particle(family.split(" "))
    return PersonName(" ".join(rest), given, particle, suffix)


def _is_suffix_after(whole: str, text: str, *, is_inverted: bool) -> bool:
    if not SUFFIX.fullmatch(text):
        return False
    if _SURE_SUFFIX.fullmatch(text):
        return True
    is_in_capitals = text.upper().startswith(("JR", "SR"))
    is_name_too = whole.isupper() or not is_in_capitals  # "JOHN SMITH, JR"; "John Smith, III"
    return not is_inverted and is_name_too and _has_given_name(whole)


def _split_words(words: list[str]) -> PersonName:
    if all(_CJK.fullmatch(word) for word in words):
        if len(words) == 1:
            return PersonName(words[0], is_literal=True)
        return PersonName(words[0], " ".join(words[1:]))  # family name first
    text, suffix = _split_suffix(" ".join(words))
    words = text.split(" ")
    if len(words) == 1:
        return PersonName(words[0], suffix=suffix)
    start = _start_of_trailing_initials(words)
    if 0 < start < len(words):
        particle, rest = _split_particle(words[:start])
        return PersonName(" ".join(rest), " ".join(words[start:]), particle, suffix)
    start = _start_of_family(words)
    particle, rest = _split_particle(words[start:])
    return PersonName(" ".join(rest), " ".join(words[:start]), particle, suffix)


def _split_suffix(text: str) -> tuple[str, str]:
    """Separate the suffix from a name without commas, or from a family name.

    "Smith II" and "White JR" are people with two initials; "John Smith II", "White JA JR" and
    "JOHN WHITE JR" have a suffix.
    """
    rest, _, last = text.rpartition(" ")
    if not rest or not SUFFIX.fullmatch(last):
        return text, ""
    words = rest.split(" ")
    is_in_capitals = last.upper().startswith(("JR", "SR")) and not _SURE_SUFFIX.fullmatch(last)
    if is_in_capitals:
        has_initials = any(_INITIALS.fullmatch(word) and word.isupper() for word in words)
        is_suffix = len(words) > 1 and (has_initials or rest.isupper())
    else:
        is_suffix = _SURE_SUFFIX.fullmatch(last) is not None or _start_of_family(words) > 0
    return (rest, last) if is_suffix else (text, "")


def _split_sure_suffix(text: str) -> tuple[str, str]:
    """Separate the suffix from given names, as in MEDLINE: "King, Martin Luther Jr"."""
    rest, _, last = text.rpartition(" ")
    is_suffix = _SURE_SUFFIX.fullmatch(last) or (
        SUFFIX.fullmatch(last) and any(letter.islower() for letter in rest)
    )
    return (rest, last) if rest and is_suffix else (text, "")


def _start_of_trailing_initials(words: list[str]) -> int:
    """Return the index of the first initials in "Smith JA"; 0 or the length for other forms."""
    start = len(words)
    while start and _INITIALS.fullmatch(words[start - 1]) and words[start - 1].isupper():
        start -= 1
    return start


def _start_of_family(words: list[str]) -> int:
    for place, word in enumerate(words[:-1]):
        if place > 0 and word.lower() in _BEGIN_FAMILIES:
            return place
        may_be_capital = place > 0 and word.lower() not in _ONLY_LOWER_CASE
        if word.lower() in _PARTICLES and (word.islower() or may_be_capital):
            return place
        if place > 1 and word == "y":  # Spanish: Ramón y Cajal
            return place - 1
    return len(words) - 1


def _split_particle(words: list[str]) -> tuple[str, list[str]]:
    """Separate leading particles from a family name, of which one word always remains."""
    count = 0
    while count < len(words) - 1 and words[count].lower() in _PARTICLES:
        count += 1
    return " ".join(words[:count]), words[count:]
