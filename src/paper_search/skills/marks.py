"""How the papers that a person marked move the scores of the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from paper_search.models import MarkedPaper, RawPaper
from paper_search.skills.lexical import Document, Verdict
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.words import tokens

MAX_SHIFT = 0.2
"""How far a score may move because of what a paper has in common with marked ones."""
RELEVANT_FLOOR, IRRELEVANT_CEILING = 0.95, 0.05
"""Scores of the marked papers themselves."""
_STOPS = frozenset(stem for word in STOP_WORDS for stem in tokens(word))

Vector = dict[str, float]


def moved(
    papers: Sequence[RawPaper],
    documents: Sequence[Document],
    found: Sequence[Verdict],
    marked: Sequence[MarkedPaper],
) -> list[Verdict]:
    """Return the verdicts with the marks taken into account.

    A marked paper gets what the person said. Another one moves by at most `MAX_SHIFT` towards the
    kind it resembles more: the cosine of its tf-idf vector to the mean of either kind (Rocchio
    1971, the relevance feedback of vector space retrieval).
    """
    if not marked:
        return list(found)
    said = {mark.id: mark.is_relevant for mark in marked}
    rarity = _rarity([document.text_words for document in documents])
    liked = _mean([mark for mark in marked if mark.is_relevant], rarity)
    disliked = _mean([mark for mark in marked if not mark.is_relevant], rarity)
    results = []
    for paper, document, verdict in zip(papers, documents, found, strict=True):
        own = next((said[each] for each in (paper.id, *paper.merged_from) if each in said), None)
        if own is not None:
            results.append(_as_said(verdict, is_relevant=own))
        else:
            vector = _vector(document.text_words, rarity)
            shift = MAX_SHIFT * (_cosine(vector, liked) - _cosine(vector, disliked))
            results.append(_shifted(verdict, shift))
    return results


def _as_said(verdict: Verdict, *, is_relevant: bool) -> Verdict:
    if is_relevant:
        score, said = max(verdict.score, RELEVANT_FLOOR), "marked relevant by you"
    else:
        score, said = min(verdict.score, IRRELEVANT_CEILING), "marked irrelevant by you"
    return Verdict(score, f"{said}; {verdict.reason}" if verdict.reason else said)


def _shifted(verdict: Verdict, shift: float) -> Verdict:
    if abs(shift) < 0.01:  # noqa: PLR2004  # not worth telling
        return Verdict(min(1.0, max(0.0, verdict.score + shift)), verdict.reason)
    like = "relevant" if shift > 0 else "irrelevant"
    note = f"resembles papers you marked {like} ({shift:+.2f})"
    return Verdict(min(1.0, max(0.0, verdict.score + shift)), f"{verdict.reason}; {note}")


def _rarity(texts: Sequence[frozenset[str]]) -> Vector:
    counts = Counter(word for words in texts for word in words)
    return {word: math.log(1 + len(texts) / count) for word, count in counts.items()}


def _vector(words: frozenset[str], rarity: Vector) -> Vector:
    unseen = max(rarity.values(), default=1.0)
    return {word: rarity.get(word, unseen) for word in words if word not in _STOPS}


def _mean(marks: Sequence[MarkedPaper], rarity: Vector) -> Vector:
    """Return the mean of the unit vectors of the marked papers."""
    total: Counter[str] = Counter()
    for mark in marks:
        vector = _vector(Document.of(mark.title, mark.abstract).text_words, rarity)
        length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
        for word, value in vector.items():
            total[word] += value / length / len(marks)  # type: ignore[assignment]  # Counter is typed for int and adds floats as well
    return dict(total)


def _cosine(one: Vector, other: Vector) -> float:
    if not one or not other:
        return 0.0
    shared = sum(value * other[word] for word, value in one.items() if word in other)
    lengths = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
    return shared / lengths if lengths else 0.0
