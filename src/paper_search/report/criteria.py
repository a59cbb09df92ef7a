"""The six criteria of a review, the checks of a whole draft, and the decision rules."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from paper_search.report.claims.citations import without_quotations
from paper_search.report.claims.verdicts import (
    Subject,
    critique_item,
    excerpt,
    faults,
    places,
    verdicts,
)
from paper_search.report.evidence import Evidence
from paper_search.report.models import (
    AnalysisResult,
    CheckedSentence,
    Critique,
    CritiqueItem,
    Recommendation,
    ResearchDraft,
    ReviewerInput,
    Severity,
)
from paper_search.report.passages import content_stems

_CRITERIA = (
    (
        "accuracy", 0.25, "Factual correctness and citation accuracy",
        "Claims match cited sources", "No unsupported assertions",
        "Statistics are correctly reported", "No logical fallacies",
    ),
    (
        "completeness", 0.20, "Coverage of research questions",
        "All sub-questions addressed", "Expected sections present",
        "Adequate depth per section", "No major gaps",
    ),
    (
        "coherence", 0.20, "Logical flow and structure",
        "Clear thesis/argument", "Logical section ordering",
        "Smooth transitions", "Consistent terminology",
    ),
    (
        "citation", 0.15, "Proper attribution and references",
        "All claims cited", "Citation format consistent",
        "References complete", "No citation fabrication",
    ),
    (
        "methodology", 0.10, "Research approach transparency",
        "Methods clearly described", "Limitations acknowledged",
        "Scope appropriate", "Bias awareness",
    ),
    (
        "style", 0.10, "Writing quality and readability",
        "Clear, concise language", "No banned words", "Appropriate tone", "Grammar and spelling",
    ),
)  # fmt: skip
REVIEW_CRITERIA: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        name: {"weight": weight, "description": about, "checks": tuple(checks)}
        for name, weight, about, *checks in _CRITERIA
    }
)

PASS_THRESHOLD = 7.5
REVISION_THRESHOLD = 5.0
"""A draft below it that can no longer be revised is rejected."""
MAX_CRITICAL_ISSUES = 0
MAX_MAJOR_ISSUES = 3
HIGHEST = 10.0

_PENALTY = {"critical": 6.0, "major": 2.0, "minor": 0.7, "suggestion": 0.2}
"""Deduction of an item from the score of its criterion."""

BANNED_WORDS: tuple[str, ...] = (
    "delve", "realm", "harness", "unlock", "tapestry", "paradigm", "cutting-edge",
    "revolutionize", "landscape", "crucial", "pivotal", "groundbreaking", "leverage", "synergy",
    "innovative", "game-changer", "holistic", "transformative", "seamless", "robust",
    "breakthrough", "empower",
)  # fmt: skip


def criterion_scores(
    items: Iterable[CritiqueItem], model_scores: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return a score from 0 to 10 for each criterion.

    Items are deducted from 10; a model's score can only lower the result.
    """
    scores = dict.fromkeys(REVIEW_CRITERIA, HIGHEST)
    for item in items:
        scores[item.category] -= _PENALTY[item.severity]
    return {
        name: round(max(0.0, min(score, (model_scores or {}).get(name, HIGHEST))), 2)
        for name, score in scores.items()
    }


def overall_score(scores: Mapping[str, float]) -> float:
    total: float = sum(REVIEW_CRITERIA[name]["weight"] * score for name, score in scores.items())
    return round(min(HIGHEST, max(0.0, total)), 2)


def coverage_items(
    draft: ResearchDraft, analysis: AnalysisResult, questions: Sequence[str], evidence: Evidence
) -> list[CritiqueItem]:
    """Return a major item for each unanswered sub-question; critical if all are unanswered.

    A sub-question is answered if the draft cites a source of a finding on it.
    """
    cited = {key for section in draft.sections for key in section.citations}
    answered = {
        finding.question
        for finding in analysis.findings
        if finding.question not in analysis.gap_questions
        and cited.intersection(map(evidence.key_of, finding.sources))
    }
    advice = "Answer it from a finding, and cite the finding's source."
    items = [
        critique_item("completeness", "major", "general", f"Not answered: {question}", advice)
        for index, question in enumerate(questions)
        if index not in answered
    ]
    if items and len(items) == len(questions):
        whole = {"severity": "critical", "description": "No sub-question is answered."}
        return [items[0].model_copy(update=whole), *items]
    return items


def recommendation(critique: Critique, *, can_iterate: bool) -> Recommendation | None:
    """Decide by rules, not by a model.

    Approve: at least 7.5, nothing critical, at most 3 major items. Revise: at least 5.0, or further
    iterations are possible. Otherwise reject. Without a score, a draft is never approved: None.
    """
    score = critique.overall_score
    is_faultless = (
        critique.critical_count <= MAX_CRITICAL_ISSUES and critique.major_count <= MAX_MAJOR_ISSUES
    )
    if is_faultless and (score is None or score >= PASS_THRESHOLD):
        return None if score is None else "approve"
    if score is None or score >= REVISION_THRESHOLD or can_iterate:
        return "revise"
    return "reject"


def improvement_potential(critique: Critique) -> float:
    """Estimate which share of the missing score a revision may gain, 0 to 1.

    Minor items are easy to fix, major ones hard, critical ones hardest.
    """
    if critique.overall_score is None or critique.overall_score >= HIGHEST:
        return 0.0
    minor = min(sum(item.severity == "minor" for item in critique.items) * 0.05, 0.3)
    major = min(critique.major_count * 0.15, 0.5)
    share = (1 - critique.critical_count * 0.3) * (0.5 + minor - major)
    return max(0.0, min(1.0, share))


_TOO_LONG, _TOO_SHORT = 1.4, 0.5
_ABSTRACT, _LONG = 150, 1000
"""Minimum words of an abstract, for reports of at least `_LONG` words."""
_MOST_UNCITED = 0.5
"""Share of uncited sentences above which a draft has a critical fault."""


def check_draft(request: ReviewerInput) -> tuple[list[CritiqueItem], list[CheckedSentence]]:
    subject = Subject(request)
    wrong = faults(subject)
    sentences = verdicts(subject, wrong)
    items = [fault.item for fault in wrong]
    items += [item for check in CHECKS for item in check(subject)]
    return items + list(uncited(subject, sentences)), sentences


def uncited(subject: Subject, sentences: Sequence[CheckedSentence]) -> Iterator[CritiqueItem]:
    """Find sentences without citations; if they are the majority, the item is critical."""
    claims = [
        sentence
        for statement, sentence in zip(subject.statements, sentences, strict=True)
        if sentence.status != "of_the_report" and not statement.is_heading
    ]
    bare = [sentence for sentence in claims if not sentence.keys]
    if not bare:
        return
    severity: Severity = "critical" if len(bare) > _MOST_UNCITED * len(claims) else "minor"
    first, advice = excerpt(bare[0].text), "Cite the source of each that states a fact."
    reason = f"{len(bare)} of {len(claims)} sentences cite no source, first “{first}”"
    yield critique_item("citation", severity, "general", reason, advice)


def missing_sections(subject: Subject) -> Iterator[CritiqueItem]:
    draft = subject.request.draft
    titles = [_folded(section.title) for section in draft.sections]
    lacks: list[tuple[str, str]] = []
    for heading in subject.request.research_plan.expected_sections:
        name = _folded(heading)
        if not any(name == title or name in title or _alike(name, title) for title in titles):
            is_concluded = "conclusion" in name and draft.conclusion
            if not is_concluded and not ("abstract" in name and draft.abstract):
                lacks.append(("general", f"The section “{heading}” is missing."))
    empty = [section.title for section in draft.sections if not section.content.strip()]
    lacks += [(title, "The section is empty.") for title in empty]
    parts = {"title": draft.title, "abstract": draft.abstract, "conclusion": draft.conclusion}
    lacks += [(name, f"The {name} is missing.") for name, text in parts.items() if not text.strip()]
    for place, lack in lacks:
        yield critique_item("completeness", "major", place, lack, "Write it.")


def banned_words(subject: Subject) -> Iterator[CritiqueItem]:
    """Find banned words in any form outside quotations."""
    for place in places(subject.request.draft):
        own = re.sub(r"\[@[^\[\]]*\]", " ", without_quotations(place.text))
        words = dict.fromkeys(match.group().lower() for match in _BANNED.finditer(own))
        for word in words:
            reason = f"Banned word: “{word}”"
            yield critique_item("style", "minor", place.location, reason, "Say it in plain words.")


def length(subject: Subject) -> Iterator[CritiqueItem]:
    words, target = subject.request.draft.word_count, subject.request.target_length
    abstract = len(subject.request.draft.abstract.split())
    if target >= _LONG and 0 < abstract < _ABSTRACT:
        reason = f"The abstract has {abstract} words; at least {_ABSTRACT} are asked for."
        yield critique_item("style", "minor", "abstract", reason, "Give more of the answer in it.")
    counts = f"{words:,} words, asked for were {target:,}"
    if words > target * _TOO_LONG:
        yield critique_item("style", "major", "general", f"{counts}: too long.", "Shorten it.")
    elif words < target * _TOO_SHORT:
        advice = "Expand where the sources say more."
        yield critique_item("completeness", "minor", "general", f"{counts}.", advice)


CHECKS: tuple[Callable[[Subject], Iterator[CritiqueItem]], ...] = (
    missing_sections,
    banned_words,
    length,
)
"""Checks of a whole draft; those of sentences are in `claims.verdicts`."""


def _forms(word: str) -> str:
    stem = re.escape(word[:-1] if word.endswith(("e", "y")) else word)
    ending = re.escape(word[-1]) + "?" if word.endswith(("e", "y")) else ""
    return rf"\b{stem}{ending}(?:s|es|d|ed|ing|r|rs|ies|ly|ment)?\b"


_BANNED = re.compile("|".join(_forms(word) for word in BANNED_WORDS), re.IGNORECASE)


def _folded(text: str) -> str:
    return " ".join(re.sub(r"^\d+[.)]?\s+", "", text.casefold()).split()).strip(" .:")


def _alike(one: str, other: str) -> bool:
    first, second = set(content_stems(one)), set(content_stems(other))
    return bool(first) and len(first & second) / len(first | second) >= 0.6  # noqa: PLR2004  # most of the words
