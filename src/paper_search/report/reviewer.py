"""The reviewer: checks a draft by code, then by a model as a whole and sentence by sentence."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import BaseModel, Field

from paper_search.errors import LLMError, LLMRateLimitError
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import LowerCase, ask
from paper_search.prompts import load_prompt
from paper_search.report.claims.citations import closest_quote, locate, without_citations
from paper_search.report.claims.verdicts import excerpt, places
from paper_search.report.criteria import (
    REVIEW_CRITERIA,
    check_draft,
    coverage_items,
    criterion_scores,
    improvement_potential,
    overall_score,
    recommendation,
)
from paper_search.report.evidence import LONGEST, Evidence, sentences
from paper_search.report.models import (
    Category,
    CheckedSentence,
    Critique,
    CritiqueItem,
    Quote,
    ReviewerInput,
    ReviewerOutput,
    Role,
    SearchResult,
    Severity,
    Support,
    support_counts,
)
from paper_search.report.passages import sources_block
from paper_search.skills.untrusted import data_block, shown_to_model
from paper_search.skills.words import tokens

_MAX_ITEMS = 40
_MOST = 30
_TABLE = "Not judged: every sentence of the table is quoted word for word from its source."


class ItemAnswer(BaseModel):
    category: Annotated[str, LowerCase] = "coherence"
    severity: Annotated[str, LowerCase] = "minor"
    location: str = "general"
    description: str
    suggested_fix: str | None = None


class ReviewAnswer(BaseModel):
    """A review, without a decision."""

    scores: dict[str, float] = Field(default_factory=dict)
    items: list[ItemAnswer] = Field(default_factory=list)
    summary: str = ""


class Reviewer(Role):
    """Judges drafts; a model's opinion can only lower a score."""

    async def review(self, request: ReviewerInput) -> ReviewerOutput:
        if not (request.draft.is_by_model or request.draft.is_by_person):
            critique = Critique(overall_score=None, recommendation=None, summary=_TABLE)
            critique.version = request.draft.version
            return ReviewerOutput(critique=critique)
        items, sentences = check_draft(request)
        evidence = Evidence(request.search_results)
        if request.draft.is_by_model and not request.draft.is_by_person:
            questions = request.research_plan.decomposed_questions
            items += coverage_items(request.draft, request.analysis, questions, evidence)
        answer = None
        if self._llm is not None:
            # The whole draft comes first: it is one call, and the budget may run out.
            answer = await self._answer(self._llm, request, items)
            sentences = await judge_support(self._llm, sentences, evidence, request.known_sentences)
            locations = {place.name: place.location for place in places(request.draft)}
            items += items_of(sentences, locations)
        return conclude(request, items, answer, sentences)

    async def _answer(
        self, llm: LLMProvider, request: ReviewerInput, items: list[CritiqueItem]
    ) -> ReviewAnswer:
        evidence = Evidence(request.search_results)
        cited = [
            evidence.by_key[key].result_id
            for section in request.draft.sections
            for key in section.citations
            if key in evidence.by_key
        ]
        plan = request.research_plan
        subject = " ".join([plan.original_query, *plan.decomposed_questions])
        block = sources_block(evidence, request.shown_sources, request.shown_chars, subject, cited)
        about = {
            "sub_questions": plan.decomposed_questions,
            "expected_sections": plan.expected_sections,
            "iteration": f"{request.iteration_count + 1} of {request.max_iterations}",
        }
        head = json.dumps(about, ensure_ascii=False, indent=1)
        material = data_block([_material(request, items)])
        prompt = load_prompt("report_reviewer", self._domain)
        message = f"{head}\n\nSources:\n{block}\n\nReport:\n{material}"
        return await ask(llm, ReviewAnswer, prompt, message)


def conclude(
    request: ReviewerInput,
    items: list[CritiqueItem],
    answer: ReviewAnswer | None,
    sentences: list[CheckedSentence],
) -> ReviewerOutput:
    critique = Critique(
        items=items, overall_score=None, version=request.draft.version, sentences=sentences
    )
    opinion = None
    if answer is not None:
        own = [item for item in answer.items if item.description.strip()]
        critique.items = [*items, *map(_item, own[:_MAX_ITEMS])]
        critique.scores = criterion_scores(critique.items, answer.scores)
        critique.overall_score = overall_score(critique.scores)
        critique.is_by_model = True
        opinion = shown_to_model(answer.summary, 1000)
    can_iterate = request.iteration_count + 1 < request.max_iterations
    critique.recommendation = recommendation(critique, can_iterate=can_iterate)
    critique.summary = _summary(critique, opinion)
    return ReviewerOutput(critique=critique, improvement_potential=improvement_potential(critique))


def _summary(critique: Critique, opinion: str | None) -> str:
    counts = ", ".join(
        f"{count} {severity}"
        for severity in get_args(Severity)
        if (count := sum(item.severity == severity for item in critique.items))
    )
    how = "code and a model" if critique.is_by_model else "code alone, which gives no score"
    support = support_counts(critique.sentences)
    audit_detail = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in support.items() if n)
    verdict = (critique.recommendation or "not judged").capitalize()
    text = (
        f"{verdict}. Statements: {audit_detail or 'none'}. "
        f"Found: {counts or 'nothing'}. Checked by {how}."
    )
    return f"{text} {opinion}" if opinion else text


def _item(answer: ItemAnswer) -> CritiqueItem:
    """Convert a model's item; unknown categories and severities become the mildest ones."""
    category = answer.category if answer.category in REVIEW_CRITERIA else "coherence"
    severity = answer.severity if answer.severity in get_args(Severity) else "suggestion"
    return CritiqueItem(
        category=cast("Category", category),
        severity=cast("Severity", severity),
        location=(shown_to_model(answer.location, 200) or "general"),
        description=shown_to_model(answer.description, 1000) or "no description",
        suggested_fix=shown_to_model(answer.suggested_fix, 1000),
        found_by="model",
    )


def _material(request: ReviewerInput, items: list[CritiqueItem]) -> dict[str, Any]:
    """Return the report and its findings as data, because they may quote hostile text."""
    draft = request.draft
    return {
        "report": {"version": draft.version, "words": draft.word_count, **draft.texts},
        "findings": request.analysis.key_findings,
        "found_by_checks": [f"[{e.severity}] {e.location}: {e.description}" for e in items[:_MOST]],
    }


AT_ONCE = 4
"""Calls of a model at the same time."""
_MAX_SOURCES = 4
"""Sources shown for one sentence."""
_FEWEST = 4
"""Minimum words of a source to support a verdict."""
_FAULTS: dict[Support, tuple[Severity, str]] = {
    "contradicted": ("critical", "The source says the opposite"),
    "unsupported": ("major", "The source does not say this"),
    "partly": ("minor", "The source says only part of this"),
}


class SupportAnswer(BaseModel):
    verdict: Literal["supported", "partly", "not", "contradicted"]
    words: str = ""
    reason: str = ""


async def judge_support(
    llm: LLMProvider,
    statements: Sequence[CheckedSentence],
    evidence: Evidence,
    earlier: Iterable[CheckedSentence] = (),
) -> list[CheckedSentence]:
    """Add a model's verdicts to sentences that code could not judge.

    Sentences of an `earlier` version and repeated ones are judged only once. If the model gives no
    answer, the sentence stays unchecked with that reason.

    Raises:
        LLMRateLimitError: the model must be asked later. Answers so far are lost unless `llm`
            caches them.
    """
    verdicts = {_name(sentence): sentence for sentence in earlier if sentence.checked_by == "model"}
    waiting = {
        _name(sentence): sentence
        for sentence in statements
        if sentence.status == "not_checked" and sentence.snippet
    }
    turn = asyncio.Semaphore(AT_ONCE)

    async def judge(sentence: CheckedSentence) -> CheckedSentence:
        async with turn:
            return await _verdict_on(llm, sentence, evidence)

    fresh = [judge(sentence) for name, sentence in waiting.items() if name not in verdicts]
    verdicts |= {_name(verdict): verdict for verdict in await asyncio.gather(*fresh)}
    return [_with(sentence, verdicts.get(_name(sentence))) for sentence in statements]


def items_of(claims: Iterable[CheckedSentence], locations: dict[str, str]) -> list[CritiqueItem]:
    return [
        CritiqueItem(
            category="accuracy",
            severity=severity,
            location=locations.get(sentence.place, sentence.place),
            description=f"{verdict}: “{excerpt(sentence.text)}” ({sentence.reason})",
            suggested_fix="Say what the source says, or leave it out.",
            found_by="model",
        )
        for sentence in claims
        if sentence.checked_by == "model" and sentence.status in _FAULTS
        for severity, verdict in [_FAULTS[sentence.status]]
    ]


async def _verdict_on(
    llm: LLMProvider, sentence: CheckedSentence, evidence: Evidence
) -> CheckedSentence:
    cited = [evidence.by_key[key] for key in sentence.keys if key in evidence.by_key]
    claim = shown_to_model(without_citations(sentence.text), 3 * LONGEST)
    block = data_block([{"sentence": claim}, *_records(sentence, cited, evidence)])
    message = f"The sentence and the words that it cites:\n{block}"
    try:
        answer = await ask(llm, SupportAnswer, load_prompt("report_support"), message)
    except LLMRateLimitError:
        raise
    except LLMError as error:
        return sentence.model_copy(update={"reason": f"the model gave no verdict: {error}"})
    words = next(filter(None, (locate(answer.words, source) for source in cited)), None)
    if len(tokens(answer.words)) < _FEWEST:
        words = None
    if words is None and answer.verdict != "not":
        reason = "the model did not quote the source's words for its verdict"
        return sentence.model_copy(update={"reason": reason})
    changes: dict[str, Any] = {
        "status": "unsupported" if answer.verdict == "not" else answer.verdict,
        "checked_by": "model",
        "reason": shown_to_model(answer.reason, 300) or "",
    }
    return sentence.model_copy(update=changes | ({"snippet": words} if words else {}))


def _records(
    sentence: CheckedSentence, cited: Sequence[SearchResult], evidence: Evidence
) -> list[dict[str, Any]]:
    """Return the closest words of each source to a sentence, with their context."""
    records = []
    for source in cited[:_MAX_SOURCES]:
        quote = closest_quote(sentence.text, [source], evidence)
        if quote is not None:
            words = shown_to_model(_around(quote, source), 3 * LONGEST)
            records.append({"title": shown_to_model(source.title, 300), "words": words})
    return records


def _around(quote: Quote, source: SearchResult) -> str:
    """Return the sentences of a quotation, with one before and one after."""
    if quote.part == "title":
        return source.title
    whole = sentences(source.text)
    own = [
        n
        for n, sentence in enumerate(whole)
        if sentence.start < quote.end and sentence.end > quote.start
    ]
    first, last = whole[max(0, own[0] - 1)], whole[min(len(whole), own[-1] + 2) - 1]
    return source.text[first.start : last.end]


def _name(sentence: CheckedSentence) -> tuple[str, ...]:
    return (" ".join(sentence.text.split()), *sentence.keys)


def _with(sentence: CheckedSentence, verdict: CheckedSentence | None) -> CheckedSentence:
    if verdict is None or sentence.status != "not_checked":
        return sentence
    fields = ("status", "checked_by", "reason", "snippet")
    return sentence.model_copy(update={name: getattr(verdict, name) for name in fields})
