"""Parse the keywords and subject categories of a work."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from paper_search.bibliography.text import clean
from paper_search.resources import PackageFiles

MOST = 60
"""Keywords of one record; indexers assign about forty at most."""
_LONGEST = 120
"""Characters; longer texts are sentences, or several keywords without separators."""
_NAMES = ("display_name", "name", "keyword", "subject", "term", "category")
_SEPARATORS = (re.compile(r"[;\n|]"), re.compile(r",\s"), re.compile(r"(?<=\w{3}),(?=[^\W\d]{3})"))
"""The first one found in a text is used, because inverted headings have commas."""
_WITHIN_ENTRY = re.compile(r"[;\n]")


def keywords_of(field: Any) -> list[str]:
    """Return the keywords in a string, a list of strings, or objects with a name."""
    if isinstance(field, str):
        separator = next((pattern for pattern in _SEPARATORS if pattern.search(field)), None)
        return distinct_keywords(separator.split(field) if separator else [field])
    return distinct_keywords(_texts(field if isinstance(field, list) else [field]))


def distinct_keywords(texts: Iterable[str]) -> list[str]:
    """Return distinct keywords, ignoring case, without MEDLINE's star for major topics."""
    words: dict[str, str] = {}
    for value in texts:
        word = clean(value).strip(" *")
        if any(map(str.isalnum, word)) and len(word) <= _LONGEST:
            words.setdefault(word.casefold(), word)
    return list(words.values())[:MOST]


@cache
def _arxiv_categories() -> dict[str, str]:
    text = PackageFiles("paper_search.bibliography").read("arxiv_categories.txt").decode("ascii")
    return dict(line.split(" ", 1) for line in text.splitlines())


def category_names(codes: str) -> list[str]:
    """Return the names of arXiv's categories in a text of codes such as `cs.LG stat.ML`.

    Codes of the ACM and the AMS, which arXiv lists as well, are ignored.
    """
    names = _arxiv_categories()
    return list(dict.fromkeys(names[code] for code in codes.split() if code in names))


def heading(text: str) -> str:
    """Return a MeSH heading without its qualifiers: `Diabetes Mellitus/*therapy` is diabetes."""
    return text.partition("/")[0].strip(" *")


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield from _WITHIN_ENTRY.split(value)
        elif isinstance(value, Mapping):
            yield next((named for name in _NAMES if isinstance(named := value.get(name), str)), "")
