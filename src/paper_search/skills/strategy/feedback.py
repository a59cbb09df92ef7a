"""Learns weighted words from labelled papers, by Rocchio's formula."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from paper_search.bibliography.rarities import rarity
from paper_search.models import MarkedPaper
from paper_search.skills.strategy.terms import runs
from paper_search.skills.words import tokens

RELEVANT, IRRELEVANT = 0.75, 0.15
"""Weights of the mean relevant and the mean irrelevant paper beside 1 for the question: the usual
ones (Manning, Raghavan, Schütze 2008, section 9.1.1)."""

MOST_TERMS = 30
"""Words that are learned; further ones move no rank that a person would see."""


def learned_terms(
    marked: Sequence[MarkedPaper], known: Sequence[str] = (), *, limit: int = MOST_TERMS
) -> dict[str, float]:
    """Return words with their weights beside 1 for a word of the question, the strongest first.

    Weights are for a ranking that counts a rare word for more by itself, as BM25 does. A word of
    the question can be among them: its weight comes on top. Below 0: a word of papers marked
    irrelevant. Without a relevant paper nothing is learned: what is not wanted says little about
    what is.

    Args:
        marked: the papers, with titles and abstracts as far as known.
        known: the texts that are asked already.
        limit: words at most.
    """
    relevant = [_vector(paper) for paper in marked if paper.is_relevant]
    if not relevant:
        return {}
    irrelevant = [_vector(paper) for paper in marked if not paper.is_relevant]
    weights: defaultdict[str, float] = defaultdict(float)
    for share, vectors in ((RELEVANT, relevant), (-IRRELEVANT, irrelevant)):
        for vector in vectors:
            for word, weight in vector.items():
                weights[word] += share * weight / len(vectors)
    asked = {token for text in known for token in tokens(text)}
    length = math.hypot(*map(rarity, asked)) or 1.0
    ranked = sorted(weights, key=lambda word: (-abs(weights[word]) * rarity(word), word))
    written = _written(_text(paper) for paper in marked)
    found = {written[word]: round(length * weights[word], 2) for word in ranked[:limit]}
    return {word: weight for word, weight in found.items() if weight}


def _vector(paper: MarkedPaper) -> Mapping[str, float]:
    """Return the dampened counts of words by stem, as long as they are with their rarities."""
    counts = Counter(word.stem for run in runs(_text(paper)) for word in run)
    damped = {word: 1 + math.log(count) for word, count in counts.items()}
    length = math.hypot(*(weight * rarity(word) for word, weight in damped.items())) or 1.0
    return {word: weight / length for word, weight in damped.items()}


def _text(paper: MarkedPaper) -> str:
    return f"{paper.title}. {paper.abstract or ''}"


def _written(texts: Iterable[str]) -> dict[str, str]:
    """Return the most frequent spelling of each stem; lower case wins over capitals."""
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for run in runs(text):
            for word in run:
                forms[word.stem][word.written] += 1
    return {
        word: min(written, key=lambda form: (-written[form], form != form.casefold(), form))
        for word, written in forms.items()
    }
