"""Suggests terms from the titles and abstracts of the first results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from paper_search.bibliography.rarities import rarity
from paper_search.skills.strategy.acronyms import long_forms
from paper_search.skills.strategy.terms import Term, TermCounts, count_terms
from paper_search.skills.words import tokens

_SIGNIFICANT = 10.83
"""A log-likelihood that chance exceeds once in a thousand (chi-squared, one degree)."""


def suggested_terms(
    texts: Iterable[str], known: Sequence[str] = (), *, limit: int = 12
) -> list[tuple[str, int]]:
    """Return the terms that mark these texts off, with the number of texts that have them.

    Words, and pairs of words that stand together, by Dunning's log-likelihood beside how common
    they are in scholarly records; a pair is as common as its rarer word. A word that stands mostly
    in one of the pairs is not given again. First of all come the acronyms of what is asked for, and
    what asked acronyms stand for, where a text says so.

    Args:
        texts: titles, or titles with abstracts.
        known: what is asked for already; terms of nothing but its words are left out.
        limit: terms at most.
    """
    texts = list(texts)
    counted = count_terms(texts)
    covered = {token for text in known for token in tokens(text)}
    scored = {
        term: keyness
        for term, count in counted.counts.items()
        if count > 1
        and not covered.issuperset(term)
        and (keyness := _keyness(count, counted.texts, term)) > _SIGNIFICANT
    }
    ranked = sorted(scored, key=lambda term: (-scored[term], -len(term), term))
    kept = _without_parts(ranked, counted, limit)
    found = dict(_other_forms(texts, covered))
    for term in kept:
        found.setdefault(counted.written(term), counted.counts[term])
    return list(found.items())[:limit]


def _other_forms(texts: Sequence[str], covered: set[str]) -> Iterator[tuple[str, int]]:
    """Yield acronyms and long forms of what is covered, with the number of texts that have them."""
    for short, long in long_forms(texts).items():
        has_short, has_long = (covered.issuperset(tokens(form)) for form in (short, long))
        if has_short != has_long:
            form = long if has_short else short
            yield form, sum(_has(text, tokens(form)) for text in texts)


def _has(text: str, stems: Sequence[str]) -> bool:
    return f" {' '.join(stems)} " in f" {' '.join(tokens(text))} "


def _keyness(count: int, texts: int, term: Term) -> float:
    """Return the log-likelihood of the count; below 0 where the term is rarer than elsewhere."""
    share = 10 ** -max(map(rarity, term))
    rest = texts - count
    likelihood = count * math.log(count / (texts * share))
    if rest:
        likelihood += rest * math.log(rest / (texts * (1 - share)))
    return math.copysign(2 * likelihood, count - texts * share)


def _without_parts(ranked: Sequence[Term], counted: TermCounts, limit: int) -> list[Term]:
    """Return the first terms; a pair replaces those of its words that it mostly explains."""
    counts = counted.counts
    pairs = [term for term in ranked if len(term) > 1]
    kept: list[Term] = []
    for term in ranked:
        is_explained = any(
            part in pair and counts[pair] * 2 >= counts[term] for part in term for pair in pairs
        )
        overlaps = any(set(term) & set(other) for other in kept)
        if not (is_explained if len(term) == 1 else overlaps):
            kept.append(term)
    return kept[:limit]
