"""Codes and names of languages: ISO 639-1, ISO 639-2 and English."""

import re
from functools import cache

from paper_search.resources import PackageFiles


def language_code(text: str | None) -> str | None:
    """Return the ISO 639-1 code of a language, or None.

    The text may be an ISO 639-1, ISO 639-2/B or 639-2/T code, a BCP 47 tag (`en-US`), an English
    name, or one of a few native names.
    """
    name = re.split("[,;]", text or "")[0].strip().lower().replace("_", "-")
    if not name:
        return None
    return _codes().get(name) or _codes().get(name.partition("-")[0])


def library_code(code: str) -> str | None:
    """Return the ISO 639-2/B code (`ger`) of a language given as for `language_code`, or None."""
    return _rows().get(language_code(code) or "", (None, None))[0]


def language_name(code: str) -> str | None:
    """Return the English name in lower case of a language as for `language_code`, or None."""
    return _rows().get(language_code(code) or "", (None, None))[1]


@cache
def _rows() -> dict[str, tuple[str, str]]:
    return {short: (library, name) for short, library, _, name, *_ in _table()}


@cache
def _codes() -> dict[str, str]:
    return {name: row[0] for row in _table() for name in row if name != "-"}


@cache
def _table() -> list[list[str]]:
    text = PackageFiles("paper_search.bibliography").read("languages.txt").decode("utf-8")
    return [line.split() for line in text.splitlines() if not line.startswith("#")]
