"""The quantities of a text, in digits and in words."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from paper_search.skills.words import STOP_WORDS

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
    "k": 10**3, "m": 10**6, "b": 10**9,
}  # fmt: skip
_PARTS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_FOLDS = {"doubl": 2, "twi": 2, "tripl": 3, "trebl": 3, "thrice": 3, "quadrupl": 4, "halv": 0.5}
_WORD = "|".join([*_SMALL, *_TENS, "hundred", "thousand", "million", "billion"])
_AS = r"(?= (?:as|more|less|fewer|higher|lower|greater|larger|smaller|longer|the|that)\b)"
_DIGITS = (
    r"(?<![\w.])[-−]?\d{1,3}(?:[,\u202f\u00a0 ]\d{3})+(?:\.\d+)?(?!\d|\.\d)"
    r"|(?<![\w.])[-−]?(?:\d+(?:\.\d+)?|\.\d+)|(?<=[A-Za-z]-)\d+(?:\.\d+)?"
)
_QUANTITY = re.compile(
    rf"(?P<fraction>\b(?:(?:a|an|{_WORD})[ -])?"
    r"(?:half|halves|(?:third|quarter|fourth|fifth|tenth)s?)\b(?! century)(?=[ ,.;:)-]|$))"
    rf"|(?P<ratio>\b(?:{_WORD}|\d+) (?:in|out of)(?: every)? "
    rf"(?:(?:a )?(?:{_WORD})|\d{{1,2}}0*)\b(?! ?%|,\d))"
    rf"|(?P<fold>\b(?:(?:doubl|tripl|trebl|quadrupl|halv)(?:e[sd]|ing)\b|(?:twice|thrice|double){_AS}"
    rf"|(?:{_WORD}|\d+(?:\.\d+)?)(?:[ -]?fold\b|[ -]times{_AS})))"
    rf"|(?P<digits>{_DIGITS})"
    rf"|(?P<words>\b(?:a (?:hundred|thousand|million|billion|dozen)|{_WORD})"
    rf"(?:(?:[ -]and)?[ -](?:{_WORD}))*(?: and a half)?\b)"
    r"|(?P<article>\b(?:an?|per|each|every)"
    r"(?= (?:second|minute|hour|day|week|fortnight|month|year|decade)\b))",
    re.IGNORECASE,
)
_DECADE = re.compile(r"s\b")
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th)\b|-(?:first|third|fourth|fifth|sixth|seventh|eighth|ninth)s?\b"
)
_AND_A_HALF = re.compile(r" \w+ and a half\b")
_RAISED = str.maketrans("⁻−⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
_SCALE = re.compile(
    r"\s?(?:((?i:thousand|million|billion|bn)|(?<=\d)[kKMB])\b"
    r"|(?:[x×·*]\s?10(?:\^[({]?|\(|(?=[⁻⁰¹²³⁴-⁹]))|(?<=\d)[eE](?=[-−+]?\d))([-−⁻+]?[\d⁰¹²³⁴-⁹]{1,2})[)}]?)"
)
"""A scale word or a power of ten; PubMed writes 10(6), programs e-6."""
_AGE = re.compile(
    r"\bage[ds]?(?: (?:of|between|from|was))? (?:\d+ ?(?:to|and|[-–]) ?)?$", re.IGNORECASE
)
"""Text before an age in years."""
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
_BELOW_WORDS = r"less than|fewer than|under|below|at most|no more than|(?:young|short)er than"
_RELATIONS = [
    (
        relation,
        re.compile(rf"(?:\b(?:{words})|[{signs}])\s?(?:the )?(?:US|A|C)?[$€£¥]?$", re.IGNORECASE),
    )
    for relation, words, signs in (
        ("~", _ABOUT_WORDS, "~≈"),
        (">", _ABOVE_WORDS, ">≥"),
        ("<", _BELOW_WORDS, "<≤"),
    )
]
_TO_NEXT = re.compile(r"\s?-?(?:,|,? (?:to|and|or)|-|–|—|/|±|\+/-| ?versus| ?vs?\.?| ?against)\s?")
YEAR = re.compile(r"(?:1[4-9]|20)\d\d")
_SHORTYEAR = re.compile(r"\b(1[4-9]|20)(\d\d[-–/])(\d\d)\b(?![-–/\d])")
CURRENCIES = frozenset("$€£¥")
LARGEST_COUNT = 12
"""Whole numbers up to it without a unit may be the writer's own counts."""
_BEFORE = 40
_DAY, _YEAR_DAYS = 86_400.0, 365.25
UNITS = {
    "second": ("s", 1.0), "sec": ("s", 1.0), "minute": ("s", 60.0), "min": ("s", 60.0),
    "hour": ("s", 3600.0), "hr": ("s", 3600.0), "day": ("s", _DAY), "week": ("s", 7 * _DAY),
    "wk": ("s", 7 * _DAY), "fortnight": ("s", 14 * _DAY), "month": ("s", _DAY * _YEAR_DAYS / 12),
    "mo": ("s", _DAY * _YEAR_DAYS / 12), "year": ("s", _DAY * _YEAR_DAYS),
    "yr": ("s", _DAY * _YEAR_DAYS), "decade": ("s", 10 * _DAY * _YEAR_DAYS),
    "century": ("s", 100 * _DAY * _YEAR_DAYS), "centurie": ("s", 100 * _DAY * _YEAR_DAYS),
    "pound": ("g", 453.592), "lb": ("g", 453.592), "ounce": ("g", 28.3495), "oz": ("g", 28.3495),
    "inche?": ("m", 0.0254), "f(?:oo|ee)t": ("m", 0.3048), "ft": ("m", 0.3048),
    "tonne": ("g", 1e6), "ton": ("g", 1e6), "t": ("g", 1e6), "hectare": ("ha", 1.0),
    "ha": ("ha", 1.0), "acre": ("ha", 0.40469), "bar": ("Pa", 1e5), "pence": ("£", 0.01),
    "mile": ("m", 1609.344), "dollar": ("$", 1.0), "usd": ("$", 1.0), "euro": ("€", 1.0),
    "cent": ("$", 0.01), "eur": ("€", 1.0),
    "%": ("%", 1.0), "per ?cent": ("%", 1.0), "percentage point": ("%", 1.0), "pct": ("%", 1.0),
    "point": ("point", 1.0),
    r"(?:°|degrees?)\s?f(?:ahrenheit)?": ("F", 1.0), r"degrees?(?: celsius)?": ("degree", 1.0),
    r"°\s?c?": ("degree", 1.0), "mm ?hg": ("mmHg", 1.0), "h": ("s", 3600.0),
    "(?-i:d)": ("s", _DAY),
}  # fmt: skip
_PREFIXES = {
    "k": 1e3, "M": 1e6, "G": 1e9, "d": 1e-1, "c": 1e-2, "mc": 1e-6, "m": 1e-3, "µ": 1e-6,
    "μ": 1e-6, "u": 1e-6, "n": 1e-9, "p": 1e-12, "kilo": 1e3, "mega": 1e6, "giga": 1e9,
    "deci": 1e-1, "centi": 1e-2, "milli": 1e-3, "micro": 1e-6, "nano": 1e-9,
}  # fmt: skip
_BASES = {
    "g": "g", "[lL]": "l", "m": "m", "s": "s", "Hz": "Hz", "W": "W", "V": "V", "J": "J", "B": "B",
    "Wh": "Wh", "Ah": "Ah", "eV": "eV", "Pa": "Pa", "hertz": "Hz", "joules?": "J", "bytes?": "B",
    "mol(?:es?)?": "mol", "pascals?": "Pa", "cal(?:ories?)?": "cal", "lit(?:er|re)s?": "l",
    "grams?": "g", "met(?:er|re)s?": "m", "seconds?": "s", "watts?": "W", "volts?": "V",
}  # fmt: skip
_UNIT = re.compile(
    rf"[\s-]?(?:(?P<word>(?i:{'|'.join(sorted(UNITS, key=len, reverse=True))}))s?"
    rf"|(?P<prefix>{'|'.join(_PREFIXES)})??(?P<base>{'|'.join(_BASES)}))(?!\w)"
)
_WORD_FORMS = [(re.compile(form, re.IGNORECASE), unit) for form, unit in UNITS.items()]
_BASE_FORMS = [(re.compile(form), unit) for form, unit in _BASES.items()]


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, if known."""

    value: float
    unit: str = ""
    """The base unit, %, point, x (times as much), p, a currency, or empty."""
    factor: float = 1.0
    """Factor to the base unit."""
    text: str = ""
    start: int = 0
    end: int = 0
    step: float = 0.0  # of its last digit; 0 for numbers in words
    relation: str = "="  # or ~ (about), >, <
    counts: bool = False
    """Whether a word follows that it may count."""
    is_open: bool = False
    """Whether it needs no source, such as a small count or a part of a name."""


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order, without ordinals."""
    plain = text.translate({0xB7: ".", 0xBD: ".5", 0xBC: ".25", 0xBE: ".75"})
    plain = _SHORTYEAR.sub(r"\1\2\1\3", plain)  # 1990-95
    stated: list[Quantity] = []
    for match in _QUANTITY.finditer(plain):
        quantity = _quantity(match, plain)
        if quantity is None or (stated and quantity.start < stated[-1].end):
            continue
        whole = _with_smaller_unit(stated[-1], quantity, plain) if stated else None
        stated += [quantity] if whole is None else [replace(quantity, is_open=True), whole]
    for index in range(len(stated) - 1, 0, -1):
        before, after = stated[index - 1], stated[index]
        is_bare = not before.unit and not before.counts and not YEAR.fullmatch(before.text)
        is_next = _TO_NEXT.fullmatch(plain[before.end : after.start]) is not None
        if is_bare and is_next and after.unit not in {"", "x", "p"} and not after.is_open:
            unit: dict[str, Any] = {"unit": after.unit, "factor": after.factor, "is_open": False}
            stated[index - 1] = replace(before, **unit)
    return tuple(stated)


def _with_smaller_unit(one: Quantity, other: Quantity, text: str) -> Quantity | None:
    """Combine 8 h 12 min into one quantity; None if the second is not a part of the first.

    Both are also kept, because "at 12 months and 2 weeks" are two times.
    """
    is_next = re.fullmatch(r",? (?:and )?", text[one.end : other.start]) is not None
    share = other.value * other.factor / one.factor
    if not is_next or one.unit != "s" or other.unit != "s" or not 0 < share < 1 or one.step != 1:
        return None
    words = text[one.start : other.end]
    step = other.factor / one.factor
    return replace(one, value=one.value + share, step=step, text=words, end=other.end)


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
    return None if _ORDINAL.match(after) else _plain(match, text, place)


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
        is_decade = YEAR.fullmatch(words) is not None
        return Quantity(value + 4.5, "", **place | {"step": 9.0}, is_open=not is_decade)
    if not is_article and (currency := _CURRENCY.search(before)):
        place["text"] = f"{currency[1]}{place['text']}"
        return Quantity(value, _SIGNS.get(currency[1], currency[1]), **place)
    unit, factor, length = _unit_of(after)
    if not unit and _AGE.search(before):
        unit, factor = UNITS["year"]
    if unit:
        place |= {"end": end + length, "text": text[match.start() : end + length]}
        is_level = unit == "%" and _CONFIDENCE.match(after[length:]) is not None
        return Quantity(value, unit, factor, **place, is_open=is_article or is_level)
    next_word = re.match(r"[\s-]([^\W\d_]{2,})", after)
    counts = next_word is not None and next_word[1].lower() not in STOP_WORDS
    is_name = re.search(r"[^\W\d_]-$|per $", before) is not None
    is_small = value == int(value) and 0 <= value <= LARGEST_COUNT
    return Quantity(value, "", **place, counts=counts, is_open=is_name or is_small)


def _fraction(words: str, after: str, place: dict[str, Any]) -> Quantity | None:
    head, _, part = words.casefold().replace("-", " ").rpartition(" ")
    share = (1.0 if head in {"", "a", "an"} else _value(head)) / next(
        number for form, number in _PARTS.items() if part.startswith(form[:4])
    )
    if whole := re.match(r" (?:of )?an? (\w+)", after):
        longer = {"text": words + whole.group(), "end": place["end"] + whole.end()}
        if (scale := whole[1].casefold()) in _SCALES:
            value = share * _SCALES[scale]
            return Quantity(value, "", **place | longer, step=value / 10)
        unit, factor, _ = _unit_of(f" {whole[1]}")
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
            if _SCALES[word] > 100:  # noqa: PLR2004  # what follows a thousand is added
                total, current = total + current, 0.0
        elif word == "half":
            current += 0.5
    return total + current


def _unit_of(after: str) -> tuple[str, float, int]:
    """Return base unit, factor and length of the unit at the beginning of a text, if any."""
    match = _UNIT.match(after)
    if match is None:
        return "", 1.0, 0
    if match["word"]:
        unit, factor = next(u for form, u in _WORD_FORMS if form.fullmatch(match["word"]))
        return unit, factor, match.end()
    base = next(name for form, name in _BASE_FORMS if form.fullmatch(match["base"]))
    return base, _PREFIXES.get(match["prefix"] or "", 1.0), match.end()
