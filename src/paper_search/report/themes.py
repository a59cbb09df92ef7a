"""Themes: terms that several sources share, each with the sources that have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from paper_search.report.evidence import Evidence
from paper_search.report.models import Theme
from paper_search.report.passages import content_stems
from paper_search.skills.key_phrases import key_phrases
from paper_search.skills.words import tokens

MIN_SOURCES = 2
MAX_THEMES = 5
_TOO_COMMON = 0.8
"""Of the sources: what nearly all share is the subject, not a theme of it."""
_DESIGNS = frozenset(
    content_stems(
        "double blind placebo controlled randomized randomised clinical trial trials crossover "
        "cross-over pilot systematic review reviews meta-analysis meta analysis survey cohort "
        "comparison comparative case report reports study studies open label long-term short-term "
        "follow-up prospective retrospective multicenter experimental evaluation efficient approach"
    )
)
"""How a study was made: no theme of what it is about."""
_LEAST_OF_ONE_WORD = 3
"""Sources that have to share a single word before it is a theme."""
_MAX_OVERLAP = 0.7
"""Two terms whose sources are so much the same are one theme."""


def themes(evidence: Evidence, questions: Sequence[str], topic: str) -> list[Theme]:
    """Return 3 to 5 themes where there are as many, the widest first.

    A theme is a phrase that at least two sources have in title or text and not nearly all of
    them; of phrases with the same sources, the longest names it.
    """
    holders, spelling = _phrases(evidence)
    usable = len(evidence.relevant)
    subject = frozenset(content_stems(topic))
    ranked = [
        (stems, ids)
        for stems, ids in holders.items()
        if len(ids) >= (MIN_SOURCES if len(stems) > 1 else _LEAST_OF_ONE_WORD)
        and set(content_stems(spelling[stems])) - _DESIGNS
        and len(ids) <= max(MIN_SOURCES, _TOO_COMMON * usable)
        and not frozenset(stems) <= subject
    ]
    ranked.sort(key=lambda group: (len(group[0]) == 1, -len(group[1]), group[0]))
    chosen: list[Theme] = []
    for stems, ids in ranked:
        if any(
            _overlap(ids, set(theme.sources)) > _MAX_OVERLAP or _is_part(stems, tokens(theme.label))
            for theme in chosen
        ):
            continue
        ordered = [source.result_id for source in evidence.relevant if source.result_id in ids]
        chosen.append(
            Theme(
                label=_as_in_text(spelling[stems], evidence),
                sources=ordered,
                question=_nearest(stems, questions),
                confidence=round(min(1.0, len(ids) / 5), 2),
            )
        )
        if len(chosen) == MAX_THEMES:
            break
    return chosen


def _phrases(
    evidence: Evidence,
) -> tuple[dict[tuple[str, ...], set[str]], dict[tuple[str, ...], str]]:
    """Return the key phrases of the titles, with all sources that have their words together."""
    spelling: dict[tuple[str, ...], str] = {}
    for source in evidence.relevant:
        if source.metadata.get("is_suspicious"):
            continue
        for phrase in key_phrases(source.title):
            stems = tuple(tokens(phrase))
            if 1 <= len(stems) <= 4 and content_stems(phrase) and not phrase.isdigit():  # noqa: PLR2004  # a term, not a title
                spelling.setdefault(stems, phrase)
            for start in range(len(stems) - 1):  # "graph neural network" shares "neural network"
                words = phrase.split()
                if len(words) == len(stems):
                    spelling.setdefault(
                        stems[start : start + 2], " ".join(words[start : start + 2])
                    )
    holders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    texts = {
        source.result_id: f" {' '.join(tokens(source.title + ' . ' + source.text))} "
        for source in evidence.relevant
    }
    for stems in spelling:
        wanted = f" {' '.join(stems)} "
        holders[stems] = {result_id for result_id, text in texts.items() if wanted in text}
    return holders, spelling


def _as_in_text(phrase: str, evidence: Evidence) -> str:
    """Return a phrase as running text spells it: titles have capitals that it does not need."""
    plain = " ".join(word.lower() if word[1:].islower() else word for word in phrase.split())
    return plain if any(plain in source.text for source in evidence.relevant) else phrase


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def _is_part(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one term is the other with a word more."""
    return set(one) <= set(other) or set(other) <= set(one)


def _nearest(stems: Sequence[str], questions: Sequence[str]) -> int:
    shared = [len(set(stems) & set(content_stems(question))) for question in questions]
    return shared.index(max(shared)) if shared else 0
