"""How well the words of papers cover the concepts of an intent, from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paper_search.models import ParsedIntent, RawPaper
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.untrusted import visible
from paper_search.skills.variants import variants
from paper_search.skills.word_lists import words_in
from paper_search.skills.words import tokens

TITLE_PHRASE, TITLE_WORDS, TEXT_PHRASE, TEXT_WORDS = 1.0, 0.9, 0.8, 0.6
"""How much of a concept is covered by where and how it is found."""
PARTLY_IN_TITLE, PARTLY_IN_TEXT = 0.5, 0.35
"""The same for some of its words, times their share."""
_VARIANT_DISCOUNT = 0.95
_FULL_COVER = 0.96
"""The score of a paper that has every concept in its title; what is left is for the fine order."""
_OUT_OF_YEARS, _OTHER_LANGUAGE = 0.5, 0.7
_FEW = 3
"""Concepts of which a paper should have all."""
_BEYOND = 0.2
"""What every further concept asks for besides: a long question names more than one paper has.

Fitted on ten labelled sets so that the usual cut of 0.3 keeps relevant papers and not others
(docs/decisions/0046-what-a-score-means.md)."""
_COMMON_WEIGHT = 1 / 3
_FOUND = 0.55
_COMMON = frozenset(
    word
    for name in words_in(
        """
    model models analysis system systems network networks data learning study process
    property properties performance design control structure structures human high low large
    small material materials time function functions information management treatment
    """
    )
    for word in tokens(name)
)
"""Stems that stand in papers on anything; alone they are a third of a word."""


@dataclass(frozen=True)
class Verdict:
    """The score of one paper and what it rests on."""

    score: float
    reason: str


@dataclass(frozen=True)
class _Concept:
    name: str
    phrases: tuple[str, ...]
    """Its own stems, then those of its variants, each as " a b c "."""
    words: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """A paper as stems."""

    title: str
    text: str
    title_words: frozenset[str]
    text_words: frozenset[str]

    @classmethod
    def of(cls, title: str, abstract: str | None) -> Document:
        """Return the stems of a title, and of title and abstract."""
        head = tokens(visible(title))
        body = tokens(visible(abstract)) if abstract else []
        return cls(
            title=f" {' '.join(head)} ",
            text=f" {' '.join(body)} ",
            title_words=frozenset(head),
            text_words=frozenset(body).union(head),
        )


def documents_of(papers: Sequence[RawPaper]) -> list[Document]:
    """Return all papers as stems; a snippet stands in for a missing abstract."""
    return [Document.of(paper.title, paper.abstract or paper.snippet) for paper in papers]


def verdicts(
    papers: Sequence[RawPaper], documents: Sequence[Document], intent: ParsedIntent
) -> list[Verdict]:
    """Return a verdict for every paper, in order.

    Every concept counts the same, and a verdict does not depend on the other papers. Anchors, for
    up to three concepts: all in the title 0.96 and more, half of them about 0.45, one common word
    less than 0.3, nothing 0. Of more concepts a share is enough.
    """
    concepts = [concept for name in intent.concepts if (concept := _concept(name)).words]
    if not concepts:
        concepts = [_concept(intent.topic)]
    return [
        _verdict(paper, document, intent, concepts)
        for paper, document in zip(papers, documents, strict=True)
    ]


def _enough(concepts: int) -> float:
    """Return how many concepts make a full match."""
    return concepts if concepts <= _FEW else _FEW + _BEYOND * (concepts - _FEW)


def _concept(name: str) -> _Concept:
    own = tokens(name)
    content = [word for word in own if word not in STOP_WORDS] or own
    names = [own, *(tokens(other) for other in variants(name))]
    phrases = dict.fromkeys(f" {' '.join(stems)} " for stems in names if stems)
    return _Concept(name, tuple(phrases), tuple(dict.fromkeys(content)))


def _cover(concept: _Concept, document: Document) -> float:
    """Return how much of the concept the document has: 0 to 1."""
    for place, credit in ((document.title, TITLE_PHRASE), (document.text, TEXT_PHRASE)):
        for number, phrase in enumerate(concept.phrases):
            if phrase in place:
                return credit * (_VARIANT_DISCOUNT if number else 1.0)
        if len(concept.words) > 1:
            words = document.title_words if place is document.title else document.text_words
            if words.issuperset(concept.words):
                return TITLE_WORDS if place is document.title else TEXT_WORDS
    rarity = {word: _COMMON_WEIGHT if word in _COMMON else 1.0 for word in concept.words}
    whole = sum(rarity.values())
    in_title = sum(rarity[word] for word in concept.words if word in document.title_words)
    in_text = sum(rarity[word] for word in concept.words if word in document.text_words)
    return max(PARTLY_IN_TITLE * in_title, PARTLY_IN_TEXT * in_text) / whole if whole else 0.0


def _verdict(
    paper: RawPaper, document: Document, intent: ParsedIntent, concepts: Sequence[_Concept]
) -> Verdict:
    covers = [_cover(concept, document) for concept in concepts]
    share = min(1.0, sum(covers) / _enough(len(concepts)))
    mentions = sum(
        document.text.count(concept.phrases[0]) for concept in concepts if concept.phrases
    )
    often = min(1.0, mentions / (2 * len(concepts)))
    whole = sum(covers) / len(covers)
    score = share * (_FULL_COVER + (1 - _FULL_COVER) * (often + whole) / 2)
    notes = []
    limits = intent.constraints
    if paper.year is not None and limits.year_from is not None and paper.year < limits.year_from:
        score *= _OUT_OF_YEARS
        notes.append(f"published {paper.year}, before {limits.year_from}")
    if paper.year is not None and limits.year_to is not None and paper.year > limits.year_to:
        score *= _OUT_OF_YEARS
        notes.append(f"published {paper.year}, after {limits.year_to}")
    if limits.language and paper.language and paper.language != limits.language:
        score *= _OTHER_LANGUAGE
        notes.append(f"in {paper.language!r}, not {limits.language!r}")
    return Verdict(min(1.0, max(0.0, score)), _reason(concepts, covers, document, notes))


def _reason(
    concepts: Sequence[_Concept], covers: Sequence[float], document: Document, notes: list[str]
) -> str:
    """Return what a person can check: which concepts are there, partly there, and not there."""
    named: dict[str, list[str]] = {"matches": [], "partly": [], "not found": []}
    in_title = []
    for concept, cover in zip(concepts, covers, strict=True):
        kind = "matches" if cover >= _FOUND else "partly" if cover > 0 else "not found"
        named[kind].append(concept.name)
        if kind == "matches" and any(phrase in document.title for phrase in concept.phrases):
            in_title.append(concept.name)
    parts = [f"{kind}: {', '.join(names)}" for kind, names in named.items() if names]
    if in_title and len(in_title) < len(named["matches"]):
        notes = [f"in the title: {', '.join(in_title)}", *notes]
    return "; ".join([*parts, *notes])
