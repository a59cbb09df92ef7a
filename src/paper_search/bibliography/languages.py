"""Languages under the names that services have for them: ISO 639-1, ISO 639-2 and in English."""

from functools import cache

from paper_search.resources import PackageFiles


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
    return {short: (library, name) for short, library, _, name, *_ in _table()}


@cache
def _codes() -> dict[str, str]:
    return {name: row[0] for row in _table() for name in row if name != "-"}


@cache
def _table() -> list[list[str]]:
    text = PackageFiles("paper_search.bibliography").read("languages.txt").decode("utf-8")
    return [line.split() for line in text.splitlines() if not line.startswith("#")]
