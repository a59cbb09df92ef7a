"""Makes leaves of the words, tags, headings and years of another system's search string."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NoReturn, TypeAlias, TypeVar

from paper_search.query.ast import HEADINGS, And, Near, Node, Not, Or, Phrase, Term, YearRange
from paper_search.query.leaves import LETTER, YEAR, leaf_of, words_of
from paper_search.query.limits import condition_of, type_of
from paper_search.query.systems import ANYWHERE, System
from paper_search.query.systems import YEAR as YEAR_FIELD
from paper_search.query.tokens import Token

Refuse: TypeAlias = Callable[[int, str], NoReturn]
"""Raises for an offset in the text as given, and a reason."""

EXPECTED = "expected a word, a \"phrase\" or '('"

_FAR_FUTURE = 3000
"""The year that PubMed's own interface writes for "to the present"."""
_INITIALS = re.compile(r"[^\W\d_]{1,3}|(?:[^\W\d_]\.-?)+")
_TRAILING = ",;:.!"
_FULL_YEAR = re.compile(r"(?<![\d/])\d{4}(?!\d)")
_EXPLODED = re.compile(r"(?P<heading>[^+]+)\+(?P<sub>/[^+]*)?\+?")
_PROXIMITY = re.compile(r"(.+?):~(\d+)")
_CUT = re.compile(r"([$*?])(\d{1,2})")
_Located = TypeVar("_Located", bound=Node)


class Leaves:
    """The parts of one string that are not joined to others.

    Args:
        system: whose language the string is in.
        refuse: raises for an offset and a reason.
    """

    def __init__(self, system: System, refuse: Refuse) -> None:
        self._system, self._refuse = system, refuse
        self._kept: list[Node] = []
        self.columns: dict[int, int] = {}

    def check(self, piece: Token) -> None:
        """Refuse a word that is no word, such as a quote that is never closed."""
        if piece.kind == "quoted":
            if not LETTER.search(piece.text):
                self._refuse(piece.start, "the phrase is empty: put words between the quotes")
        elif '"' in piece.text:
            self._refuse(piece.start, "this quote is never closed")
        elif piece.text[0] in "{}[]":
            self._refuse(piece.start, f"{EXPECTED} but found {piece.text!r}")

    def phrase(self, pieces: list[Token]) -> Node:
        """Return the leaf for words that follow each other."""
        words = [word for piece in pieces for word in _bare(piece).split()]
        return self.leaf(words, pieces[0].start)

    def leaf(self, words: Iterable[str], start: int) -> Term | Phrase:
        """Return the leaf for words as they were written, wildcards translated."""
        ours = [self._translated(word, start) for word in words]
        kept = tuple(word for word in ours if LETTER.search(word))
        if not kept:
            self._refuse(start, f"{EXPECTED} but found {' '.join(words)!r}")
        return self.located(leaf_of(kept), start)

    def _translated(self, word: str, start: int) -> str:
        """Return a word with our wildcards for those of the system."""
        signs = self._system.wildcards
        text = (
            word.rstrip(_TRAILING) if ":" not in signs else word.rstrip(_TRAILING.replace(":", ""))
        )
        limited = _CUT.sub(lambda cut: "$" * int(cut[2]), text)
        if limited != text:
            text, signs = limited, {**signs, "$": "$"}
        ours = "".join(
            signs.get(sign, sign) if place else sign.replace("?", "").replace("$", "")
            for place, sign in enumerate(text)
        )
        if "?" in text and "?" not in signs:
            self._refuse(start, f"{self._system.name} has no wildcard '?'")
        # One letter at the end of a word may be missing here: '?' there ends a question.
        inner = ours.rstrip("?")
        ours = inner + "$" * (len(ours) - len(inner))
        stem = ours.rstrip("*")
        return f"{stem}*" if stem != ours else ours

    def tagged(self, pieces: list[Token], token: Token) -> list[Node]:
        """Return PubMed's words: a tag is for the phrase, or all bare words, in front of it."""
        count = 1
        if pieces[-1].kind == "word":
            while count < len(pieces) and pieces[-count - 1].kind == "word":
                count += 1
        own, start = pieces[-count:], pieces[-count].start
        name = " ".join(token.found["behind"].lower().split())
        proximity = _PROXIMITY.fullmatch(name)
        tag = proximity[1] if proximity else name
        self.check_field(tag, token)
        fields = self.fields(tag)
        words = [word for piece in own for word in _bare(piece).split()]
        limited: Node
        if fields == {YEAR_FIELD}:
            self._refuse(token.start, f"expected years in front of it, as in 2015:2019{token.text}")
        if fields == {"author"}:
            limited = self.author(own)
        elif proximity and len(words) > 1:
            limited, *others = [self.leaf([word], start) for word in words if LETTER.search(word)]
            for other in others:
                limited = Near(limited, other, int(proximity[2]))
            limited = self.within(tag, limited)
        elif fields <= {*HEADINGS}:
            is_exploded = len(words) > 1 and words[0].lower() in {"exp", "explode"}
            limited = self.located(leaf_of(tuple(words[is_exploded:]), fields.pop()), start)
        else:
            limited = self.within(tag, self.leaf(words, start))
        return [*(self.phrase([piece]) for piece in pieces[:-count]), limited]

    def author(self, pieces: list[Token]) -> Node:
        """Return a name: `smith ja` finds John A. Smith, too."""
        words = [word.strip(",;*$?.") for piece in pieces for word in _bare(piece).split()]
        names = [word for word in words if LETTER.search(word)]
        if not names:
            self._refuse(pieces[0].start, "expected the name of an author")
        leaves: list[Node] = [Term(name, "author") for name in names]
        if len(names) > 1 and _INITIALS.fullmatch(names[-1]):
            leaves[-1] = Term(names[-1][0], "author", is_prefix=True)
        for leaf in leaves:
            self.located(leaf, pieces[0].start)
        return And(tuple(leaves)) if len(leaves) > 1 else leaves[0]

    def fields(self, tags: str) -> set[str]:
        """Return our fields for tags between commas; unknown ones are left out."""
        found = self._system.field_of(tags)
        if found is not None:
            return {found}
        named = {self._system.field_of(tag.strip()) for tag in tags.split(",")}
        return {name for name in named if name is not None}

    def check_field(self, tags: str, token: Token) -> None:
        """Refuse tags that we have no counterpart of."""
        if self._system.field_of(tags) is not None:
            return
        for tag in tags.split(","):
            if self._system.field_of(tag) is None:
                shown = (
                    f"the tag {token.text.strip()}"
                    if token.kind == "suffix"
                    else f"the field {tag.strip()}"
                )
                self._refuse(
                    token.start,
                    f"{shown} of {self._system.name} has no counterpart here: leave it out",
                )

    def limited(self, node: Node, token: Token) -> Node:
        """Return the tree limited by a tag behind it."""
        tags = token.found["behind"]
        self.check_field(tags, token)
        return self.within(tags, node)

    def within(self, tags: str, node: Node) -> Node:
        """Return the tree limited to the fields of tags."""
        fields = self.fields(tags)
        if ANYWHERE in fields:
            return node
        if "tiab" in fields or {"title", "abstract"} <= fields:
            fields = (fields - {"title", "abstract"}) | {"tiab"}
        several = tuple(self._in_field(name, node) for name in sorted(fields))
        return several[0] if len(several) == 1 else Or(several)

    def _in_field(self, name: str, node: Node) -> Node:
        match node:
            case Term() | Phrase():
                return node if node.field else self._leaf_in_field(name, node)
            case And(children) | Or(children):
                return replace(node, children=tuple(self._in_field(name, c) for c in children))
            case Not(child):
                made = Not(self._in_field(name, child))
                return self.located(made, self.columns.get(id(node), 1) - 1)
            case Near(left, right):
                if name == YEAR_FIELD:
                    self._refuse(0, "words at a distance are no years: write them as 2015-2019")
                sides = self._in_field(name, left), self._in_field(name, right)
                return replace(node, left=sides[0], right=sides[1])
            case YearRange():
                return node

    def _leaf_in_field(self, name: str, leaf: Term | Phrase) -> Node:
        if name == YEAR_FIELD:
            return self._years_of(leaf)
        made = replace(leaf, field=name)
        if name == "type":
            made = type_of(made)
        elif name in HEADINGS and (found := _EXPLODED.fullmatch(" ".join(words_of(made)))):
            # EBSCO's plus sign takes the narrower headings in.
            text = found["heading"] + (found["sub"] or "").lower()
            made = leaf_of(tuple(text.split()), name.removesuffix("-only"))
        return self.located(made, self.columns.get(id(leaf), 1) - 1)

    def _years_of(self, leaf: Term | Phrase) -> Node:
        """Return the years that words in front of a tag for years name."""
        start = self.columns.get(id(leaf), 1) - 1
        numbers = [int(year) for year in YEAR.findall(" ".join(words_of(leaf)))]
        if not numbers:
            self._refuse(start, "expected years, as in 2015 or 2015-2019")
        return self.located(YearRange(min(numbers), max(numbers)), start)

    def heading(self, token: Token) -> Node:
        """Return a subject heading, one for each of its subheadings."""
        parts = token.found.groupdict()
        if (name := parts.get("heading")) is not None:
            is_main = parts["star"] is not None or name.startswith("*")
            kind = ("majr" if is_main else "mesh") + ("" if parts["exp"] else "-only")
            subs = [sub.strip() for sub in (parts["subs"] or "").split(",") if sub.strip()]
        else:
            name = parts["name"] or parts["old"] or parts["mh"]
            is_alone = parts["only"] is not None or "only" in (parts["how"] or "").lower()
            kind, subs = "mesh-only" if is_alone else "mesh", []
        words = name.replace('"', " ").strip(" *").split()
        if not LETTER.search("".join(words)):
            self._refuse(token.start, f"expected a subject heading in front of {token.text!r}")
        leaves = [
            self.located(
                leaf_of((*words[:-1], f"{words[-1]}/{sub}" if sub else words[-1]), kind),
                token.start,
            )
            for sub in subs or [""]
        ]
        return Or(tuple(leaves)) if len(leaves) > 1 else leaves[0]

    def years(self, token: Token) -> Node:
        """Return a span of years, or several joined by OR."""
        found = token.found
        if token.kind == "pubmed_years":
            numbers = [int(number) for number in _FULL_YEAR.findall(found[0])]
            first, last = numbers[0], numbers[-1]
            return self._range(first, None if last >= _FAR_FUTURE else last, token)
        if found["limited"]:
            is_out = found[0].upper().startswith("EXCLUDE")
            years = self._range(int(found["limited"]), int(found["limited"]), token)
            return self.located(Not(years), token.start) if is_out else years
        sign = (found["sign"] or "=").upper()
        first = int(found["first"])
        is_open = "-" in found[0].partition(found["first"])[2] and not found["last"]
        last = int(found["last"] or first)
        spans = {
            ">": (first + 1, None),
            "AFT": (first + 1, None),
            ">=": (first, None),
            "<": (None, first - 1),
            "BEF": (None, first - 1),
            "<=": (None, first),
        }
        begin, end = spans.get(sign, (first, None if is_open else last))
        node: Node = self._range(begin, end, token)
        others = [
            self._range(int(year), int(year), token) for year in YEAR.findall(found["others"])
        ]
        return Or((node, *others)) if others else node

    def _range(self, first: int | None, last: int | None, token: Token) -> Node:
        if first is not None and last is not None and first > last:
            self._refuse(token.start, f"the years run backwards: write {last}-{first}")
        return self.located(YearRange(first, last), token.start)

    def embase_limit(self, token: Token) -> Node:
        """Return what a limit between brackets means."""
        said = token.found["limits"].replace("[", " ").replace("]", " ").strip().lower()
        if token.found["limit"].lower() == "sd":
            self._refuse(
                token.start,
                "the date of entry has no counterpart here: write years as in [2000-2010]/py",
            )
        if token.found["limit"].lower() == "py":
            numbers = [int(year) for year in YEAR.findall(said)]
            if not numbers:
                self._refuse(token.start, "expected years as in [2000-2010]/py")
            return self._range(numbers[0], numbers[-1], token)
        found = condition_of(said, token.start, self._refuse)
        is_out = (token.found.groupdict().get("to") or "").upper() == "EXCLUDE"
        return self.located(Not(found) if is_out else found, token.start)

    def located(self, node: _Located, start: int) -> _Located:
        """Return the node, its column noted."""
        self._kept.append(node)
        self.columns.setdefault(id(node), start + 1)
        return node


def _bare(piece: Token) -> str:
    """Return a word, or a phrase without its quotes."""
    return piece.text[1:-1] if piece.kind == "quoted" else piece.text
