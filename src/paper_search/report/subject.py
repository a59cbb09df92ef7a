"""A draft with everything that its sentences are checked against, and what is found wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from paper_search.report.citations import Foreign, foreign_citations, without_citations
from paper_search.report.claims import Claim, Frames, Place, claims
from paper_search.report.evidence import Evidence
from paper_search.report.exchange import ReviewerInput
from paper_search.report.models import (
    Category,
    CritiqueItem,
    Quote,
    SearchResult,
    Severity,
    Support,
)
from paper_search.report.passages import WORD
from paper_search.report.quotations import located, quotations, sources_saying, without_quotations
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.words import tokens

_SHOWN = 160
_SAME_START = 5
"""Letters by which "relief" is a form of "relieve"."""
_EFFECTS = frozenset(
    tokens("affect improve reduce increase predict influence enable enhance prevent cause lower")
)
"""Stop words of a search that a statement does not stand without."""
PLAIN = frozenset(
    tokens(
        "also however thus therefore moreover furthermore overall both same study trial work paper "
        "source author research result finding evidence report show find write state conclude "
        "suggest indicate describe note observe measure compare propose present use give include "
        "one two three first second summary short sum say ask et al"
    )
)
"""Words that a sentence may add to what its source says."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a sentence."""

    claim: Claim
    category: Category
    severity: Severity
    reason: str
    """What is wrong, for who reads the sentence."""
    advice: str
    told: str | None = None
    """What part of the sentence is repeated; None: all; empty: the reason says it."""
    status: Support = "unsupported"
    """Of the sentence, if the fault is grave."""

    @property
    def is_grave(self) -> bool:
        """Whether the sentence does not stand."""
        return self.severity in {"critical", "major"}

    @property
    def item(self) -> CritiqueItem:
        """Return the fault as an item of a critique."""
        told = self.claim.text if self.told is None else self.told
        reason = f"{self.reason}: “{shown(told)}”" if told else f"{self.reason}."
        return item(self.category, self.severity, self.claim.location, reason, self.advice)


@dataclass(frozen=True)
class Subject:
    """A draft with everything that it is checked against."""

    given: ReviewerInput
    evidence: Evidence

    @cached_property
    def claims(self) -> list[Claim]:
        """Return the sentences of the draft."""
        return list(claims(self.given.draft, self.frames))

    @cached_property
    def foreign(self) -> dict[Place, list[Foreign]]:
        """Return for each text of the draft what it cites in another form than ours."""
        places = dict.fromkeys(claim.place for claim in self.claims)
        return {
            place: foreign_citations(own_words(place.text, self.evidence), self.evidence)
            for place in places
        }

    @cached_property
    def asked(self) -> list[str]:
        """Return the question and its sub-questions: what a report may repeat."""
        plan = self.given.research_plan
        return [*plan.decomposed_questions, plan.original_query]

    @cached_property
    def planned(self) -> list[str]:
        """Return all that the plan and the analysis name: what a report may speak of."""
        plan, analysis = self.given.research_plan, self.given.analysis
        queries = [query.query_text for query in plan.search_queries]
        themes = [theme.label for theme in analysis.theme_details]
        return [*self.asked, plan.methodology, *plan.expected_sections, *queries, *themes]

    @cached_property
    def frames(self) -> Frames:
        """Return what tells sentences of the report itself from statements."""
        told = tuple(said_by(result) for result in self.evidence.usable)
        draft = self.given.draft
        is_composed = not draft.is_by_model and not draft.is_by_person
        return Frames(tuple(self.planned), told, is_composed)

    @cached_property
    def snippets(self) -> dict[Claim, Quote]:
        """Return for each sentence that cites a source the words there that are closest to it."""
        found = {
            claim: closest(claim.text, self.cited(claim), self.evidence)
            for claim in self.claims
            if claim.keys
        }
        return {claim: quote for claim, quote in found.items() if quote is not None}

    def cited(self, claim: Claim) -> list[SearchResult]:
        """Return the sources that a sentence cites and that exist."""
        return [self.evidence.by_key[key] for key in claim.keys if key in self.evidence.by_key]

    def own_words(self, claim: Claim) -> str:
        """Return a sentence without its citations and without what it quotes."""
        return without_citations(without_quotations(claim.text))

    def missing_words(self, claim: Claim) -> list[str]:
        """Return the words of a sentence that none of the sources has that it cites."""
        cited = self.cited(claim)
        if not cited or not claim.is_claim:
            return []
        said = {stem for result in cited for stem in tokens(said_by(result))}
        said |= {stem for result in cited for name in result.authors for stem in tokens(name)}
        starts = {stem[:_SAME_START] for stem in said if len(stem) >= _SAME_START}
        return [
            word
            for stem, word in telling(self.own_words(claim)).items()
            if stem not in said and word.casefold()[:_SAME_START] not in starts
        ]


def closest(text: str, cited: Sequence[SearchResult], evidence: Evidence) -> Quote | None:
    """Return the words of a source that are closest to a text: what it quotes, or a sentence."""
    for quotation in quotations(text):
        for result in cited:
            if (quote := located(quotation.text, result)) is not None:
                return quote
    stems = telling(without_quotations(without_citations(text))).keys()
    best: tuple[int, Quote] | None = None
    for result in cited:
        told = evidence.sentences.get(result.result_id, [])
        parts = [("text", sentence.text, sentence.start, sentence.end) for sentence in told]
        for part, said, start, end in [*parts, ("title", result.title, 0, len(result.title))]:
            shared = len(stems & telling(said).keys())
            if shared and (best is None or shared > best[0]):
                fields = {"result_id": result.result_id, "text": said, "part": part}
                best = (shared, Quote.model_validate({**fields, "start": start, "end": end}))
    return best[1] if best else None


def said_by(result: SearchResult) -> str:
    """Return all that a source says: title, text and year."""
    return f"{result.title}. {result.text} {result.year or ''}"


@lru_cache(maxsize=32768)
def telling(text: str) -> Mapping[str, str]:
    """Return the stems of the words that say something, each with the word."""
    found: dict[str, str] = {}
    for word in WORD.findall(text):
        plain = word.casefold()
        for stem in tokens(word):
            is_empty = (plain in STOP_WORDS and stem not in _EFFECTS) or stem in PLAIN
            if not is_empty and not any(character.isdigit() for character in stem):
                found.setdefault(stem, word)
    return found


def own_words(text: str, evidence: Evidence) -> str:
    """Return the text with blanks for quotations that a source says: they need no check."""
    letters = list(text)
    for quotation in quotations(text):
        if sources_saying(quotation.text, evidence):
            letters[quotation.start : quotation.end] = " " * (quotation.end - quotation.start)
    return "".join(letters)


def item(
    category: Category, severity: Severity, location: str, description: str, fix: str
) -> CritiqueItem:
    """Return an item of a critique that code found."""
    return CritiqueItem(
        category=category,
        severity=severity,
        location=location,
        description=description,
        suggested_fix=fix,
    )


def shown(text: str) -> str:
    """Return a text, or its beginning if it is long."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def words_of(texts: Iterable[str]) -> set[str]:
    """Return the words of texts, in lower case."""
    return {word.casefold() for text in texts for word in WORD.findall(text)}
