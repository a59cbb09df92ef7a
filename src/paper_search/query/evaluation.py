"""Whether a document matches a tree: the executable definition of the query language."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from paper_search.query.ast import (
    HEADINGS,
    INDEXED,
    OWN_WORDS,
    YEAR,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    all_leaves,
    leaf_of,
    parts,
    rebuild,
    words_of,
)
from paper_search.query.limits import is_entered, is_span

Tokeniser: TypeAlias = Callable[[str], list[str]]
_Span: TypeAlias = tuple[int, int]

# Han, kana and Hangul are written without spaces between words: every character is a token.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]"
    r"|(?:(?![\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af])\w)+"
)


def tokenise(text: str) -> list[str]:
    """Split a text into case-folded words in compatibility form (NFKC)."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _TOKEN.findall(unicodedata.normalize("NFKC", folded))


def evaluate(
    node: Node, document: Mapping[str, str | int | None], *, tokeniser: Tokeniser = tokenise
) -> bool:
    """Return whether the document, text by field name and `year`, matches.

    A word or phrase without a field matches within any one field except `year`, never across two.
    A heading matches if its words are in any field. A document without a year matches no range of
    years, and one without `entered` (an ISO date) no span of entry dates.
    """
    return _verdict(node, _Document(document, tokeniser).matches) is True


def judge(
    node: Node, document: Mapping[str, str | int | None], *, tokeniser: Tokeniser = tokenise
) -> bool | None:
    """Return whether the document matches; None if its missing fields could decide.

    As `evaluate`, but a field that is None is unknown, not empty: a word found nowhere else may be
    in the missing abstract, and a missing year may be in any range. Whether a document is indexed
    with a heading is unknown unless its words are in the document.
    """
    return _verdict(node, _Judge(document, tokeniser).of)


def _verdict(node: Node, judge_leaf: Callable[[Node], bool | None]) -> bool | None:
    """Combine the verdicts on leaves by Kleene's three-valued logic."""
    match node:
        case And(children):
            verdicts = [_verdict(child, judge_leaf) for child in children]
            return False if False in verdicts else None if None in verdicts else True
        case Or(children):
            verdicts = [_verdict(child, judge_leaf) for child in children]
            return True if True in verdicts else None if None in verdicts else False
        case Not(child):
            inner = _verdict(child, judge_leaf)
            return None if inner is None else not inner
        case _:
            return judge_leaf(node)


def unknown_fields(node: Node, document: Mapping[str, str | int | None]) -> set[str]:
    """Return the missing fields that keep `judge` from deciding any part of a tree."""
    verdicts = _Judge(document, tokenise)
    return {name for leaf in _operands(node) for name in verdicts.missing(leaf)}


def _operands(node: Node) -> Iterator[Node]:
    if isinstance(node, And | Or | Not):
        for part in parts(node):
            yield from _operands(part)
    else:
        yield node


class _Document:
    def __init__(self, document: Mapping[str, str | int | None], tokeniser: Tokeniser) -> None:
        self._tokeniser = tokeniser
        self._tokens = {
            field: tokeniser(str(text or "")) for field, text in document.items() if field != "year"
        }
        self._headings = {
            field: str(text).partition("/")[2]
            for field, text in document.items()
            if field.startswith("heading")
        }
        self._entered = str(document.get("entered") or "")
        year = YEAR.search(str(document.get("year") or ""))
        self._year = int(year[0]) if year else None

    def matches(self, node: Node) -> bool:
        match node:
            case YearRange(first, last):
                year = self._year
                return year is not None and (first or year) <= year <= (last or year)
            case Term(text, "entered") if is_span(text):
                return is_entered(self._entered, text)
            case _:
                return any(any(self._spans(node, field)) for field in self._tokens)

    def _spans(self, node: Node, field: str) -> Iterator[_Span]:
        """Yield the half-open token ranges at which the node matches in a field."""
        match node:
            case Term() | Phrase() if node.field in HEADINGS:
                if field in INDEXED or not self._has_subheading(node, field):
                    return
                # Abstracts use the natural word order, keywords the inverted one.
                for words in {heading_words(node), heading_as_listed(node)}:
                    yield from self._runs(self._query_tokens(list(words)), field)
            case Term(text, _, is_prefix):
                yield from self._leaf_spans(node, [f"{text}*" if is_prefix else text], field)
            case Phrase(words):
                yield from self._leaf_spans(node, list(words), field)
            case Or(children):
                for child in children:
                    yield from self._spans(child, field)
            case Near():
                yield from self._close_spans(node, field)
            case _:
                return

    def _has_subheading(self, heading: Term | Phrase, field: str) -> bool:
        """Whether a field may hold a heading, and has the queried subheading, if there is one."""
        if self._headings and field not in self._headings:
            return False
        text = " ".join(words_of(heading))
        sub = text[len(" ".join(heading_as_listed(heading))) + 1 :]
        names = {_plain(sub), _plain(SUBHEADINGS.get(sub, sub))}
        return not sub or _plain(self._headings.get(field, "")) in names

    def _leaf_spans(self, leaf: Term | Phrase, words: list[str], field: str) -> Iterator[_Span]:
        if is_in_field(leaf.field, field):
            yield from self._runs(self._query_tokens(words), field)

    def _close_spans(self, near: Near, field: str) -> Iterator[_Span]:
        rights = list(self._spans(near.right, field))
        for here in self._spans(near.left, field):
            for there in rights:
                gap = there[0] - here[1]
                gap = gap if near.is_ordered else max(gap, here[0] - there[1])
                if 0 <= gap <= near.distance:
                    yield min(here[0], there[0]), max(here[1], there[1])

    def _query_tokens(self, words: list[str]) -> list[str | re.Pattern[str]]:
        tokens: list[str | re.Pattern[str]] = []
        for word in words:
            if not _WILDCARD.search(word):
                tokens += self._tokeniser(word)
                continue
            for piece in _PIECE.findall(unicodedata.normalize("NFKC", word)):
                is_pattern = _WILDCARD.search(piece) is not None
                tokens += (
                    [_pattern(piece, self._tokeniser)] if is_pattern else self._tokeniser(piece)
                )
        return tokens

    def _runs(self, pattern: list[str | re.Pattern[str]], field: str) -> Iterator[_Span]:
        tokens = self._tokens[field]
        if not all(word in tokens for word in pattern if isinstance(word, str)):
            return
        for start in range(len(tokens) - len(pattern) + 1 if pattern else 0):
            window = tokens[start : start + len(pattern)]
            if all(
                token == word if isinstance(word, str) else word.fullmatch(token)
                for token, word in zip(window, pattern, strict=True)
            ):
                yield start, start + len(pattern)


_MEANING = {"*": r"\w*", "?": r"\w", "$": r"\w?"}
_WILDCARD = re.compile(r"(?<=\w)[*?$]|^\*(?=\w)")
_PIECE = re.compile(r"^\*(?=\w)[\w*?$]*|\w[\w*?$]*")


def _pattern(piece: str, tokeniser: Tokeniser) -> re.Pattern[str]:
    parts = [
        _MEANING.get(part) or re.escape("".join(tokeniser(part)))
        for part in re.split(r"([*?$])", piece)
        if part
    ]
    return re.compile("".join(parts))


def is_in_field(limit: str | None, field: str) -> bool:
    """Whether a field of a record is one that a query's field, or none, covers."""
    is_keyword = limit == "keyword" and field.startswith(("keyword", "heading"))
    is_text = limit in {"tiab", OWN_WORDS} and field in {"title", "abstract"}
    is_own = limit == OWN_WORDS and field.startswith("keyword")
    return limit in {None, field} or is_keyword or is_text or is_own


class _Judge:
    """Verdicts on a document with unknown fields."""

    def __init__(self, document: Mapping[str, str | int | None], tokeniser: Tokeniser) -> None:
        self._unknown = {field for field, value in document.items() if value is None}
        self._known = document.keys() - self._unknown
        self._document = _Document(document, tokeniser)

    def of(self, node: Node) -> bool | None:
        field = node.field if isinstance(node, Term | Phrase) else None
        if field in INDEXED and field not in self._known:
            return None
        return self._document.matches(node) or (None if self._possible(node) else False)

    def missing(self, node: Node) -> set[str]:
        return self._possible(node) if self.of(node) is None else set()

    def _possible(self, node: Node) -> set[str]:
        """Return the unknown fields in which a leaf might match."""
        match node:
            case YearRange():
                return self._unknown & {"year"}
            case Term() | Phrase() if node.field in HEADINGS:
                return {"headings"}
            case Term() | Phrase() if node.field == "keyword":
                return {"keywords"}
            case Term() | Phrase() if node.field in INDEXED:
                return {node.field} - self._known
            case _:
                limits = {leaf.field for leaf in all_leaves(node)}
                texts = {"abstract"} if limits & {None, "tiab", OWN_WORDS} else set[str]()
                keywords = {"keywords"} if OWN_WORDS in limits else set[str]()
                return self._unknown & ({field for field in limits if field} | texts | keywords)


def _plain(name: str) -> str:
    return " ".join(tokenise(name)).replace(" and ", " ")


_NAMES = """aa analogs derivatives|ab abnormalities|ad administration dosage|ae adverse effects
ag agonists|ah anatomy histology|ai antagonists inhibitors|an analysis|bi biosynthesis|bl blood
bs blood supply|cf cerebrospinal fluid|ch chemistry|ci chemically induced|cl classification
cn congenital|co complications|cs chemical synthesis|ct contraindications|cy cytology
de drug effects|df deficiency|dg diagnostic imaging|dh diet therapy|di diagnosis|dt drug therapy
ec economics|ed education|eh ethnology|em embryology|en enzymology|ep epidemiology|es ethics
et etiology|gd growth development|ge genetics|hi history|im immunology|in injuries
ip isolation purification|ir innervation|is instrumentation|lj legislation jurisprudence
me metabolism|mi microbiology|mo mortality|mt methods|nu nursing|og organization administration
pa pathology|pc prevention control|pd pharmacology|ph physiology|pk pharmacokinetics|po poisoning
pp physiopathology|ps parasitology|px psychology|py pathogenicity|re radiation effects
rh rehabilitation|rt radiotherapy|sc secondary|sd supply distribution|se secretion|st standards
sn statistics numerical data|su surgery|td trends|th therapy|tm transmission|to toxicity
tr transplantation|tu therapeutic use|ul ultrastructure|ur urine|ut utilization|ve veterinary
vi virology"""
SUBHEADINGS = {row[:2]: row[3:] for row in re.split(r"[|\n]", _NAMES)}
"""MeSH subheadings, without "and", by their two-letter abbreviations."""

HEADING = "mesh"


def heading_words(leaf: Term | Phrase) -> tuple[str, ...]:
    """Return the words of a heading in natural order, without its subheading.

    "Tomography, Emission-Computed, Single-Photon" becomes single-photon emission-computed
    tomography. A list that ends in a plural ("Delirium, Dementia, Amnestic, Cognitive Disorders")
    keeps its order.
    """
    parts = " ".join(heading_as_listed(leaf)).split(", ")
    is_list = len(parts) > _MOST_INVERTED and parts[-1].endswith("s")
    return tuple(" ".join(parts if is_list else parts[::-1]).split())


def heading_as_listed(leaf: Term | Phrase) -> tuple[str, ...]:
    """Return the words of a heading in the thesaurus's order, without its subheading."""
    text = " ".join(words_of(leaf))
    base, _, sub = text.rpartition("/")
    is_qualified = base and sub.replace(" ", "").isalpha() and sub.islower()
    return tuple((base if is_qualified else text).split())


_MOST_INVERTED = 3


def headings_as_words(node: Node) -> Node:
    """Replace headings by phrases in any field, for services without headings."""
    if isinstance(node, Term | Phrase):
        return leaf_of(heading_words(node)) if node.field in HEADINGS else node
    return rebuild(node, headings_as_words)
