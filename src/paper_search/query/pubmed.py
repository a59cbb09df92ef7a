"""Search strings in the style of PubMed: `"heart attack"[tiab] AND smith j[au]`.

Tags: https://pubmed.ncbi.nlm.nih.gov/help/#search-tags
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from paper_search.query.rewriting import Refuse, Rewriting, with_initials

_TAGS = {
    "title:": ("ti", "title"),
    "abstract:": ("ab", "abstract"),
    "tiab:": ("tiab", "title/abstract"),
    "venue:": ("ta", "journal", "jour"),
    "author:": ("au", "author", "fau", "full author name", "1au", "author - first", "lastau"),
    "": ("tw", "text word", "text words", "all", "all fields", "aid", "doi", "pmid", "uid", "ot"),
}
_MESH = {"mh", "mesh", "mesh terms"}
_PREFIXES = {tag: prefix for prefix, tags in _TAGS.items() for tag in tags}
_HEADINGS = {"majr", "mesh major topic", "mh:noexp", "mesh:noexp",
             "mesh terms:noexp", "nm", "supplementary concept"}  # fmt: skip
_OPERATORS = {"AND", "OR", "NOT"}
_FAR_FUTURE = 3000
"""The year that PubMed's own interface writes for "to the present"."""

_MARK = re.compile(r'(?<=[\w"*.)])\s?\[[A-Za-z][^\[\]"()]*\](?=[\s):]|$)')
_DATE_TAG = r"\[\s*(?:dp|pdat|ppdat|epdat|date\s*-\s*publication|publication date)\s*\]"
_DATE_NAME = re.compile(_DATE_TAG, re.IGNORECASE)
_DATE = r'"?(\d{4})(?:/[\d/]*+)?"?\s*+'
_TOKEN = re.compile(
    rf"{_DATE}(?:{_DATE_TAG})?\s*:\s*{_DATE}{_DATE_TAG}"  # 2015:2019[dp]
    rf"|{_DATE}{_DATE_TAG}"
    r'|"[^"]*"|[()]|\[[^\]]*\]|[^\s()"\[\]]+|\s+|.',
    re.DOTALL | re.IGNORECASE,
)
_PROXIMITY = re.compile(r"(.+?):~(\d+)")


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    start: int


def is_recognised(bare: str) -> bool:
    """Whether the query, its quoted parts blanked, carries a PubMed tag."""
    return bool(_MARK.search(bare))


def rewrite(text: str, refuse: Refuse) -> Rewriting:
    """Return the query in our language; a tag we have no counterpart of is refused."""
    return _PubMed(text, refuse).rewriting


class _PubMed:
    """Collects the words in front of a tag until the tag says what they are."""

    def __init__(self, text: str, refuse: Refuse) -> None:
        self._refuse = refuse
        self._waiting: list[_Piece] = []
        self.rewriting = Rewriting("PubMed")
        for found in _TOKEN.finditer(text):
            if any(found.groups()):
                self._take_years(*found.groups(), start=found.start())
            else:
                self._take(_Piece(found[0], found.start()))
        self._let_go()

    def _take(self, piece: _Piece) -> None:
        if piece.text in {"(", ")"} or piece.text in _OPERATORS:
            self._let_go()
            self.rewriting.copy(piece.text, piece.start)
            self.rewriting.write(" ", piece.start)
        elif piece.text.startswith("[") and piece.text.endswith("]"):
            self._tag(piece)
        elif piece.text.strip():
            self._waiting.append(piece)

    def _take_years(
        self, first: str | None, last: str | None, only: str | None, *, start: int
    ) -> None:
        self._let_go()
        begin, end = first or only or "", last or only or ""
        is_open = int(end) >= _FAR_FUTURE
        self.rewriting.write(f"year:{begin}-{'' if is_open else end} ", start)

    def _let_go(self) -> None:
        """Write the words that turned out to carry no tag."""
        for piece in self._waiting:
            self.rewriting.copy(piece.text, piece.start)
            self.rewriting.write(" ", piece.start)
        self._waiting = []

    def _tag(self, tag: _Piece) -> None:
        name = " ".join(tag.text[1:-1].lower().split())
        proximity = _PROXIMITY.fullmatch(name)
        base = proximity[1] if proximity else name
        if not self._waiting:
            self._refuse(tag.start, f'expected a word or a "phrase" in front of {tag.text}')
        if base in _HEADINGS:
            self.rewriting.notes.append(
                (tag.start, f"{tag.text}: the heading is searched as words, without narrower ones")
            )
        elif base in _MESH:
            note = f"{tag.text}: where a source has no headings, the words are searched"
            self.rewriting.notes.append((tag.start, note))
        elif _DATE_NAME.fullmatch(tag.text):
            self._refuse(tag.start, f"expected years in front of it, as in 2015:2019{tag.text}")
        elif base not in _PREFIXES:
            self._refuse(tag.start, f"the tag {tag.text} has no counterpart here: leave it out")
        prefix = "mesh:" if base in _MESH else _PREFIXES.get(base, "")
        pieces = self._tagged()
        start = pieces[0].start
        self.rewriting.write(prefix, start)
        words = [word for piece in pieces for word in piece.text.strip('"').split()]
        if proximity and len(words) > 1:
            close = f" NEAR/{proximity[2]} ".join(f'"{word}"' for word in words)
            self.rewriting.write(f"({close}) ", start)
        elif prefix == "author:":
            self.rewriting.write(f"({with_initials(words)}) ", start)
        elif len(pieces) == 1:
            self.rewriting.copy(pieces[0].text, start)
            self.rewriting.write(" ", start)
        else:
            self.rewriting.write(f'"{" ".join(words)}" ', start)

    def _tagged(self) -> list[_Piece]:
        """Return the pieces that a tag is for: a phrase, or all bare words since the last one."""
        count = 1
        if not self._waiting[-1].text.startswith('"'):
            while count < len(self._waiting) and '"' not in self._waiting[-count - 1].text:
                count += 1
        pieces = self._waiting[-count:]
        del self._waiting[-count:]
        self._let_go()
        return pieces
