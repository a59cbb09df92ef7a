"""What code can say of one sentence of a draft: what is wrong, and what its source bears."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from paper_search.report.citations import without_citations
from paper_search.report.claims import Claim
from paper_search.report.evidence import family_names, sentences
from paper_search.report.models import CheckedSentence, Quote, SearchResult
from paper_search.report.numbers import Quantity, is_multiple, is_stated, quantities
from paper_search.report.passages import content_stems
from paper_search.report.polarity import denies
from paper_search.report.quotations import (
    Quotation,
    left_out,
    located,
    quotations,
    sources_saying,
    without_quotations,
)
from paper_search.report.subject import Fault, Subject, said_by, shown
from paper_search.report.wording_checks import WORDING_CHECKS
from paper_search.skills.words import tokens

_REPORTING = frozenset(
    tokens(
        "write say state source another report find question title available newer first second "
        "contradict judge reader colleagues one name et al"
    )
)
"""What the words around a quotation may be without saying anything themselves."""
_TERM = re.compile(
    r"\*\*(?P<term>[^*]+)\*\* is a term of [\w,]+ sources?(?:, among them)?\.?", re.IGNORECASE
)
_OWN_PART = re.compile(
    r"^\s*(?:\w+ )?(?P<part>sources?|papers?|studies|publications?|sub-questions?|sections?|queries"
    r"|searches|records?|findings?|themes?|citations?|references?|gaps?|databases?)\b",
    re.IGNORECASE,
)


def faults(subject: Subject) -> list[Fault]:
    """Return what is wrong with the sentences of a draft, in their order."""
    return [
        fault
        for claim in subject.claims
        for check in SENTENCE_CHECKS
        for fault in check(claim, subject)
    ]


def judged_by_code(subject: Subject, found: Sequence[Fault]) -> list[CheckedSentence]:
    """Return each sentence with what code can say of its support."""
    by_claim: dict[Claim, list[Fault]] = {}
    for fault in found:
        by_claim.setdefault(fault.claim, []).append(fault)
    return [_judged(claim, subject, by_claim.get(claim, [])) for claim in subject.claims]


def _judged(claim: Claim, subject: Subject, found: Sequence[Fault]) -> CheckedSentence:
    sentence = CheckedSentence(
        place=claim.place.name,
        start=claim.start,
        end=claim.end,
        text=claim.place.text[claim.start : claim.end],
        keys=list(claim.keys),
        checked_by="code",
        snippet=subject.snippets.get(claim),
        written_at=subject.given.draft.written_at.get(claim.text),
    )
    grave = sorted((fault for fault in found if fault.is_grave), key=_gravity)
    if grave:
        reasons = "; ".join(dict.fromkeys(fault.reason for fault in grave))
        return sentence.model_copy(update={"status": grave[0].status, "reason": reasons})
    if not claim.is_claim:
        return sentence.model_copy(update={"status": "of_the_report", "snippet": None})
    quote = quoted_word_for_word(claim, subject) or shared_term(claim, subject)
    if quote is not None:
        told = {"status": "supported", "reason": "its words stand in the source", "snippet": quote}
        return sentence.model_copy(update=told)
    missing = subject.missing_words(claim)
    reason = "nobody compared it with its source"
    if missing:
        reason += f", which does not have the words: {', '.join(missing[:5])}"
    return sentence.model_copy(update={"checked_by": "nobody", "reason": reason})


def _gravity(fault: Fault) -> int:
    return 0 if fault.status == "contradicted" else 1


def quoted_word_for_word(claim: Claim, subject: Subject) -> Quote | None:
    """Return where the words of a sentence stand that says nothing but what it quotes; or None."""
    cited = subject.cited(claim)
    quotes = [_cited_quote(quotation, cited) for quotation in quotations(claim.text)]
    if not quotes or quotes[0] is None or None in quotes:
        return None
    own = set(content_stems(without_citations(without_quotations(claim.text)))) - _REPORTING
    said = {stem for quote in quotes if quote for stem in tokens(quote.text)}
    names = {stem for result in cited for name in family_names(result) for stem in tokens(name)}
    asked = {stem for text in subject.asked for stem in tokens(text)}
    return quotes[0] if own <= said | names | asked else None


def shared_term(claim: Claim, subject: Subject) -> Quote | None:
    """Return where a term stands of which a sentence says only that its sources have it."""
    named = _TERM.fullmatch(without_citations(claim.text))
    cited = subject.cited(claim)
    if named is None or not cited:
        return None
    wanted = f" {' '.join(tokens(named['term']))} "
    if not all(wanted in f" {' '.join(tokens(said_by(result)))} " for result in cited):
        return None
    return subject.snippets.get(claim)


def _cited_quote(quotation: Quotation, cited: Sequence[SearchResult]) -> Quote | None:
    return next(filter(None, (located(quotation.text, result) for result in cited)), None)


def uncited_claims(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find sentences that state something and cite nothing; a heading only, if nobody says it."""
    if not claim.is_claim or claim.keys:
        return
    if claim.is_heading and not claim.text.startswith("|"):
        unknown = subject.frames.unknown(claim.text)
        if unknown:
            reason = f"A heading says what no source says ({', '.join(unknown[:5])})"
            yield Fault(claim, "accuracy", "major", reason, "Name what the section is about.")
        return
    advice = "Cite the source of it, or leave it out."
    yield Fault(claim, "citation", "major", "No citation", advice)


def unresolved_citations(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find citations that nothing collected stands behind, in whatever form they are written."""
    evidence = subject.evidence
    advice = "Cite a source that exists."
    for key in claim.keys:
        if key not in evidence.by_key:
            reason = f"Invented citation [@{key}]: no source of that key was collected"
            yield Fault(claim, "citation", "critical", reason, advice, "")
    for citation in subject.foreign[claim.place]:
        if not claim.start <= citation.start < claim.end:
            continue
        named = f"“{shown(citation.text)}”"
        if not citation.keys:
            reason = f"Invented citation {named}: no source that was collected fits it"
            yield Fault(claim, "citation", "critical", reason, advice, "")
        else:
            reason = f"{named} is not written as [@{citation.keys[0]}]"
            yield Fault(claim, "citation", "minor", reason, "Use the one format.", "")


def retracted_sources(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find citations of works that were withdrawn."""
    for key in claim.keys:
        result = subject.evidence.by_key.get(key)
        if result is not None and result.is_retracted:
            advice = "Leave out what rests on it."
            yield Fault(claim, "accuracy", "critical", f"[@{key}] is retracted", advice, "")


def unfound_quotes(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find words in quotation marks that are not those of the cited source."""
    evidence = subject.evidence
    planned = {_question(text) for text in subject.planned}
    for quote in quotations(claim.text):
        if _question(quote.text) in planned:
            continue
        if _cited_quote(quote, subject.cited(claim)) is not None:
            continue
        elsewhere = sources_saying(quote.text, evidence)
        if elsewhere:
            if not claim.is_claim and not claim.keys:
                continue
            keys = ", ".join(f"[@{evidence.key_of(i)}]" for i in elsewhere[:3])
            reason = f"A quotation is of another source than the cited one ({keys})"
            yield Fault(claim, "accuracy", "major", reason, "Cite that source.", quote.text)
        else:
            reason, advice = "A quotation stands in no source", "Quote what the source says."
            yield Fault(claim, "accuracy", "critical", reason, advice, quote.text)


def cut_quotes(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find quotations that leave out what turns them round, or join what stands apart."""
    advice = "Quote the whole sentence."
    is_denial = denies(without_quotations(claim.text))
    for quotation in quotations(claim.text):
        for result in subject.cited(claim):
            quote = located(quotation.text, result)
            if quote is None:
                continue
            gaps = left_out(quotation.text, result)
            whole = result.title if quote.part == "title" else result.text
            reason = ""
            if any(denies(gap) for gap in gaps):
                reason = "An ellipsis leaves out a denial"
            elif any(len(sentences(f"x {gap} x")) > 1 for gap in gaps):
                reason = "An ellipsis joins words of different sentences"
            elif not is_denial and denies(_around(quote, whole)) and not denies(quote.text):
                reason = "A quotation leaves out the denial around it"
            if reason:
                yield Fault(claim, "accuracy", "major", reason, advice, quotation.text)
            break


def _around(quote: Quote, text: str) -> str:
    """Return what the sentence of a quotation says before it, within its clause."""
    own = next((s for s in sentences(text) if s.start <= quote.start < s.end), None)
    return re.split(r"[;:,]", text[own.start : quote.start])[-1] if own else ""


def unfound_numbers(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find quantities that the cited sources do not state, in digits or in words."""
    text = subject.own_words(claim)
    cited = subject.cited(claim) or ([] if claim.is_claim else subject.evidence.results)
    asked = quantities(" . ".join(subject.planned))
    said = [*asked, *(number for result in cited for number in quantities(said_by(result)))]
    for quantity in quantities(text):
        part = _OWN_PART.match(text[quantity.end :])
        if not quantity.unit and (not claim.is_claim or (part and part["part"] not in _STUDIES)):
            if quantity.value > _largest_count(subject) and not is_stated(quantity, said):
                reason = f"The report has no {quantity.text} of anything"
                yield Fault(claim, "accuracy", "critical", reason, "Give the real number.")
            continue
        is_count = quantity.value == len(claim.keys) and part is not None
        if is_count or is_stated(quantity, said) or _is_ratio(quantity, cited):
            continue
        everywhere = [q for result in subject.evidence.results for q in quantities(said_by(result))]
        if is_stated(quantity, everywhere):
            reason = f"The cited source does not state {quantity.text}"
            advice = "Cite the source that states it."
            yield Fault(claim, "accuracy", "major", reason, advice)
        else:
            advice = "Give the number as the source does."
            yield Fault(claim, "accuracy", "critical", f"No source states {quantity.text}", advice)


def _largest_count(subject: Subject) -> int:
    """Return the most that a report can have of one of its own parts."""
    plan, draft = subject.given.research_plan, subject.given.draft
    parts = (subject.evidence.results, plan.search_queries, subject.asked, draft.sections)
    return max(len(part) for part in parts)


_STUDIES = frozenset({"paper", "papers", "studies", "publication", "publications", "records"})


def _is_ratio(quantity: Quantity, cited: Sequence[SearchResult]) -> bool:
    return any(
        is_multiple(quantity, quantities(sentence.text))
        for result in cited
        for sentence in sentences(result.text)
    )


SENTENCE_CHECKS: tuple[Callable[[Claim, Subject], Iterator[Fault]], ...] = (
    unresolved_citations,
    retracted_sources,
    unfound_quotes,
    cut_quotes,
    unfound_numbers,
    uncited_claims,
    *WORDING_CHECKS,
)


def _question(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .?")
