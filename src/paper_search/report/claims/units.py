"""The units that are known, each with its base unit and its factor."""

import re

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
    r"(?:°|degrees?)\s?f(?:ahrenheit)?": ("F", 1.0), r"degrees?(?: celsius)?": ("degree", 1.0),
    r"°\s?c?": ("degree", 1.0), "mm ?hg": ("mmHg", 1.0), "h": ("s", 3600.0),
}  # fmt: skip
_PREFIXES = {
    "k": 1e3, "M": 1e6, "G": 1e9, "d": 1e-1, "c": 1e-2, "mc": 1e-6, "m": 1e-3, "µ": 1e-6,
    "μ": 1e-6, "u": 1e-6, "n": 1e-9, "p": 1e-12, "kilo": 1e3, "mega": 1e6, "giga": 1e9,
    "deci": 1e-1, "centi": 1e-2, "milli": 1e-3, "micro": 1e-6, "nano": 1e-9,
}  # fmt: skip
_BASES = {
    "g": "g", "l": "l", "L": "l", "m": "m", "s": "s", "Hz": "Hz", "W": "W", "V": "V", "J": "J",
    "Wh": "Wh", "hertz": "Hz", "joules?": "J", "bytes?": "B", "moles?": "mol", "pascals?": "Pa",
    "cal": "cal", "mol": "mol", "Pa": "Pa", "B": "B", "grams?": "g", "lit(?:er|re)s?": "l",
    "met(?:er|re)s?": "m", "seconds?": "s", "watts?": "W", "volts?": "V", "calories?": "cal",
}  # fmt: skip
_UNIT = re.compile(
    rf"[\s-]?(?:(?P<word>(?i:{'|'.join(sorted(UNITS, key=len, reverse=True))}))s?"
    rf"|(?P<prefix>{'|'.join(_PREFIXES)})??(?P<base>{'|'.join(_BASES)}))(?!\w)"
)
_WORD_FORMS = [(re.compile(form, re.IGNORECASE), unit) for form, unit in UNITS.items()]
_BASE_FORMS = [(re.compile(form), unit) for form, unit in _BASES.items()]


def unit_of(after: str) -> tuple[str, float, int]:
    """Return the unit at the beginning of a text: base unit, factor, length; or an empty one."""
    match = _UNIT.match(after)
    if match is None:
        return "", 1.0, 0
    if match["word"]:
        unit, factor = next(u for form, u in _WORD_FORMS if form.fullmatch(match["word"]))
        return unit, factor, match.end()
    base = next(name for form, name in _BASE_FORMS if form.fullmatch(match["base"]))
    return base, _PREFIXES.get(match["prefix"] or "", 1.0), match.end()
