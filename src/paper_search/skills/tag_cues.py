"""Cue words for the kind of contribution a paper makes."""

from __future__ import annotations

import re

from paper_search.models import PaperTag

_CUES: dict[PaperTag, re.Pattern[str]] = {
    PaperTag.METHOD: re.compile(
        r"\b(?:methods?|approach(?:es)?|frameworks?|models?|algorithms?|architectures?|techniques?"
        r"|procedure|pipeline|system|toolkit|software)\b|方法|模型|算法|框架",
        re.IGNORECASE,
    ),
    PaperTag.REVIEW: re.compile(
        r"\b(?:surveys?|(?<!peer )(?<!peer-)reviews?|overview|meta-?analys[ei]s"
        r"|state[- ]of[- ]the[- ]art|tutorial|primer|roadmap|perspectives?)\b|综述|评述|进展",
        re.IGNORECASE,
    ),
    PaperTag.EMPIRICAL: re.compile(
        r"\b(?:trials?|experiments?|experimental|empirical(?:ly)?|cohorts?|case[- ]control"
        r"|randomi[sz]ed|cross-sectional|longitudinal|observational|field study|user study"
        r"|interviews?|questionnaires?|participants|patients)\b|实验|实证|临床试验|队列",
        re.IGNORECASE,
    ),
    PaperTag.THEORETICAL: re.compile(
        r"\b(?:theorems?|(?:lower|upper|error|generali[sz]ation) bounds?|bounds? (?:on|for)|proofs?"
        r"|theory|theoretical|convergence|axioms?|lemma|conjecture|complexity of)\b|定理|证明|理论",
        re.IGNORECASE,
    ),
    PaperTag.DATASET: re.compile(
        r"\b(?:data ?sets?|data-sets?|benchmarks?|corpora"
        r"|corpus(?! (?:callosum|luteum|striatum|cavernosum))|database)\b|数据集|语料库|基准",
        re.IGNORECASE,
    ),
}
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_ABSTRACT_WORDS: dict[PaperTag, frozenset[str]] = {
    PaperTag.METHOD: frozenset(("method", "approach", "framework", "algorithm", "architecture")),
    PaperTag.REVIEW: frozenset(
        ("survey", "review", "reviews", "overview", "meta-analysis", "tutorial")
    ),
    PaperTag.EMPIRICAL: frozenset(
        (
            *("trial", "trials", "experiments", "empirical", "empirically", "cohort"),
            *("randomised", "randomized", "cross-sectional", "longitudinal", "interviews"),
        )
    ),
    PaperTag.THEORETICAL: frozenset(("theorem", "theorems", "proof", "lemma", "conjecture")),
    PaperTag.DATASET: frozenset(("dataset", "datasets", "benchmark", "corpus", "corpora")),
}
"""Fewer cues than for titles: abstracts of every kind of paper speak of models and systems."""


def tags_of(title: str, abstract: str | None) -> list[PaperTag]:
    """Return the tags whose cue words stand in the title, or plainly in the abstract.

    The title decides if it says anything; else the first third of the abstract does, where papers
    say what they are.
    """
    found = [tag for tag, cue in _CUES.items() if cue.search(title)]
    if found or not abstract:
        return found
    opening = abstract[: max(len(abstract) // 3, 300)].lower()
    words = set(_WORD.findall(opening))
    return [tag for tag, cues in _ABSTRACT_WORDS.items() if not words.isdisjoint(cues)]
