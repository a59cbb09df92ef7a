"""Leaves for the words, tags, headings and years of another system's search string."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from paper_search.query.ast import (
    HEADINGS,
    LETTER,
    OWN_WORDS,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Refusal,
    Term,
    join,
    leaf_of,
    rebuild,
    words_of,
)
from paper_search.query.limits import (
    condition_of,
    day_after,
    entry_span,
    filter_of,
    iso_date,
    language_of,
    type_of,
    year_range,
)
from paper_search.query.systems import ANYWHERE, PUBMED, System
from paper_search.query.systems import YEAR as YEAR_FIELD
from paper_search.query.tokens import Token

EXPECTED = "expected a word, a \"phrase\" or '('"

_INITIALS = re.compile(r"[^\W\d_]{1,3}|(?:[^\W\d_]\.-?)+")
_TRAILING = ",;:.!"
_EXPLODED = re.compile(r"(?P<heading>[^+]+)\+(?P<sub>/[^+]*)?\+?")
_PROXIMITY = re.compile(r"(.+?):~(\d+)")
_CUT = {"Ovid": re.compile(r"[$*](\d{1,2})"), "ProQuest": re.compile(r"\[\*(\d)\]|\$(\d)")}
"""Truncation to a maximum number of letters."""
_COUNTED = re.compile(r"[*$]\d")
_FOREIGN = re.compile(
    r"(?i:adj\d+|(?:near|onear|pre|next|w|n|p)/\d*)|NEAR|ONEAR|ADJ|LNK|SAME|XOR|TI|AB|TX|MH|MM|TS|TIAB"
    r"|(?:AND|OR|NOT)\b.*|[\w*$]+\.(?:ti|ab|tw|mp|kw|kf|hw|pt|sh)(?:,[a-z]{2})*\.?"
)
_LONGEST_SHORT_FIELD = 3
"""A shorter word in capitals may be an abbreviation of the topic rather than a field."""
_RELATIVE = re.compile(r"[yd]_\d+")
_OPERATOR = re.compile(
    r"\b(?:AND|OR|NOT)\b|#\d|[{}]|\b[A-Z]{2}=|\bS\d+ |[a-z*]\s?\[[A-Za-z:/ ]{2,}\]"
)
_Located = TypeVar("_Located", bound=Node)


class Leaves:
    """Builds leaves, and keeps their columns."""

    def __init__(self, system: System, refuse: Refusal) -> None:
        self._system, self._refuse = system, refuse
        self._nodes: list[Node] = []  # referenced so that no `id()` in `columns` is reused
        self.columns: dict[int, int] = {}

    def check(self, piece: Token) -> None:
        if piece.kind == "quoted":
            if not LETTER.search(piece.text):
                self._refuse(piece.start, "the phrase is empty: put words between the quotes")
            sign = _OPERATOR.search(piece.text[1:-1])
            if sign and any(map(str.islower, piece.text)):
                self._refuse(
                    piece.start, f"{sign[0]!r} is between quotes: close the quote before it"
                )
        elif _FOREIGN.fullmatch(piece.text.rstrip(_TRAILING)) or self._is_bare_field(piece.text):
            self._refuse(
                piece.start,
                f"{piece.text!r} is not valid in {self._system.name}: quote it if it is a word",
            )

    def _is_bare_field(self, word: str) -> bool:
        """Whether it is a field in capitals without its parenthesis or sign: "PUBYEAR"."""
        is_long = len(word) > _LONGEST_SHORT_FIELD and word.isupper()
        return is_long and self._system.field_of(word) is not None

    def phrase(self, pieces: list[Token]) -> Node:
        words = [word for piece in pieces for word in _bare(piece).split()]
        is_quoted = len(pieces) == 1 and pieces[0].kind == "quoted"
        return self.leaf(words, pieces[0].start, ending=_TRAILING[1:] if is_quoted else _TRAILING)

    def leaf(self, words: Iterable[str], start: int, ending: str = _TRAILING) -> Term | Phrase:
        """Return the leaf for words, stripped of trailing punctuation, with our wildcards."""
        ours = [self._translate_wildcards(word, start, ending) for word in words]
        texts = tuple(word for word in ours if LETTER.search(word))
        if self._system is PUBMED and texts == ("hasabstract",):
            return self.locate(Term("hasabstract", "subset"), start)
        if not texts:
            self._refuse(start, f"{EXPECTED} but found {' '.join(words)!r}")
        return self.locate(leaf_of(texts), start)

    def _translate_wildcards(self, word: str, start: int, ending: str) -> str:
        signs = self._system.wildcards
        text = word.rstrip(ending) if ":" not in signs else word.rstrip(ending.replace(":", ""))
        if pattern := _CUT.get(self._system.name):
            shorter = pattern.sub(lambda sign: "$" * int(sign[sign.lastindex or 1]), text)
            if shorter != text:
                text, signs = shorter, {**signs, "$": "$"}
        if _COUNTED.search(text):
            self._refuse(start, f"{word!r}: {self._system.name} has no such wildcard")
        ours = "".join(
            signs.get(sign, sign) if place else sign.replace("?", "").replace("$", "")
            for place, sign in enumerate(text)
        )
        if unknown := next((sign for sign in "?$#:" if sign in text and sign not in signs), None):
            self._refuse(start, f"{self._system.name} has no wildcard {unknown!r}")
        # A final "?" would be dropped as punctuation; "$" also matches no letter.
        inner = ours.rstrip("?")
        ours = inner + "$" * (len(ours) - len(inner))
        stem = ours.rstrip("*")
        return f"{stem}*" if stem != ours else ours

    def with_tag(self, pieces: list[Token], token: Token) -> list[Node]:
        """Apply a PubMed tag to the phrase, or to all bare words, before it."""
        count = 1
        if pieces[-1].kind == "word":
            while count < len(pieces) and pieces[-count - 1].kind == "word":
                count += 1
        own, start = pieces[-count:], pieces[-count].start
        name = " ".join(token.match["behind"].lower().split())
        proximity = _PROXIMITY.fullmatch(name)
        tag = proximity[1] if proximity else name
        self.check_field(tag, token)
        fields = self.fields(tag)
        words = [word for piece in own for word in _bare(piece).split()]
        result: Node
        if fields <= {YEAR_FIELD, "entered"}:
            self._refuse(
                token.start, f"expected years or dates before it, as in 2015:2019{token.text}"
            )
        if fields == {"author"}:
            result = self.author(own)
        elif proximity and len(words) > 1:
            result, *others = [self.leaf([word], start) for word in words if LETTER.search(word)]
            for other in others:
                result = Near(result, other, int(proximity[2]))
            result = self.within(tag, result)
        elif fields == {"subset"} and _RELATIVE.fullmatch(" ".join(words)):
            self._refuse(
                start, "years back from today change by the day: write them as 2015:2019[dp]"
            )
        elif fields <= {*HEADINGS}:
            is_exploded = len(words) > 1 and words[0].lower() in {"exp", "explode"}
            result = self.locate(leaf_of(tuple(words[is_exploded:]), fields.pop()), start)
        else:
            result = self.within(tag, self.leaf(words, start))
        return [*(self.phrase([piece]) for piece in pieces[:-count]), result]

    def author(self, pieces: list[Token]) -> Node:
        words = [word.strip(",;?.") for piece in pieces for word in _bare(piece).split()]
        names = [word for word in words if LETTER.search(word)]
        if not names:
            self._refuse(pieces[0].start, "expected the name of an author")
        leaves: list[Node] = [
            Term(name.strip("*$"), "author", name.endswith(("*", "$"))) for name in names
        ]
        if len(names) > 1 and _INITIALS.fullmatch(names[-1].strip("*$")):
            leaves[-1] = Term(names[-1][0], "author", is_prefix=True)
        for leaf in leaves:
            self.locate(leaf, pieces[0].start)
        return join(And, leaves)

    def fields(self, tags: str) -> set[str]:
        """Return our fields for comma-separated tags, without unknown ones."""
        whole = self._system.field_of(tags)
        names = {self._system.field_of(tag.strip()) for tag in tags.split(",")}
        return {whole} if whole is not None else {name for name in names if name is not None}

    def check_field(self, tags: str, token: Token) -> None:
        if self._system.field_of(tags) is not None:
            return
        for tag in tags.split(","):
            if self._system.field_of(tag) is None:
                is_tag = token.kind == "suffix"
                label = f"tag {token.text.strip()}" if is_tag else f"field {tag.strip()}"
                self._refuse(
                    token.start,
                    f"the {label} of {self._system.name} has no counterpart here: leave it out",
                )

    def within(self, tags: str, node: Node) -> Node:
        fields = self.fields(tags)
        is_text = bool(fields & {"tiab", "abstract"})
        is_whole = "tiab" in fields or {"title", "abstract"} <= fields
        is_own = is_whole and self._has_own_keywords(tags)
        if ANYWHERE in fields or (is_text and "keyword" in fields and not is_own):
            return node
        if is_whole:
            fields -= {"title", "abstract", "tiab"}
            fields = (fields - {"keyword"}) | {OWN_WORDS} if is_own else fields | {"tiab"}
        return join(Or, [self._in_field(name, node) for name in sorted(fields)])

    def widens_keywords(self, tags: str) -> bool:
        """Whether tags mean author keywords only, which `keyword` widens to index terms."""
        fields = self.fields(tags)
        is_whole = "tiab" in fields or {"title", "abstract"} <= fields
        return not is_whole and ANYWHERE not in fields and self._has_own_keywords(tags)

    def _has_own_keywords(self, tags: str) -> bool:
        names = [" ".join(tag.lower().split()) for tag in tags.split(",")]
        words = {name for name in names if self._system.field_of(name) == "keyword"}
        return bool(words) and words <= self._system.own_keywords

    def _in_field(self, name: str, node: Node) -> Node:
        match node:
            case Term() | Phrase():
                return node if node.field else self._leaf_in_field(name, node)
            case Near() if name in {YEAR_FIELD, "entered"}:
                self._refuse(0, "years cannot be joined by NEAR: write them as 2015-2019")
        result = rebuild(node, partial(self._in_field, name))
        is_not = isinstance(node, Not)
        return self.locate(result, self.columns.get(id(node), 1) - 1) if is_not else result

    def _leaf_in_field(self, name: str, leaf: Term | Phrase) -> Node:
        if name in {YEAR_FIELD, "entered"}:
            return self._dates_of(name, leaf)
        result = replace(leaf, field=name)
        if name in _NORMAL_NAMES:
            result = _NORMAL_NAMES[name](result)
        elif name in HEADINGS and "/" in " ".join(words_of(result)) and "+" not in str(result):
            text, slash, sub = " ".join(words_of(result)).partition("/")
            result = leaf_of(tuple(f"{text}{slash}{sub.lower()}".split()), name)
        elif name in HEADINGS and (exploded := _EXPLODED.fullmatch(" ".join(words_of(result)))):
            # EBSCO's plus sign explodes the heading.
            text = exploded["heading"] + (exploded["sub"] or "").lower()
            result = leaf_of(tuple(text.split()), name.removesuffix("-only"))
        return self.locate(result, self.columns.get(id(leaf), 1) - 1)

    def _dates_of(self, name: str, leaf: Term | Phrase) -> Node:
        start = self.columns.get(id(leaf), 1) - 1
        text = " ".join(words_of(leaf))
        first, colon, last = text.partition(":") if ":" in text else text.partition("-")
        ends = [iso_date(first), iso_date(last) if colon else iso_date(first)]
        if colon != ":" and (whole := iso_date(text)):
            ends = [whole, whole]
        if ends[0] is None or ends[1] is None:
            self._refuse(start, f"expected years or dates, as in 2015 or 2015-2019, not {text!r}")
        return self._span(ends[0], ends[1], start, is_entry=name == "entered")

    def heading(self, token: Token) -> Node:
        """Return a subject heading with each of its subheadings, joined by OR."""
        parts = token.match.groupdict()
        if (name := parts.get("heading")) is not None:
            is_main = parts["star"] is not None or name.startswith("*")
            kind = ("majr" if is_main else "mesh") + ("" if parts["exp"] else "-only")
            subs = [sub.strip() for sub in (parts["subs"] or "").split(",") if sub.strip()]
        else:
            name = parts["name"] or parts["old"] or parts["mh"]
            is_alone = parts["only"] is not None or "only" in (parts["how"] or "").lower()
            kind = ("majr" if parts.get("main") else "mesh") + ("-only" if is_alone else "")
            codes = re.split(r"[,;]", parts.get("qualifier") or parts.get("qualifiers") or "")
            subs = [code.rpartition("- ")[2].strip().lower() for code in codes if code.strip()]
            if not name and subs:
                nodes = [self.locate(Term(sub, "subheading"), token.start) for sub in subs]
                return join(Or, nodes)
        words = name.replace('"', " ").strip(" *").split()
        if not LETTER.search("".join(words)):
            self._refuse(token.start, f"expected a subject heading before {token.text!r}")
        leaves = [
            self.locate(
                leaf_of((*words[:-1], f"{words[-1]}/{sub}" if sub else words[-1]), kind),
                token.start,
            )
            for sub in subs or [""]
        ]
        return join(Or, leaves)

    def pubmed_dates(self, token: Token) -> Node:
        parts = token.match
        first, last = (iso_date(parts[end] or parts["day"]) for end in ("since", "until"))
        if first is None or last is None:
            self._refuse(token.start, f"there is no such date: {token.text}")
        is_entry = any(parts[name] for name in ("entry1", "entry2", "entry3"))
        return self._span(first, last, token.start, is_entry=is_entry)

    def dates(self, token: Token) -> Node:
        parts = token.match
        is_entry = self._system.field_of(parts["dated"].rpartition("ORIG-")[2]) == "entered"
        first = iso_date(parts["first"])
        last = iso_date(parts["last"] or "") if parts["dash"] else first
        if first is None or (parts["last"] and last is None):
            self._refuse(token.start, f"there is no such date: {token.text}")
        sign = _SIGNS.get((parts["sign"] or "=").upper(), "=")
        if len(first) > len("2019"):
            before, after = day_after(first, -1), day_after(first)
        elif is_entry:
            before, after = day_after(first, -1), first
        else:
            before, after = str(int(first) - 1), str(int(first) + 1)
        ends = {">": (after, None), ">=": (first, None), "<": (None, before), "<=": (None, first)}
        spans = [ends.get(sign, (first, last))]
        spans += [(span[:4], span[-4:]) for span in _SPANS.findall(parts["others"])]
        return join(Or, [self._span(*span, token.start, is_entry=is_entry) for span in spans])

    def _span(self, first: str | None, last: str | None, start: int, *, is_entry: bool) -> Node:
        if is_entry:
            return self.locate(entry_span(first, last), start)
        begin, end = (int(day.partition("-")[0]) if day else None for day in (first, last))
        if (years := year_range(begin, end)) is None:
            self._refuse(start, f"the years run backwards: write {end}-{begin}")
        return self.locate(years, start)

    def limit(self, token: Token) -> Node:
        value = token.match["limits"].replace("[", " ").replace("]", " ").strip(' "').lower()
        name = token.match["limit"].upper()
        is_out = (token.match.groupdict().get("to") or "").upper() == "EXCLUDE"
        kinds = {"DOCTYPE": "type: ", "LANGUAGE": "language: ", "PUBYEAR": "year: ", "LIM": "",
                 "PY": "year: ", "DT": "type: "}  # fmt: skip
        node: Node
        if name in {"SD", "DD"}:
            first, _, last = (part.strip() for part in value.replace(" to ", ":").partition(":"))
            ends = iso_date(first), iso_date(last) if last else None
            if ends[0] is None or (last and ends[1] is None):
                self._refuse(token.start, f"expected a date as in [31-12-2019]/sd: {token.text}")
            node = entry_span(*ends)
        elif name == "EXACTKEYWORD":
            node = leaf_of(tuple(value.split()))
        elif name in kinds:
            node = condition_of(f"{kinds[name]}{value}", token.start, self._refuse)
        else:
            self._refuse(token.start, f"the limit {token.text} has no counterpart here")
        return self.locate(Not(node) if is_out else node, token.start)

    def locate(self, node: _Located, start: int) -> _Located:
        self._nodes.append(node)
        self.columns.setdefault(id(node), start + 1)
        return node


_NORMAL_NAMES = {"type": type_of, "language": language_of, "subset": filter_of}
_SIGNS = {"AFT": ">", "BEF": "<", "IS": "="}
_SIGNS |= {sign: sign for sign in (">", "<", ">=", "<=")}
_SPANS = re.compile(r"\d{4}(?:-\d{4})?")


def _bare(piece: Token) -> str:
    """Return the text without quotes, and with "/" for ProQuest's " -- " before subheadings."""
    return piece.text[1:-1].replace(" -- ", "/") if piece.kind == "quoted" else piece.text
