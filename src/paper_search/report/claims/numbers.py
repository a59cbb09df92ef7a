"""The quantities of a text, in digits and in words, and whether a source bears them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any, Literal

from paper_search.report.claims.units import UNITS, unit_of
from paper_search.report.evidence import sentences
from paper_search.skills.words import STOP_WORDS

Bearing = Literal["stated", "derived", "absent"]
"""Whether a source has a quantity, or two from which it follows, or neither."""

_SMALL = {name: number for number, name in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
))}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_SCALES = {
    "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "bn": 10**9, "dozen": 12,
    "k": 10**3, "m": 10**6,
}  # fmt: skip
_PARTS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_FOLDS = {"doubl": 2, "twi": 2, "tripl": 3, "trebl": 3, "thrice": 3, "quadrupl": 4, "halv": 0.5}
_WORD = "|".join([*_SMALL, *_TENS, "hundred", "thousand", "million", "billion"])
_AS = r"(?= (?:as|more|less|fewer|higher|lower|greater|larger|smaller|longer|the|that)\b)"
_DIGITS = (
    r"(?<![\w.])[-−]?\d{1,3}(?:[,\u202f\u00a0 ]\d{3})+(?:\.\d+)?(?![\d.])"
    r"|(?<![\w.])[-−]?(?:\d+(?:\.\d+)?|\.\d+)|(?<=[A-Za-z]-)\d+(?:\.\d+)?"
)
_QUANTITY = re.compile(
    rf"(?P<fraction>\b(?:(?:a|an|{_WORD})[ -])?"
    r"(?:half|halves|(?:third|quarter|fourth|fifth|tenth)s?)\b(?! century)(?=[ ,.;:)-]|$))"
    rf"|(?P<ratio>\b(?:{_WORD}|\d+) (?:in|out of)(?: every)? (?:{_WORD}|\d{{1,2}}0*)\b(?! ?%|,\d))"
    rf"|(?P<fold>\b(?:(?:doubl|tripl|trebl|quadrupl|halv)(?:e[sd]|ing)\b|(?:twice|thrice|double){_AS}"
    rf"|(?:{_WORD}|\d+(?:\.\d+)?)(?:[ -]?fold\b|[ -]times{_AS})))"
    rf"|(?P<digits>{_DIGITS})"
    rf"|(?P<words>\b(?:a (?:hundred|thousand|million|billion|dozen)|{_WORD})"
    rf"(?:(?:[ -]and)?[ -](?:{_WORD}))*(?: and a half)?\b)"
    r"|(?P<article>\ban?(?= (?:second|minute|hour|day|week|fortnight|month|year|decade)\b))",
    re.IGNORECASE,
)
_DECADE, _ORDINAL = (
    re.compile(r"s\b"),
    re.compile(r"(?:st|nd|rd|th)\b|-(?:first|third|fourth|fifth|sixth|seventh|eighth|ninth)s?\b"),
)
_AND_A_HALF = re.compile(r" \w+ and a half\b")
_RAISED = str.maketrans("⁻−⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
_SCALE = re.compile(
    r"\s?(?:((?i:thousand|million|billion|bn)|(?<=\d)(?:[kK]|M))\b"
    r"|[x×·*]\s?10(?:\^[({]?|\(|(?=[⁻⁰¹²³⁴-⁹]))([-−⁻]?[\d⁰¹²³⁴-⁹]{1,2})[)}]?)"
)
"""A word or a power of ten; PubMed writes 10(6)."""
_CURRENCY = re.compile(r"([$€£¥]|\b(?:USD|EUR|GBP))\s?$")
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
_P_VALUE = re.compile(r"\bp(?:[- ]?values?)?\s*(?:(?:of|was|is)\s*)?([<>=≤≥]?)\s*$", re.IGNORECASE)
_CONFIDENCE = re.compile(r"\s*(?:CI\b|confidence|credib|(?:significance )?level)", re.IGNORECASE)
_ABOUT_WORDS = (
    r"about|around|nearly|almost|roughly|approximately|approx\.?|circa|ca\.?|some|close to"
    r"|(?:just|slightly|a little) (?:over|under|more than|less than|above|below)"
)
_ABOVE_WORDS = (
    r"more than|over|above|at least|exceed\w*|greater than|(?:old|long)er than"
    r"|no (?:less|fewer) than"
)
_BELOW_WORDS = r"less than|fewer than|under|below|at most|no more than|up to|(?:young|short)er than"
_RELATIONS = [
    (relation, re.compile(rf"(?:\b(?:{words})|[{signs}])\s?(?:the )?[$€£¥]?$", re.IGNORECASE))
    for relation, words, signs in (
        ("~", _ABOUT_WORDS, "~≈"),
        (">", _ABOVE_WORDS, ">≥"),
        ("<", _BELOW_WORDS, "<≤"),
    )
]
_TO_NEXT = re.compile(r"\s?-?(?:,|,? (?:to|and|or)|-|–|—|/|±|\+/-| ?versus| ?vs\.?| ?against)\s?")
_YEAR = re.compile(r"(?:1[4-9]|20)\d\d")
_SHORT_YEAR = re.compile(r"\b(1[4-9]|20)(\d\d[-–/])(\d\d)\b(?![-–/\d])")
_LARGEST_COUNT = 12
"""Whole numbers up to it, without a unit, may be a count of the writer."""
_ABOUT, _CONVERTED, _FRACTION = 0.1, 0.02, 3.0
"""What may lie between two quantities that agree: of "about" so much, or of months in days, and of
other units, as a share; of a fraction in words, in percentage points."""
_FEW = 60
_BEFORE = 40


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, where that can be told."""

    value: float
    unit: str = ""
    """The base unit, %, x (times as much), p, a currency, or empty."""
    factor: float = 1.0
    """From its own unit to the base unit."""
    text: str = ""
    start: int = 0
    end: int = 0
    step: float = 0.0  # of its last digit; 0: it is no number in digits
    relation: str = "="  # or ~ (about), >, <
    counts: bool = False
    """Whether a word follows that it may count."""
    is_open: bool = False
    """Whether a sentence may have it without a source: a small count, a part of a name."""


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order; ordinals are none."""
    plain = text.translate({0xB7: ".", 0xBD: ".5", 0xBC: ".25", 0xBE: ".75"})
    plain = _SHORT_YEAR.sub(r"\1\2\1\3", plain)  # 1990-95
    stated: list[Quantity] = []
    for match in _QUANTITY.finditer(plain):
        quantity = _quantity(match, plain)
        if quantity is None or (stated and quantity.start < stated[-1].end):
            continue
        whole = _with_smaller_unit(stated[-1], quantity, plain) if stated else None
        stated += [quantity] if whole is None else [replace(quantity, is_open=True), whole]
    for index in range(len(stated) - 1, 0, -1):
        before, after = stated[index - 1], stated[index]
        is_bare = not before.unit and not before.counts and not _YEAR.fullmatch(before.text)
        is_next = _TO_NEXT.fullmatch(plain[before.end : after.start]) is not None
        if is_bare and is_next and after.unit not in {"", "x", "p"}:
            unit: dict[str, Any] = {"unit": after.unit, "factor": after.factor, "is_open": False}
            stated[index - 1] = replace(before, **unit)
    return tuple(stated)


def _with_smaller_unit(one: Quantity, other: Quantity, text: str) -> Quantity | None:
    """Return 8 h 12 min as one quantity; None where the second is no part of one of the first.

    The two stay beside it: "at 12 months and 2 weeks" are two times.
    """
    is_next = re.fullmatch(r",? (?:and )?", text[one.end : other.start]) is not None
    share = other.value * other.factor / one.factor
    if not is_next or one.unit != "s" or other.unit != "s" or not 0 < share < 1 or one.step != 1:
        return None
    words = text[one.start : other.end]
    step = other.factor / one.factor
    return replace(one, value=one.value + share, step=step, text=words, end=other.end)


def bearing(quantity: Quantity, own: str, texts: Sequence[str]) -> Bearing:
    """Return whether the texts of sources bear a quantity of a sentence.

    `own`: that sentence, of whose other quantities it may be the difference or the ratio.
    """
    digits = re.compile(rf"(?<!\d){re.escape(quantity.text)}(?!\d)") if not quantity.unit else None
    for text in texts:
        if any(_agrees(quantity, other) for other in quantities(text)):
            return "stated"
        if digits and digits.search(text):  # in a name: PM2.5
            return "stated"
    if quantity.counts and quantity.relation == "=" and _is_scaled(quantity, texts):
        return "derived"
    others = tuple(other for other in quantities(own) if other != quantity)
    counts = tuple(other for other in others if not other.unit and other.value <= _LARGEST_COUNT)
    windows = [others, *(counts + window for text in texts for window in _windows(text))]
    is_derived = any(_agrees(quantity, other) for window in windows for other in _derived(window))
    return "derived" if is_derived else "absent"


def _is_scaled(quantity: Quantity, texts: Sequence[str]) -> bool:
    """Whether a text has it in thousands or thousandths: of a unit that is not known here."""
    values = {other.value for text in texts for other in quantities(text) if not other.unit}
    scaled = (quantity.value * 1000, quantity.value / 1000)
    return any(math.isclose(value, one) for value in values for one in scaled)


def _windows(text: str) -> Iterator[tuple[Quantity, ...]]:
    """Return the quantities of a short text, of a long one those of each two sentences in turn."""
    if len(everything := quantities(text)) <= _FEW:
        yield everything
        return
    parts = [sentence.text for sentence in sentences(text)]
    yield from (quantities(f"{one} {other}") for one, other in pairwise([*parts, ""]))


def _derived(window: Sequence[Quantity]) -> Iterator[Quantity]:
    for one in window:
        yield from _restated(one)
    for one, other in combinations(window, 2):
        yield from _of_two(one, other)
    for three in zip(window, window[1:], window[2:], strict=False):
        if not any(one.unit for one in three) and all(one.counts for one in three):
            yield Quantity(sum(one.value for one in three))


def _of_two(one: Quantity, other: Quantity) -> Iterator[Quantity]:
    for times, each in ((one, other), (other, one)):
        if not times.unit and times.value in range(2, _LARGEST_COUNT + 1):
            yield replace(each, value=times.value * each.value)
    if {one.unit, other.unit} == {"%", ""}:
        yield Quantity(one.value * other.value / 100)
    if one.unit != other.unit or one.unit in {"x", "p"}:
        return
    low, high = sorted((abs(one.value * one.factor), abs(other.value * other.factor)))
    unit, factor = one.unit, 1.0
    if _YEAR.fullmatch(one.text) and _YEAR.fullmatch(other.text):
        unit, factor = UNITS["year"]
        yield Quantity(high - low + 1, unit, factor)  # with the first and the last
    yield Quantity(high - low, unit, factor)
    yield from (Quantity(value, one.unit) for value in (high + low, (high + low) / 2))
    if low:
        yield from (Quantity(ratio, "x") for ratio in (high / low, low / high))
        shares = [low / high, (high - low) / high, (high - low) / low]
        if not one.unit and high < 1:  # points between two proportions
            yield Quantity(100 * (high - low))
        if not one.unit:  # two groups
            shares += [low / (low + high), high / (low + high)]
        yield from (Quantity(100 * share, "%") for share in shares)


def _restated(one: Quantity) -> Iterator[Quantity]:
    if one.unit == "%":
        share = one.value / 100
        yield replace(one, value=100 - one.value)
        yield from (Quantity(factor, "x") for factor in (1 + share, 1 - share))
    elif one.unit == "x" or (not one.unit and not one.counts):
        yield from (Quantity(100 * share, "%") for share in (1 - one.value, one.value - 1))
        yield Quantity(one.value, "x")


def _agrees(one: Quantity, other: Quantity) -> bool:
    match one.unit, other.unit:
        case ("p", "p"):
            return _is_same_p(one, other)
        case ("p", _) | (_, "p"):
            return False
        case ("degree", "F"):
            values = [(other.value - 32) / 1.8, other.value / 1.8]
        case ("F", "degree"):
            values = [other.value * 1.8 + 32, other.value * 1.8]
        case ("%", "") if abs(other.value) < 1:
            values = [100 * other.value]
        case ("", "%") if abs(one.value) < 1:
            values = [other.value / 100]
        case ("", _):
            values = [other.value]
        case (_, "") if not other.counts and other.text:  # "aged 18 to 65"
            values = [other.value]
        case (unit, other_unit):
            values = [other.value * other.factor / one.factor] if unit == other_unit else []
    is_converted = one.unit == other.unit and one.factor != other.factor
    return any(_is_near(one, abs(value), is_converted=is_converted) for value in values)


def _is_near(one: Quantity, value: float, *, is_converted: bool) -> bool:
    """Whether a quantity may stand for this value, as it is rounded and by the words before it."""
    own = abs(one.value)
    if (one.relation == ">" and value >= own) or (one.relation == "<" and value <= own):
        return True
    room = one.step / 2 or (_FRACTION if one.unit == "%" else 0.0)
    if one.relation == "~" or one.unit == "x" or (is_converted and one.unit == "s"):
        room = max(room, _ABOUT * own)
    elif is_converted or one.unit in {"degree", "F"}:
        room = max(room, _CONVERTED * own)
    return abs(own - value) <= room + 1e-9 * own


def _is_same_p(one: Quantity, other: Quantity) -> bool:
    if one.relation == "<":
        is_below = other.value <= one.value if other.relation == "<" else other.value < one.value
        return is_below and other.relation != ">"
    if one.relation == ">":
        return other.value >= one.value and other.relation != "<"
    return other.relation == "=" and abs(one.value - other.value) <= one.step / 2 + 1e-12


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    words, start, end = match.group(), match.start(), match.end()
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _BEFORE]
    relation = next((name for name, form in _RELATIONS if form.search(before)), "=")
    place: dict[str, Any] = {"text": words, "start": start, "end": end, "relation": relation}
    match match.lastgroup:
        case "fraction":
            return None if before.endswith("and ") else _fraction(words, after, place)
        case "ratio":
            first, second = map(_value, re.split(r" (?:in|out of)(?: every)? ", words))
            return Quantity(100 * first / second, "%", **place) if 0 < first < second else None
        case "fold":
            factor = next((n for form, n in _FOLDS.items() if words.lower().startswith(form)), None)
            value = factor or _value(re.split(r"[ -]?(?:fold|times)", words)[0])
            return Quantity(value, "x", **place)
    if _ORDINAL.match(after):
        return None
    return _plain(match, text, place)


def _plain(match: re.Match[str], text: str, place: dict[str, Any]) -> Quantity:
    words, end = match.group(), match.end()
    is_article = match.lastgroup == "article"
    value = _value(words)
    if is_article:
        value = 1.5 if _AND_A_HALF.match(text, end) else 1.0
    step = 10.0 ** -len(words.partition(".")[2])
    if scale := _SCALE.match(text, end):
        scaled = _SCALES[scale[1].lower()] if scale[1] else 10.0 ** int(scale[2].translate(_RAISED))
        value, step, end = value * scaled, step * scaled, scale.end()
    before, after = text[max(0, match.start() - _BEFORE) : match.start()], text[end : end + _BEFORE]
    place |= {"end": end, "text": text[match.start() : end], "step": step}
    if (p_value := _P_VALUE.search(before)) and abs(value) <= 1:
        relation = {"≤": "<", "≥": ">", "": "="}.get(p_value[1], p_value[1])
        return Quantity(value, "p", **place | {"relation": relation})
    if _DECADE.match(after):
        is_decade = _YEAR.fullmatch(words) is not None
        return Quantity(value + 4.5, "", **place | {"step": 9.0}, is_open=not is_decade)
    if currency := _CURRENCY.search(before):
        place["text"] = f"{currency[1]}{place['text']}"
        return Quantity(value, _SIGNS.get(currency[1], currency[1]), **place)
    unit, factor, length = unit_of(after)
    if unit:
        place |= {"end": end + length, "text": text[match.start() : end + length]}
        is_level = unit == "%" and _CONFIDENCE.match(after[length:]) is not None
        return Quantity(value, unit, factor, **place, is_open=is_article or is_level)
    next_word = re.match(r"[\s-]([^\W\d_]+)", after)
    counts = next_word is not None and next_word[1].lower() not in STOP_WORDS
    is_name = re.search(r"[^\W\d_]-$", before) is not None
    is_name |= before.endswith("per ")
    is_small = value == int(value) and 0 <= value <= _LARGEST_COUNT
    return Quantity(value, "", **place, counts=counts, is_open=is_name or is_small)


def _fraction(words: str, after: str, place: dict[str, Any]) -> Quantity | None:
    head, _, part = words.casefold().replace("-", " ").rpartition(" ")
    share = (1.0 if head in {"", "a", "an"} else _value(head)) / next(
        number for form, number in _PARTS.items() if part.startswith(form[:4])
    )
    if whole := re.match(r" (?:of )?an? (\w+)", after):
        longer = {"text": words + whole.group(), "end": place["end"] + whole.end()}
        if (scale := whole[1].casefold()) in _SCALES:
            return Quantity(
                share * _SCALES[scale], "", **place | longer, step=share * _SCALES[scale] / 10
            )
        unit, factor, _ = unit_of(f" {whole[1]}")
        if unit == "s":
            return Quantity(share, unit, factor, **place | longer, step=share / 10)
    if part.startswith("hal"):
        return None if after.startswith(("-", " life", " hour", " year")) else _share(share, place)
    if not head and not (part.endswith("s") or after.startswith(" of ")):
        return None  # "the third study"
    if part.endswith(("rd", "th")) and head not in {"", "a", "an", "one"}:
        return None  # "twenty third"
    return _share(share, place)


def _share(share: float, place: dict[str, Any]) -> Quantity:
    return Quantity(100 * share, "%", **place)


def _value(words: str) -> float:
    plain = words.casefold().replace("−", "-")
    if re.fullmatch(r"-?[\d,.\s]+", plain):
        return float(re.sub(r"[,\s]", "", plain))
    total = current = 0.0
    for word in re.split(r"[ -]", plain):
        if word in _SMALL or word in _TENS:
            current += _SMALL.get(word, _TENS.get(word, 0))
        elif word in _SCALES:
            current = max(current, 1.0) * _SCALES[word]
            if _SCALES[word] > 100:  # noqa: PLR2004  # what follows a thousand is added to it
                total, current = total + current, 0.0
        elif word == "half":
            current += 0.5
    return total + current
