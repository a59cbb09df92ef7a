"""Whether a source bears a sentence: one question to a model for each, which sees nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from paper_search.errors import LLMError, LLMRateLimitError
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.prompts import load_prompt
from paper_search.report.citations import without_citations
from paper_search.report.evidence import LONGEST, Evidence, sentences
from paper_search.report.models import (
    CheckedSentence,
    CritiqueItem,
    Quote,
    SearchResult,
    Severity,
    Support,
)
from paper_search.report.quotations import located
from paper_search.report.subject import closest, shown
from paper_search.skills.untrusted import data_block, shown_to_model

AT_ONCE = 4
"""Questions that a model is asked at the same time."""
_MAX_SOURCES = 4
"""Of one sentence."""
_STATUS: dict[str, Support] = {
    "supported": "supported",
    "partly": "partly",
    "not": "unsupported",
    "contradicted": "contradicted",
}
_SEVERITY: dict[Support, Severity] = {
    "contradicted": "critical",
    "unsupported": "major",
    "partly": "minor",
}
_TOLD: dict[Support, str] = {
    "contradicted": "The source says the opposite",
    "unsupported": "The source does not say this",
    "partly": "The source says only part of this",
}


class SupportAnswer(BaseModel):
    """What a model says of one sentence."""

    verdict: Literal["supported", "partly", "not", "contradicted"]
    words: str = ""
    reason: str = ""


async def supported(
    llm: LLMProvider,
    given: Sequence[CheckedSentence],
    evidence: Evidence,
    known: Iterable[CheckedSentence] = (),
) -> list[CheckedSentence]:
    """Return the sentences; those that code could not judge have a model's verdict.

    A sentence that was judged before is not asked about again, nor one that stands twice. Where the
    model gives no answer, a sentence stays as it is and says so. `known`: sentences of an earlier
    version.

    Raises:
        LLMRateLimitError: the model wants to be asked later; what it answered is not lost, if the
            model that is passed in keeps its answers.
    """
    verdicts = {_name(each): each for each in known if each.checked_by == "model"}
    waiting = {_name(each): each for each in given if each.status == "not_checked" and each.snippet}
    turn = asyncio.Semaphore(AT_ONCE)

    async def judge(sentence: CheckedSentence) -> CheckedSentence:
        async with turn:
            return await _judged(llm, sentence, evidence)

    fresh = [judge(each) for name, each in waiting.items() if name not in verdicts]
    verdicts |= {_name(each): each for each in await asyncio.gather(*fresh)}
    return [_with(each, verdicts.get(_name(each))) for each in given]


def items_of(given: Iterable[CheckedSentence], locations: dict[str, str]) -> list[CritiqueItem]:
    """Return what a model found unsupported as items of a critique."""
    return [
        CritiqueItem(
            category="accuracy",
            severity=_SEVERITY[each.status],
            location=locations.get(each.place, each.place),
            description=f"{_TOLD[each.status]}: “{shown(each.text)}” ({each.reason})",
            suggested_fix="Say what the source says, or leave it out.",
            found_by="model",
        )
        for each in given
        if each.checked_by == "model" and each.status in _SEVERITY
    ]


async def _judged(
    llm: LLMProvider, sentence: CheckedSentence, evidence: Evidence
) -> CheckedSentence:
    cited = [evidence.by_key[key] for key in sentence.keys if key in evidence.by_key]
    told = shown_to_model(without_citations(sentence.text), 3 * LONGEST)
    block = data_block([{"sentence": told}, *_records(sentence, cited, evidence)])
    message = f"The sentence and the words that it cites:\n{block}"
    try:
        answer = await ask(llm, SupportAnswer, load_prompt("report_support"), message)
    except LLMRateLimitError:
        raise
    except LLMError as error:
        return sentence.model_copy(update={"reason": f"the model gave no verdict: {error}"})
    words = next(filter(None, (located(answer.words, source) for source in cited)), None)
    if words is None and answer.verdict in {"supported", "partly"}:
        reason = "the model did not name the words of the source that bear it"
        return sentence.model_copy(update={"reason": reason})
    found: dict[str, Any] = {
        "status": _STATUS[answer.verdict],
        "checked_by": "model",
        "reason": shown_to_model(answer.reason, 300) or "",
    }
    return sentence.model_copy(update=found | ({"snippet": words} if words else {}))


def _records(
    sentence: CheckedSentence, cited: Sequence[SearchResult], evidence: Evidence
) -> list[dict[str, Any]]:
    """Return for each source the words that are closest to a sentence, with what stands around."""
    found = []
    for source in cited[:_MAX_SOURCES]:
        quote = closest(sentence.text, [source], evidence)
        if quote is not None:
            words = shown_to_model(_around(quote, source), 3 * LONGEST)
            found.append({"title": shown_to_model(source.title, 300), "words": words})
    return found


def _around(quote: Quote, source: SearchResult) -> str:
    """Return the sentences of a quotation with one before them and one behind."""
    if quote.part == "title":
        return source.title
    whole = sentences(source.text)
    own = [n for n, each in enumerate(whole) if each.start < quote.end and each.end > quote.start]
    if not own:
        return quote.text
    first, last = whole[max(0, own[0] - 1)], whole[min(len(whole), own[-1] + 2) - 1]
    return source.text[first.start : last.end]


def _name(sentence: CheckedSentence) -> tuple[str, ...]:
    return (" ".join(sentence.text.split()), *sentence.keys)


def _with(sentence: CheckedSentence, verdict: CheckedSentence | None) -> CheckedSentence:
    if verdict is None or sentence.status != "not_checked":
        return sentence
    fields = ("status", "checked_by", "reason", "snippet")
    return sentence.model_copy(update={name: getattr(verdict, name) for name in fields})
