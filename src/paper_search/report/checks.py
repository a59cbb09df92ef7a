"""What code can say of a draft: of each sentence, and of the whole, as items of a critique."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from paper_search.report.claims.quotations import without_quotations
from paper_search.report.claims.statements import places
from paper_search.report.claims.verdicts import Subject, excerpt, faults, item, verdicts
from paper_search.report.criteria import BANNED_WORDS
from paper_search.report.exchange import ReviewerInput
from paper_search.report.models import CheckedSentence, CritiqueItem, Severity
from paper_search.report.passages import content_stems

_TOO_LONG, _TOO_SHORT = 1.4, 0.5
_ABSTRACT, _LONG = 150, 1000
"""Words of an abstract at least, of reports that have so many."""
_MOST = 0.5
"""Share of the sentences beyond which a draft that cites nothing for them rests on nothing."""


def reviewed(request: ReviewerInput) -> tuple[list[CritiqueItem], list[CheckedSentence]]:
    subject = Subject(request)
    wrong = faults(subject)
    sentences = verdicts(subject, wrong)
    items = [fault.item for fault in wrong]
    items += [item for check in CHECKS for item in check(subject)]
    return items + list(uncited(subject, sentences)), sentences


def uncited(subject: Subject, sentences: Sequence[CheckedSentence]) -> Iterator[CritiqueItem]:
    """Find drafts with sentences that cite nothing; one that mostly does so does not stand."""
    claims = [
        sentence
        for statement, sentence in zip(subject.statements, sentences, strict=True)
        if sentence.status != "of_the_report" and not statement.is_heading
    ]
    bare = [sentence for sentence in claims if not sentence.keys]
    if not bare:
        return
    severity: Severity = "critical" if len(bare) > _MOST * len(claims) else "minor"
    first, advice = excerpt(bare[0].text), "Cite the source of each that states a fact."
    reason = f"{len(bare)} of {len(claims)} sentences cite no source, first “{first}”"
    yield item("citation", severity, "general", reason, advice)


def invented_references(subject: Subject) -> Iterator[CritiqueItem]:
    for reference in subject.given.draft.invented:
        reason = f"Invented reference: “{excerpt(reference)}”"
        advice = "References are those sources that are cited."
        yield item("citation", "critical", "references", reason, advice)


def missing_sections(subject: Subject) -> Iterator[CritiqueItem]:
    titles = [_folded(section.title) for section in subject.given.draft.sections]
    for heading in subject.given.research_plan.expected_sections:
        name = _folded(heading)
        if not any(name == title or name in title or _alike(name, title) for title in titles):
            is_concluded = "conclusion" in name and subject.given.draft.conclusion
            if not is_concluded and not ("abstract" in name and subject.given.draft.abstract):
                reason = f"The section “{heading}” is missing."
                yield item("completeness", "major", "general", reason, "Write it.")
    for section in subject.given.draft.sections:
        if not section.content.strip():
            yield item("completeness", "major", section.title, "The section is empty.", "Write it.")
    for name in ("title", "abstract", "conclusion"):
        if not getattr(subject.given.draft, name).strip():
            yield item("completeness", "major", name, f"The {name} is missing.", "Write it.")


def banned_words(subject: Subject) -> Iterator[CritiqueItem]:
    """Find words that a report does not use, in whatever form; quoted ones are not its own."""
    for place in places(subject.given.draft):
        own = re.sub(r"\[@[^\]]*\]", " ", without_quotations(place.text))
        words = dict.fromkeys(match.group().lower() for match in _BANNED.finditer(own))
        for word in words:
            reason = f"Banned word: “{word}”"
            yield item("style", "minor", place.location, reason, "Say it in plain words.")


def length(subject: Subject) -> Iterator[CritiqueItem]:
    """Find drafts that are much longer or shorter than was asked for."""
    words, target = subject.given.draft.word_count, subject.given.target_length
    abstract = len(subject.given.draft.abstract.split())
    if target >= _LONG and 0 < abstract < _ABSTRACT:
        reason = f"The abstract has {abstract} words; at least {_ABSTRACT} are asked for."
        yield item("style", "minor", "abstract", reason, "Say more of the answer in it.")
    counts = f"{words:,} words, asked for were {target:,}"
    if words > target * _TOO_LONG:
        yield item("style", "major", "general", f"{counts}: too long.", "Shorten it.")
    elif words < target * _TOO_SHORT:
        is_scarce = len(subject.evidence.usable) * 100 < target
        severity: Severity = "suggestion" if is_scarce else "minor"
        reason = counts + (": the sources give no more." if is_scarce else ".")
        yield item("completeness", severity, "general", reason, "Say more where the sources do.")


def undisclosed_limits(subject: Subject) -> Iterator[CritiqueItem]:
    """Find reports that do not say how they were made, or that leave gaps unnamed."""
    draft = subject.given.draft
    text = " ".join(f"{section.title} {section.content}" for section in draft.sections).casefold()
    if not re.search(r"limit|bias|caution|cannot say", f"{text} {draft.conclusion.casefold()}"):
        reason, advice = "No limitation is named.", "Say what the report cannot tell."
        yield item("methodology", "minor", "general", reason, advice)
    if not re.search(r"method|search|sources? (?:were|was)|collected", text):
        reason = "How the report was made is not said."
        yield item("methodology", "minor", "general", reason, "Describe the search.")


CHECKS: tuple[Callable[[Subject], Iterator[CritiqueItem]], ...] = (
    invented_references,
    missing_sections,
    banned_words,
    length,
    undisclosed_limits,
)
"""Of the whole; those of a sentence are in `claims.verdicts`."""


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
