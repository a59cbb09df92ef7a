"""Scores, from 0 to 1, how well a paper's words cover the concepts of an intent."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from paper_search.bibliography.words import rarity
from paper_search.models import ParsedIntent, RawPaper
from paper_search.query.ast import before_wildcard
from paper_search.skills.strategy.booleans import blocks_of
from paper_search.skills.untrusted import visible
from paper_search.skills.variants import variants
from paper_search.skills.words import STOP_WORDS, tokens

TITLE_PHRASE, TITLE_WORDS, TEXT_PHRASE, TEXT_WORDS = 1.0, 0.9, 0.8, 0.6
"""Credit for a concept, by field and kind of match."""
PARTLY_IN_TITLE, PARTLY_IN_TEXT = 0.5, 0.35
"""Credit for a partial match, times the share of the words found."""
_VARIANT_DISCOUNT = 0.95
_WITH_WILDCARDS = re.compile(r"(?=[\w*?$]*[*?$])\w{2,}[\w*?$]*[\w*?$]")
_LOST_IN_STEMS = frozenset("sedyg")
"""Last letters of endings that stemming removes: analyses, studies, tested, testing."""
_OUT_OF_YEARS, _OTHER_LANGUAGE = 0.5, 0.7
FEW_CONCEPTS = 3
"""A paper should have all of so many concepts."""
_BEYOND = 0.2
"""Share required of each further concept, since one paper rarely has all concepts of a long
question. Fitted on ten labelled sets so that the default cut-off of 0.3 separates relevant papers
from others (decision 0015)."""
_FOUND = 0.55
_BY_WORDS = 0.5
"""Share of the score by single words; the rest is by whole concepts. Chosen, like the next figure,
by leaving a set out (decision 0015)."""
_DAMPING = 0.75
"""Exponent of a concept's total rarity in its weight."""
_TITLE_COUNTS = 3
"""Weight of a word in the title relative to one in the abstract."""
_K1, _B = 1.2, 0.5
_USUAL_LENGTH = 130
"""Median words of a record in the ten sets, with those of the title counted three times."""
_ENOUGH_OF_BM25 = 0.8
"""Share of the highest possible BM25 score that counts as a full match."""
_FULL, _FINE = 0.94, 0.03
"""Weights of the score proper, and of the order among papers with full scores."""


@dataclass(frozen=True)
class Verdict:
    """The score of one paper with its reasons.

    Attributes:
        limited: factor, already applied to the score, for years and languages outside the limits.
        outside: which of these limits the paper is outside of.
        whole_concepts: concepts of which the paper has all words, also in authors or venue.
        blocks: concepts of the question, with long ones counted by their parts.
    """

    score: float
    reason: str
    limited: float = 1.0
    outside: str = ""
    whole_concepts: int = 0
    blocks: int = 0


@dataclass(frozen=True)
class _Concept:
    name: str
    phrases: tuple[str, ...]
    """Its own stems, then those of its variants, each as " a b c "."""
    words: tuple[str, ...]
    matches: Callable[[str], object] | None = None
    """Matches stems if the concept is a word with wildcards."""
    others: "tuple[_Concept, ...]" = ()

    def forms_in(self, document: "Document") -> Sequence[str]:
        own = self.phrases
        if self.matches is not None:
            own = tuple(f" {word} " for word in document.counts if self.matches(word))
        return [*own, *(form for other in self.others for form in other.forms_in(document))]


@dataclass(frozen=True)
class _Target:
    concepts: Sequence[_Concept]
    weights: Sequence[float]
    words: Mapping[str, float]
    """Rarity by word, for a long question including words outside its concepts."""
    enough: float
    """Share of the concepts that is a full match."""
    blocks: int

    @classmethod
    def of(cls, intent: ParsedIntent) -> "_Target":
        concepts = [
            replace(concept, others=tuple(map(_concept, intent.alternatives.get(name, ()))))
            for name in intent.concepts
            if (concept := _concept(name)).words
        ]
        concepts = concepts or [_concept(intent.topic)]
        weights = [sum(map(rarity, concept.words)) ** _DAMPING for concept in concepts]
        whole = sum(weights) or 1.0
        words = dict.fromkeys(word for concept in concepts for word in concept.words)
        if len(concepts) > FEW_CONCEPTS:
            words |= dict.fromkeys(w for w in tokens(intent.topic) if w not in STOP_WORDS)
        return cls(
            concepts,
            [weight / whole for weight in weights],
            {word: rarity(word) for word in words},
            (len(concepts) - (1 - _BEYOND) * max(0, len(concepts) - FEW_CONCEPTS)) / len(concepts),
            len(blocks_of(intent, has_headings=False)),
        )


@dataclass(frozen=True)
class Document:
    title: str
    text: str
    title_words: frozenset[str]
    counts: Mapping[str, int]
    """Counts of stems, with those in the title counted `_TITLE_COUNTS` times."""
    length: int

    @classmethod
    def of(cls, title: str, abstract: str | None) -> "Document":
        head = tokens(visible(title))
        body = tokens(visible(abstract)) if abstract else []
        return cls(
            title=f" {' '.join(head)} ",
            text=f" {' '.join(body)} ",
            title_words=frozenset(head),
            counts=Counter(head * _TITLE_COUNTS + body),
            length=len(head) * _TITLE_COUNTS + len(body),
        )

    def count(self, phrase: str) -> int:
        return self.title.count(phrase) * _TITLE_COUNTS + self.text.count(phrase)


def verdicts(papers: Sequence[RawPaper], intent: ParsedIntent) -> list[Verdict]:
    """Return a verdict for every paper, in order; keywords count as words of the abstract.

    Concepts and single words (by BM25) each give half of the score. Both are weighted by the rarity
    of words in scholarly English, so a verdict does not depend on other papers. For up to three
    concepts, all in the title score at least 0.9, half of them about 0.45, one common word less
    than 0.3. Of more concepts, a share is enough.
    """
    target = _Target.of(intent)
    return [_verdict(paper, intent, target) for paper in papers]


def _concept(name: str) -> _Concept:
    if _WITH_WILDCARDS.fullmatch(name):
        return _Concept(name, (), (before_wildcard(name.casefold()),), _matcher(name))
    own = tokens(name)
    # Keep "few" in "few-shot", or "single-shot" would match.
    content = [
        stem for word in name.split() if word.casefold() not in STOP_WORDS for stem in tokens(word)
    ] or own
    names = [own, *(tokens(other) for other in variants(name))]
    phrases = dict.fromkeys(f" {' '.join(stems)} " for stems in names if stems)
    return _Concept(name, tuple(phrases), tuple(dict.fromkeys(content)))


def _matcher(name: str) -> Callable[[str], object]:
    letters = {"*": ".*", "?": ".", "$": ".?"}
    *first, last_but_one, last = [letters.get(c, re.escape(c)) for c in name.casefold()]
    end = last_but_one + last
    if last in _LOST_IN_STEMS:
        end = f"(?:{last_but_one}(?:{last})?)?"
    return re.compile("".join(first) + end).fullmatch


def _cover(concept: _Concept, document: Document) -> float:
    """Return how well a document covers a concept, 0 to 1."""
    for place, credit in ((document.title, TITLE_PHRASE), (document.text, TEXT_PHRASE)):
        for number, phrase in enumerate(concept.forms_in(document)):
            if phrase in place:
                is_variant = number > 0 and concept.matches is None
                return credit * (_VARIANT_DISCOUNT if is_variant else 1.0)
        if len(concept.words) > 1:
            if place is document.title and document.title_words.issuperset(concept.words):
                return TITLE_WORDS
            if place is document.text and all(word in document.counts for word in concept.words):
                return TEXT_WORDS
    whole = sum(map(rarity, concept.words))
    in_title = sum(rarity(word) for word in concept.words if word in document.title_words)
    in_text = sum(rarity(word) for word in concept.words if word in document.counts)
    return max(PARTLY_IN_TITLE * in_title, PARTLY_IN_TEXT * in_text) / whole if whole else 0.0


def _earned_by_words(target: _Target, document: Document) -> float:
    """Return the document's BM25 score as a share of a full match, 0 to 1."""
    norm = _K1 * (1 - _B + _B * document.length / _USUAL_LENGTH)
    counts = {word: document.counts.get(word, 0) for word in target.words}
    for concept in target.concepts:
        if not all(counts[word] for word in concept.words):
            # Another name of the concept counts as its words.
            count = max(map(document.count, concept.forms_in(document)), default=0)
            counts.update({word: max(count, counts[word]) for word in concept.words})
    earned_points = sum(target.words[word] * n / (n + norm) for word, n in counts.items() if n)
    whole = sum(target.words.values()) * _ENOUGH_OF_BM25
    return min(1.0, earned_points / whole) if whole else 0.0


def _verdict(paper: RawPaper, intent: ParsedIntent, target: _Target) -> Verdict:
    document = Document.of(paper.title, paper.text)
    covers = [_cover(concept, document) for concept in target.concepts]
    whole = sum(map(operator.mul, covers, target.weights))
    by_words = min(1.0, _earned_by_words(target, document) / target.enough)
    by_concepts = min(1.0, whole / target.enough)
    earned = _BY_WORDS * by_words + (1 - _BY_WORDS) * by_concepts
    share, notes = 1.0, list[str]()
    limits = intent.constraints
    if paper.year is not None and limits.year_from is not None and paper.year < limits.year_from:
        share *= _OUT_OF_YEARS
        notes.append(f"published {paper.year}, before {limits.year_from}")
    if paper.year is not None and limits.year_to is not None and paper.year > limits.year_to:
        share *= _OUT_OF_YEARS
        notes.append(f"published {paper.year}, after {limits.year_to}")
    if limits.language and paper.language and paper.language != limits.language:
        share *= _OTHER_LANGUAGE
        notes.append(f"in {paper.language!r}, not {limits.language!r}")
    score = min(1.0, max(0.0, (_FULL * earned + _FINE * whole) * share))
    authors = (author.name for author in paper.authors)  # a library matches them, too
    elsewhere = frozenset(tokens(" ".join([*authors, paper.venue or ""])))
    kinds = [
        _kind(concept, cover, document, elsewhere)
        for concept, cover in zip(target.concepts, covers, strict=True)
    ]
    reason = _reason(target.concepts, kinds, document, notes)
    whole = sum(map(_WHOLE.__contains__, kinds))
    return Verdict(score, reason, share, "; ".join(notes), whole, target.blocks)


_WHOLE = ("matches", "all words of", "in authors or venue")
_KINDS = (*_WHOLE, "partly", "not found")


def _kind(concept: _Concept, cover: float, document: Document, elsewhere: frozenset[str]) -> str:
    if cover >= _FOUND:
        is_phrase = any(map(document.count, concept.forms_in(document)))
        return "matches" if is_phrase else "all words of"
    if elsewhere.issuperset(concept.words):
        return "in authors or venue"
    return "partly" if cover > 0 else "not found"


def _reason(
    concepts: Sequence[_Concept], kinds: Sequence[str], document: Document, notes: list[str]
) -> str:
    names_of: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    in_title = []
    for concept, kind in zip(concepts, kinds, strict=True):
        names_of[kind].append(concept.name)
        if kind == "matches" and any(form in document.title for form in concept.forms_in(document)):
            in_title.append(concept.name)
    parts = [f"{kind}: {', '.join(names)}" for kind, names in names_of.items() if names]
    if in_title and len(in_title) < len(names_of["matches"]):
        notes = [f"in the title: {', '.join(in_title)}", *notes]
    return "; ".join([*parts, *notes])
