"""Languages under the names that services have for them: ISO 639-1, ISO 639-2 and in English."""

from __future__ import annotations

from functools import cache

# ISO 639-1, ISO 639-2/B (libraries, PubMed, Europe PMC), ISO 639-2/T where it differs, English
_TABLE = """
af afr - afrikaans|am amh - amharic|ar ara - arabic|az aze - azerbaijani|be bel - belarusian
bg bul - bulgarian|bn ben - bengali|bs bos - bosnian|ca cat - catalan|cs cze ces czech
cy wel cym welsh|da dan - danish|de ger deu german|el gre ell greek|en eng - english
eo epo - esperanto|es spa - spanish|et est - estonian|eu baq eus basque|fa per fas persian
fi fin - finnish|fr fre fra french|ga gle - irish|gd gla - gaelic|gl glg - galician
gu guj - gujarati|he heb - hebrew|hi hin - hindi|hr hrv - croatian|hu hun - hungarian
hy arm hye armenian|id ind - indonesian|is ice isl icelandic|it ita - italian|ja jpn - japanese
ka geo kat georgian|kk kaz - kazakh|km khm - khmer|kn kan - kannada|ko kor - korean
la lat - latin|lt lit - lithuanian|lv lav - latvian|mk mac mkd macedonian|ml mal - malayalam
mn mon - mongolian|mr mar - marathi|ms may msa malay|my bur mya burmese|ne nep - nepali
nl dut nld dutch|no nor - norwegian|pa pan - punjabi|pl pol - polish|pt por - portuguese
ro rum ron romanian|ru rus - russian|sk slo slk slovak|sl slv - slovenian|sq alb sqi albanian
sr srp - serbian|sv swe - swedish|sw swa - swahili|ta tam - tamil|te tel - telugu|th tha - thai
tl tgl - tagalog|tr tur - turkish|uk ukr - ukrainian|ur urd - urdu|uz uzb - uzbek
vi vie - vietnamese|zh chi zho chinese
"""
_NATIVE = {
    "deutsch": "de", "ngerman": "de", "français": "fr", "francais": "fr", "español": "es",
    "espanol": "es", "italiano": "it", "português": "pt", "portugues": "pt", "nederlands": "nl",
    "polski": "pl",
    "русский": "ru", "中文": "zh", "日本語": "ja", "한국어": "ko", "farsi": "fa", "mandarin": "zh",
    "nb": "no", "nn": "no", "nob": "no", "nno": "no", "scr": "hr", "scc": "sr", "american": "en",
    "british": "en", "castilian": "es", "valencian": "ca", "iw": "he", "in": "id",
}  # fmt: skip


def language_code(text: str | None) -> str | None:
    """Return the ISO 639-1 code of a language given as a code or a name, or None.

    Understood are ISO 639-1, both kinds of ISO 639-2, BCP 47 (`en-US`), names in English, and a
    few names in the language itself.
    """
    name = (text or "").strip().lower().replace("_", "-")
    if not name:
        return None
    return _codes().get(name) or _codes().get(name.partition("-")[0])


def library_code(code: str) -> str | None:
    """Return the ISO 639-2/B code (`ger`) for what `language_code` understands, or None."""
    return _rows().get(language_code(code) or "", (None, None))[0]


def language_name(code: str) -> str | None:
    """Return the English name in lower case for what `language_code` understands, or None."""
    return _rows().get(language_code(code) or "", (None, None))[1]


@cache
def _rows() -> dict[str, tuple[str, str]]:
    rows = [entry.split() for entry in _TABLE.replace("\n", "|").split("|") if entry]
    return {short: (library, name) for short, library, _, name in rows}


@cache
def _codes() -> dict[str, str]:
    rows = [entry.split() for entry in _TABLE.replace("\n", "|").split("|") if entry]
    return {**_NATIVE, **{name: row[0] for row in rows for name in row if name != "-"}}
