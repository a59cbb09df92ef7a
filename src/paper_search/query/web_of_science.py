"""Search strings in the style of Web of Science (`TI=(...)`) and Scopus (`TITLE-ABS-KEY(...)`).

Field tags: https://webofscience.help.clarivate.com (Core Collection, field tags) and
https://schema.elsevier.com/dtds/document/bkapi/search/SCOPUSSearchTips.htm
"""

from __future__ import annotations

import re

from paper_search.query.leaves import YEAR
from paper_search.query.rewriting import Refuse, Rewriting, with_initials

_TAGS = {
    "title:": ("TI", "TITLE"),
    "abstract:": ("AB", "ABS"),
    "tiab:": ("TITLE-ABS",),
    "author:": ("AU", "AUTH", "AUTHOR-NAME", "AUTHOR", "FIRSTAUTH"),
    "venue:": ("SO", "SRCTITLE", "EXACTSRCTITLE"),
    "": ("TS", "ALL", "TITLE-ABS-KEY", "TITLE-ABS-KEY-AUTH", "KEY", "AK", "KP", "AUTHKEY",
         "INDEXTERMS", "DO", "DOI"),
    "year:": ("PY", "PUBYEAR"),
}  # fmt: skip
_PREFIXES = {tag: prefix for prefix, tags in _TAGS.items() for tag in tags}
_OTHER_TAGS = (
    "AFFIL|AFFILCOUNTRY|AFFILORG|AD|CF|CONF|CU|DOCTYPE|DT|EXCLUDE|FO|FUND-ALL|FUND-SPONSOR|ISSN|IS"
    "|LA|LANGUAGE|LIMIT-TO|OG|OO|PMID|PUBSTAGE|REF|REFTITLE|SU|SUBJAREA|UT|WC"
)
_NAMES = "|".join(sorted(map(re.escape, _PREFIXES), key=len, reverse=True)) + f"|{_OTHER_TAGS}"
# Before a parenthesis, tags of two letters are words ("AD (...)"), and so is "title (...)".
_EQUALS = rf"(?<![\w-])(?:(?i:{_NAMES})\s*=\s*)"
_CALLS = rf"(?<![\w-])(?-i:(?!\w\w\s*\()(?:{_NAMES})|title-abs(?:-key(?:-auth)?)?)\s*(?=\()"
_FIELD = rf"(?P<field>{_EQUALS}|{_CALLS})"
_YEARS = (
    r"(?<![\w-])(?:PY|PUBYEAR)\s*(?P<sign>=|>=|<=|>|<|\bAFT\b|\bBEF\b|\bIS\b)\s*+"
    r"(?P<open>\()?\s*+(?P<first>\d{4})(?:\s*-\s*(?P<last>\d{4}))?"
    r"(?P<others>(?:\s+OR\s+\d{4})*)\s*(?(open)\))"
)
_TOKEN = re.compile(
    rf"(?P<years>{_YEARS})|{_FIELD}"
    r'|(?P<quoted>"[^"]*"|\{[^{}]*\})'
    r"|(?P<close>\b(?:NEAR|W|PRE)/\d+\b|\bNEAR\b)"
    r"|(?P<operator>\b(?:AND\s+NOT|AND|OR|NOT|SAME)\b(?=[\s()]|$))"
    r"|(?P<paren>[()])|(?P<set>\#\d+)|(?P<space>\s+)|(?P<word>[^\s()\"{}]+|.)",
    re.IGNORECASE | re.DOTALL,
)
_WOS_MARK = re.compile(rf"{_EQUALS}[\w(\"*]")
_SCOPUS_MARK = re.compile(
    rf"{_CALLS}\(\s*[\w\"*({{]|(?<![\w-])PUBYEAR\s*(?:[<>=]|AFT\b|BEF\b|IS\b)"
)
_DEFAULT_DISTANCE = 15
"""What NEAR without a number means in Web of Science."""


def is_recognised(bare: str) -> bool:
    """Whether the query, its quoted parts blanked, carries a field tag of either service."""
    return bool(_WOS_MARK.search(bare) or _SCOPUS_MARK.search(bare))


def rewrite(text: str, refuse: Refuse) -> Rewriting:
    """Return the query in our language; a tag we have no counterpart of is refused."""
    return _WebOfScience(text, refuse).rewriting


class _WebOfScience:
    """Rewrites token by token; a tag without parentheses lasts to the next operator."""

    def __init__(self, text: str, refuse: Refuse) -> None:
        self._text = text
        self._refuse = refuse
        self._opened: list[int] = []
        self._author_depth: int | None = None
        self._depth = 0
        self._names: list[tuple[str, int]] = []
        self.rewriting = Rewriting("Web of Science or Scopus")
        for found in _TOKEN.finditer(text):
            self._take(found)
        self._end_of_words(len(text))

    def _take(self, found: re.Match[str]) -> None:
        start = found.start()
        kind = found.lastgroup
        if found["years"]:
            self._end_of_words(start)
            self._take_years(found)
        elif found["field"]:
            self._end_of_words(start)
            self._take_field(found)
        elif kind == "quoted":
            self._take_text(f'"{found[0][1:-1]}"', start)
        elif kind == "operator":
            self._end_of_words(start)
            self._take_operator(found)
        elif kind == "close":
            self._take_proximity(found)
        elif kind == "paren":
            self._take_parenthesis(found[0], start)
        elif kind == "set":
            self._refuse(start, f"the search set {found[0]} is not known here: write it out")
        elif kind == "word":
            self._take_text(found[0], start)

    def _take_field(self, found: re.Match[str]) -> None:
        name, start = found["field"].strip("= \t\r\n").upper(), found.start()
        if name not in _PREFIXES:
            self._refuse(start, f"the field {name} has no counterpart here: leave it out")
        prefix = _PREFIXES[name]
        if prefix == "year:":
            self._refuse(start, f"expected years as in {name}=2015-2019")
        self.rewriting.write(prefix, start)
        if prefix == "author:":
            self._author_depth = self._depth
        if not self._text.startswith("(", found.end()):
            self.rewriting.write("(", start)
            self._opened.append(self._depth)

    def _take_text(self, text: str, start: int) -> None:
        if self._author_depth is not None:
            self._names.append((text, start))
        else:
            self.rewriting.copy(text, start)
            self.rewriting.write(" ", start)

    def _take_operator(self, found: re.Match[str]) -> None:
        operator = " ".join(found[0].upper().split())
        if operator == "SAME":
            self._refuse(found.start(), "SAME has no counterpart here: write NEAR/n or AND")
        self.rewriting.write(f"{operator} ", found.start())

    def _take_proximity(self, found: re.Match[str]) -> None:
        name, _, number = found[0].upper().partition("/")
        if name == "PRE":
            note = f"{found[0]}: the order of the two sides is not kept"
            self.rewriting.notes.append((found.start(), note))
        self._flush_names()
        self.rewriting.write(f"NEAR/{number or _DEFAULT_DISTANCE} ", found.start())

    def _take_parenthesis(self, text: str, start: int) -> None:
        if text == "(":
            self._flush_names()
            self._depth += 1
        else:
            self._end_of_words(start)
            self._depth -= 1
            if self._author_depth is not None and self._depth <= self._author_depth:
                self._author_depth = None
        self.rewriting.copy(text, start)
        self.rewriting.write(" ", start)

    def _end_of_words(self, start: int) -> None:
        """Close the group of a tag that came without parentheses, unless we are inside one."""
        self._flush_names()
        while self._opened and self._opened[-1] >= self._depth:
            self.rewriting.write(") ", start)
            self._opened.pop()
            self._author_depth = None

    def _flush_names(self) -> None:
        if self._names:
            words = [word for text, _ in self._names for word in text.strip('"').split()]
            self.rewriting.write(f"({with_initials(words)}) ", self._names[0][1])
            self._names = []

    def _take_years(self, found: re.Match[str]) -> None:
        sign, start = found["sign"].upper(), found.start()
        first, last = int(found["first"]), int(found["last"] or found["first"])
        match sign:
            case ">" | "AFT":
                years = f"{first + 1}-"
            case ">=":
                years = f"{first}-"
            case "<" | "BEF":
                years = f"-{first - 1}"
            case "<=":
                years = f"-{first}"
            case _:
                years = f"{first}-{last}"
        others = [f" OR year:{year}" for year in YEAR.findall(found["others"])]
        self.rewriting.write(f"(year:{years}{''.join(others)}) ", start)
