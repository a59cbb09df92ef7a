"""The quantities that a text states, in digits and in words, as they can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.words import stem

_SMALL = {name: number for number, name in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
))}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4,
    "fourths": 4, "fifth": 5, "fifths": 5, "tenth": 10, "tenths": 10,
}  # fmt: skip
_FOLDS: dict[str, int | Decimal] = {
    "doubl": 2, "twofold": 2, "twice": 2, "tripl": 3, "trebl": 3, "threefold": 3, "thrice": 3,
    "quadrupl": 4, "fourfold": 4, "halv": Decimal("0.5"), "tenfold": 10,
}  # fmt: skip
_WORD = "|".join([*_SMALL, *_TENS, "hundred", "thousand", "million", "billion"])
_NUMBER_WORDS = rf"(?:{_WORD}|a (?:hundred|thousand|million|billion))"
_DIGITS = (
    r"(?<![\w.])[-−]?\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?:\.\d+)?(?!\d)"
    r"|(?<![\w.])[-−]?(?:\d+(?:\.\d+)?|\.\d+)|(?<=\w-)\d+(?:\.\d+)?"
)
_QUANTITY = re.compile(
    rf"(?P<fraction>\b(?:(?:a|an|{_WORD})[ -])?(?:{'|'.join(_PARTS)})\b(?! century)(?=[ ,.;)-]|$))"
    rf"|(?P<ratio>\b(?:{_WORD}|\d+) (?:in|out of)(?: every)? (?:{_WORD}|\d+)\b(?! %|%))"
    rf"|(?P<fold>\b(?:double\b|(?:{'|'.join(_FOLDS)})\w*"
    rf"|(?:{_WORD}|\d+(?:\.\d+)?)[ -]?(?:fold|times))\b)"
    rf"|(?P<vague>\b(?:dozens|hundreds|thousands|millions|billions)\b)"
    rf"|(?P<digits>{_DIGITS})"
    rf"|(?P<words>\b{_NUMBER_WORDS}(?:(?:[ -]and)?[ -](?:{_WORD}))*\b|\ba dozen\b)",
    re.IGNORECASE,
)
_P_VALUE = re.compile(r"\bp(?:[- ]?values?)?\s*(?:of\s*)?([<>=≤≥]?)\s*$", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[4-9]|20)\d\d")
_SCALE = re.compile(r"^\s?(thousand|million|billion)\b", re.IGNORECASE)
_ORDINAL = re.compile(r"^(?:st|nd|rd|th)\b")
_UNITS: MappingProxyType[str, str] = MappingProxyType(
    {
        r"%|per ?cent\b|percentage\b|pct\b": "%",
        r"mg\b|milligrams?\b": "mg", r"µg\b|μg\b|mcg\b|micrograms?\b": "µg", r"kg\b": "kg",
        r"ml\b|mL\b": "ml", r"g\b|grams?\b": "g", r"°\s?[CF]?|degrees?\b": "degree",
        r"seconds?\b": "second", r"min(?:ute)?s?\b": "minute", r"h\b|hours?\b|hrs?\b": "hour",
        r"days?\b": "day", r"weeks?\b": "week", r"months?\b": "month", r"years?\b": "year",
        r"decades?\b": "decade", r"dollars?\b": "$", r"euros?\b": "€",
    }
)  # fmt: skip
_UNIT = tuple((re.compile(rf"^[\s-]?(?:{form})"), name) for form, name in _UNITS.items())
_TO_NEXT = re.compile(r"^\s?(?:to|and|or|-|–|—|versus|vs\.?|against|compared with)\s?$")
_NEAR_SHARE, _NEAR_FOLD = Decimal("1.5"), Decimal("0.1")
_ONE = "one"
_NEAR, _COUNTED = 60, 3
_PEOPLE = re.compile(r"(?:patient|participant|people|person|subject|individual|respondent)s?$")
_STUDY = re.compile(r"(?:stud(?:y|ies)|trials?|papers?|works?|articles?|publications?|sources?)$")
_NO_MULTIPLE = re.compile(
    r"double[- ]?blind|doublet|triplet"
    r"|\b\w{1,12}(?: times)? (?:daily|weekly|monthly|yearly|a day|a week|per)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Quantity:
    """A number with what it counts, where that can be told."""

    text: str
    """As it is written."""
    value: Decimal
    unit: str
    """%, p<, p=, x (times as much), vague, a unit of measure, or empty: anything else."""
    start: int
    end: int
    counted: frozenset[str] = frozenset()
    """Stems of the words behind it, up to the next comma or function word."""


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order; a lone "one" and ordinals are none."""
    found: list[Quantity] = []
    for match in _QUANTITY.finditer(text):
        quantity = _read(match, text)
        if quantity is not None and not (found and quantity.start < found[-1].end):
            found.append(quantity)
    for index in range(len(found) - 1, 0, -1):
        before, after = found[index - 1], found[index]
        between = text[before.end : after.start]
        is_open = not before.unit and not _YEAR.fullmatch(before.text)
        if is_open and after.unit not in {"", "x"} and _TO_NEXT.match(between):
            found[index - 1] = replace(before, unit=after.unit)
    return tuple(found)


def is_stated(quantity: Quantity, said: Iterable[Quantity]) -> bool:
    """Whether one of these quantities, those of a source, is the same one."""
    return any(_is_same(quantity, other) for other in said)


def is_multiple(quantity: Quantity, said: Sequence[Quantity]) -> bool:
    """Whether the quantities of one sentence stand in the ratio that is given as a multiple."""
    if quantity.unit != "x":
        return False
    pairs = [(a, b) for a in said for b in said if a is not b and a.unit == b.unit and b.value]
    return any(abs(a.value / b.value - quantity.value) <= _NEAR_FOLD for a, b in pairs)


def _is_same(one: Quantity, other: Quantity) -> bool:
    if one.unit != other.unit and ("%" in {one.unit, other.unit} or other.unit.startswith("p")):
        return False
    if one.unit != other.unit and (one.unit or other.unit not in _UNITS.values()):
        return False
    if not one.unit and one.counted and other.counted and not one.counted & other.counted:
        return False
    is_share = one.unit == "%" and not (_has_digit(one) and _has_digit(other))
    return abs(abs(one.value) - abs(other.value)) <= (_NEAR_SHARE if is_share else 0)


def _has_digit(quantity: Quantity) -> bool:
    """Whether a share is written as one number, not as a fraction or in words."""
    return quantity.text[-1:].isdigit() and " " not in quantity.text


def _read(match: re.Match[str], text: str) -> Quantity | None:
    words, after = match.group(), text[match.end() : match.end() + _NEAR]
    match match.lastgroup:
        case "fraction":
            return _fraction(match, after)
        case "ratio":
            return _ratio(match)
        case "fold":
            return _fold(match)
        case "vague":
            unit = f"vague {words.casefold()}"
            return Quantity(words, Decimal(0), unit, match.start(), match.end())
    is_none = words.casefold() == _ONE or _ORDINAL.match(after) is not None
    return None if is_none else _plain(match, text)


def _ratio(match: re.Match[str]) -> Quantity | None:
    parts = re.split(r" (?:in|out of)(?: every)? ", match.group(), flags=re.IGNORECASE)
    first, second = (_value(part) for part in parts)
    if not second or first > second:
        return None
    return Quantity(match.group(), 100 * first / second, "%", match.start(), match.end())


def _plain(match: re.Match[str], text: str) -> Quantity:
    value, end = _value(match.group()), match.end()
    scale = _SCALE.match(text[end : end + _NEAR])
    if scale is not None:
        value, end = value * _SCALES[scale.group(1).casefold()], end + scale.end()
    unit = next((name for form, name in _UNIT if form.match(text[end : end + _NEAR])), "")
    before = text[max(0, match.start() - _NEAR) : match.start()]
    p_value = _P_VALUE.search(before)
    if p_value is not None and abs(value) <= 1:
        unit = "p<" if p_value.group(1) in {"<", "≤"} else "p="
    if before.rstrip().endswith(("$", "€")):
        unit = before.rstrip()[-1]
    words = text[match.start() : end]
    return Quantity(words, value, unit, match.start(), end, _counted(text[end : end + _NEAR]))


def _counted(after: str) -> frozenset[str]:
    """Return the stems of up to three words that follow a number; all kinds of people are one."""
    found: list[str] = []
    for match in re.finditer(r"([^\w\s]?)[ -]?([^\W\d_]+)", after):
        word = match.group(2).casefold()
        if match.group(1) or word in STOP_WORDS or len(found) == _COUNTED:
            break
        found.append(
            "people" if _PEOPLE.match(word) else "study" if _STUDY.match(word) else stem(word)
        )
    return frozenset(found)


def _fraction(match: re.Match[str], after: str) -> Quantity | None:
    head, _, part = match.group().casefold().replace("-", " ").rpartition(" ")
    is_counted = bool(head)
    if part.startswith("hal"):
        if after.startswith(("-", " life", " hour", " year")):
            return None
    elif not is_counted and not (part.endswith("s") or after.startswith(" of ")):
        return None  # "the third study"
    if is_counted and part.endswith(("rd", "th")) and head not in {"a", "an", "one"}:
        return None  # "twenty third"
    count = Decimal(1) if head in {"", "a", "an"} else Decimal(_value(head))
    share = 100 * count / _PARTS[part]
    return Quantity(match.group(), share, "%", match.start(), match.end())


def _fold(match: re.Match[str]) -> Quantity | None:
    word = match.group().casefold()
    if _NO_MULTIPLE.match(match.string[match.start() : match.end() + _NEAR]):
        return None
    value = next((Decimal(n) for stem, n in _FOLDS.items() if word.startswith(stem)), None)
    if value is None:
        value = _value(re.split(r"[ -]?(?:fold|times)", word)[0])
    return Quantity(match.group(), value, "x", match.start(), match.end())


def _value(words: str) -> Decimal:
    plain = words.casefold().replace("−", "-").replace("\u202f", "").replace("\u00a0", "")
    if re.fullmatch(r"-?[\d,.]+", plain):
        return Decimal(plain.replace(",", ""))
    total = current = Decimal(0)
    for word in re.split(r"[ -]", plain):
        if word in _SMALL or word in _TENS:
            current += _SMALL.get(word, _TENS.get(word, 0))
        elif word in _SCALES:
            current = max(current, Decimal(1)) * _SCALES[word]
            if _SCALES[word] > 100:  # noqa: PLR2004  # what follows a thousand is added to it
                total, current = total + current, Decimal(0)
    return total + current
