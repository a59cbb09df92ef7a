"""What code can say of a draft: every check, and what it finds as items of a critique."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from paper_search.report.citations import cited_keys, foreign_citations
from paper_search.report.claims import Claim, claims, numbers, stated, texts_of
from paper_search.report.criteria import BANNED_WORDS
from paper_search.report.evidence import Evidence
from paper_search.report.exchange import ReviewerInput
from paper_search.report.models import Category, CritiqueItem, Severity
from paper_search.report.passages import content_stems
from paper_search.report.quotations import (
    located,
    quotations,
    sources_saying,
    without_quotations,
)

_TOO_LONG, _TOO_SHORT = 1.4, 0.5
_COVERED = 0.5
"""Share of a sub-question's words that one section has to have."""
_SHOWN = 160


@dataclass(frozen=True)
class Subject:
    """A draft with everything that it is checked against."""

    given: ReviewerInput
    evidence: Evidence

    @cached_property
    def claims(self) -> list[Claim]:
        """Return the sentences of the draft."""
        return list(claims(self.given.draft))


def checked(given: ReviewerInput) -> list[CritiqueItem]:
    """Return everything that is wrong with a draft, as far as code can tell."""
    subject = Subject(given, Evidence(given.search_results))
    return [item for check in CHECKS for item in check(subject)]


def uncited_claims(subject: Subject) -> Iterator[CritiqueItem]:
    """Find sentences that state something and cite nothing."""
    for claim in subject.claims:
        if claim.is_claim and not claim.keys:
            yield _item(
                "citation",
                "major",
                claim.location,
                f"No citation: “{_shown(claim.text)}”",
                "Cite the source of it, or leave it out.",
            )


def unresolved_citations(subject: Subject) -> Iterator[CritiqueItem]:
    """Find citations that nothing collected stands behind, in whatever form they are written."""
    evidence = subject.evidence
    for place, text in texts_of(subject.given.draft):
        for key in cited_keys(text):
            if key not in evidence.by_key:
                yield _item(
                    "citation",
                    "critical",
                    place,
                    f"Invented citation [@{key}]: no source of that key was collected.",
                    "Cite a source that exists.",
                )
        for citation in foreign_citations(_own_words(text, evidence), evidence):
            if not citation.keys:
                yield _item(
                    "citation",
                    "critical",
                    place,
                    f"Invented citation “{_shown(citation.text)}”:"
                    " no source that was collected fits it.",
                    "Cite a source that exists.",
                )
            else:
                yield _item(
                    "citation",
                    "minor",
                    place,
                    f"“{_shown(citation.text)}” is not written as [@{citation.keys[0]}].",
                    "Use the one format.",
                )
    for given in subject.given.draft.invented:
        yield _item(
            "citation",
            "critical",
            "references",
            f"Invented reference: “{_shown(given)}”",
            "References are those sources that are cited.",
        )


def unfound_quotes(subject: Subject) -> Iterator[CritiqueItem]:
    """Find words in quotation marks that are not those of the cited source."""
    evidence = subject.evidence
    own = [
        *subject.given.research_plan.decomposed_questions,
        subject.given.research_plan.original_query,
    ]
    asked = {" ".join(heading.casefold().split()).strip(" .?") for heading in own}
    for claim in subject.claims:
        for quote in quotations(claim.text):
            if " ".join(quote.text.casefold().split()).strip(" .?") in asked:
                continue
            cited = [evidence.by_key[key] for key in claim.keys if key in evidence.by_key]
            if any(located(quote.text, result) is not None for result in cited):
                continue
            elsewhere = sources_saying(quote.text, evidence)
            if elsewhere:
                keys = ", ".join(f"[@{evidence.key_of(i)}]" for i in elsewhere[:3])
                yield _item(
                    "accuracy",
                    "major",
                    claim.location,
                    "A quotation is of another source than "
                    f"the cited one ({keys}): “{_shown(quote.text)}”",
                    "Cite that source.",
                )
            else:
                yield _item(
                    "accuracy",
                    "critical",
                    claim.location,
                    f"A quotation stands in no source: “{_shown(quote.text)}”",
                    "Quote what the source says.",
                )


def unfound_numbers(subject: Subject) -> Iterator[CritiqueItem]:
    """Find numbers that the cited sources do not state."""
    evidence = subject.evidence
    everywhere: set[str] | None = None
    plan = subject.given.research_plan
    asked = stated(" ".join([plan.original_query, *plan.decomposed_questions]))
    years = {str(source.year) for source in evidence.results if source.year is not None}
    for claim in subject.claims:
        if not (claim.is_claim or claim.keys):
            continue
        text = re.sub(r"\[@[^\]]*\]", " ", _own_words(claim.text, evidence))
        cited = [evidence.by_key[key] for key in claim.keys if key in evidence.by_key]
        have = {
            n
            for result in cited
            for n in stated(f"{result.title} {result.text} {result.year or ''}")
        }
        for number in numbers(text):
            if number in have or number.lstrip("-") in have or number in asked:
                continue
            everywhere = everywhere or years | {
                n for result in evidence.results for n in stated(f"{result.title} {result.text}")
            }
            if number in everywhere:
                yield _item(
                    "accuracy",
                    "major",
                    claim.location,
                    f"The cited source does not state {number}: “{_shown(claim.text)}”",
                    "Cite the source that states it.",
                )
            else:
                yield _item(
                    "accuracy",
                    "critical",
                    claim.location,
                    f"No source states {number}: “{_shown(claim.text)}”",
                    "Give the number as the source does.",
                )


def retracted_sources(subject: Subject) -> Iterator[CritiqueItem]:
    """Find citations of works that were withdrawn."""
    for place, text in texts_of(subject.given.draft):
        for key in cited_keys(text):
            result = subject.evidence.by_key.get(key)
            if result is not None and result.is_retracted:
                yield _item(
                    "accuracy",
                    "critical",
                    place,
                    f"[@{key}] is retracted.",
                    "Leave out what rests on it.",
                )


def missing_sections(subject: Subject) -> Iterator[CritiqueItem]:
    """Find expected sections that are not there, and sections without a word."""
    titles = [_folded(section.title) for section in subject.given.draft.sections]
    for expected in subject.given.research_plan.expected_sections:
        wanted = _folded(expected)
        if not any(wanted == title or wanted in title or _alike(wanted, title) for title in titles):
            is_concluded = "conclusion" in wanted and subject.given.draft.conclusion
            if not is_concluded and not ("abstract" in wanted and subject.given.draft.abstract):
                yield _item(
                    "completeness",
                    "major",
                    "general",
                    f"The section “{expected}” is missing.",
                    "Write it.",
                )
    for section in subject.given.draft.sections:
        if not section.content.strip():
            yield _item(
                "completeness", "major", section.title, "The section is empty.", "Write it."
            )
    for name in ("title", "abstract", "conclusion"):
        if not getattr(subject.given.draft, name).strip():
            yield _item("completeness", "major", name, f"The {name} is missing.", "Write it.")


def unanswered_questions(subject: Subject) -> Iterator[CritiqueItem]:
    """Find sub-questions that no section takes up."""
    draft = subject.given.draft
    texts = [f"{section.title} {section.content}" for section in draft.sections] + [
        draft.conclusion
    ]
    stems = [set(content_stems(text)) for text in texts]
    gaps = set(subject.given.analysis.gap_questions)
    for index, question in enumerate(subject.given.research_plan.decomposed_questions):
        wanted = set(content_stems(question))
        if wanted and not any(
            len(wanted & text_stems) / len(wanted) >= _COVERED for text_stems in stems
        ):
            severity: Severity = "minor" if index in gaps else "major"
            yield _item(
                "completeness",
                severity,
                "general",
                f"Nothing answers: {question}",
                "Answer it, or say that the sources do not.",
            )


def banned_words(subject: Subject) -> Iterator[CritiqueItem]:
    """Find words that a report does not use, in whatever form; quoted ones are not its own."""
    for place, text in texts_of(subject.given.draft):
        own = re.sub(r"\[@[^\]]*\]", " ", without_quotations(text))
        found = dict.fromkeys(match.group().lower() for match in _BANNED.finditer(own))
        for word in found:
            yield _item("style", "minor", place, f"Banned word: “{word}”", "Say it in plain words.")


def length(subject: Subject) -> Iterator[CritiqueItem]:
    """Find drafts that are much longer or shorter than was asked for."""
    words, target = subject.given.draft.word_count, subject.given.target_length
    if words > target * _TOO_LONG:
        yield _item(
            "style",
            "major",
            "general",
            f"{words:,} words, asked for were {target:,}: too long.",
            "Shorten it.",
        )
    elif words < target * _TOO_SHORT:
        is_scarce = len(subject.evidence.usable) * 100 < target
        severity: Severity = "suggestion" if is_scarce else "minor"
        yield _item(
            "completeness",
            severity,
            "general",
            f"{words:,} words, asked for were {target:,}"
            + (": the sources give no more." if is_scarce else "."),
            "Say more where the sources do.",
        )


def undisclosed_limits(subject: Subject) -> Iterator[CritiqueItem]:
    """Find reports that do not say how they were made, or that leave gaps unnamed."""
    draft = subject.given.draft
    text = " ".join(f"{section.title} {section.content}" for section in draft.sections).casefold()
    if not re.search(r"limit|bias|caution|cannot say", f"{text} {draft.conclusion.casefold()}"):
        yield _item(
            "methodology",
            "minor",
            "general",
            "No limitation is named.",
            "Say what the report cannot tell.",
        )
    if not re.search(r"method|search|sources? (?:were|was)|collected", text):
        yield _item(
            "methodology",
            "minor",
            "general",
            "How the report was made is not said.",
            "Describe the search.",
        )


CHECKS: tuple[Callable[[Subject], Iterator[CritiqueItem]], ...] = (
    unresolved_citations,
    retracted_sources,
    unfound_quotes,
    unfound_numbers,
    uncited_claims,
    missing_sections,
    unanswered_questions,
    banned_words,
    length,
    undisclosed_limits,
)


def _forms(word: str) -> str:
    """Return a pattern for a word in its forms: leverage, leverages, leveraged, leveraging."""
    stem = re.escape(word[:-1] if word.endswith(("e", "y")) else word)
    ending = re.escape(word[-1]) + "?" if word.endswith(("e", "y")) else ""
    return rf"\b{stem}{ending}(?:s|es|d|ed|ing|r|rs|ies|ly|ment)?\b"


_BANNED = re.compile("|".join(_forms(word) for word in BANNED_WORDS), re.IGNORECASE)


def _own_words(text: str, evidence: Evidence) -> str:
    """Return the text with blanks for quotations that a source says: they need no check."""
    letters = list(text)
    for quotation in quotations(text):
        if sources_saying(quotation.text, evidence):
            letters[quotation.start : quotation.end] = " " * (quotation.end - quotation.start)
    return "".join(letters)


def _item(
    category: Category, severity: Severity, location: str, description: str, fix: str
) -> CritiqueItem:
    return CritiqueItem(
        category=category,
        severity=severity,
        location=location,
        description=description,
        suggested_fix=fix,
    )


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _folded(text: str) -> str:
    return " ".join(re.sub(r"^\d+[.)]?\s+", "", text.casefold()).split()).strip(" .:")


def _alike(one: str, other: str) -> bool:
    first, second = set(content_stems(one)), set(content_stems(other))
    return bool(first) and len(first & second) / len(first | second) >= 0.6  # noqa: PLR2004  # most of the words
