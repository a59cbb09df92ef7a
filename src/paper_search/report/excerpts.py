"""What a model is shown of the sources: of a long text, its beginning and what is looked for."""

from __future__ import annotations

from typing import Any

from paper_search.report.evidence import LONGEST, Evidence, sentences
from paper_search.report.models import SearchResult
from paper_search.report.passages import content_stems
from paper_search.skills.untrusted import SUSPICIOUS, data_block, shown_to_model

_HEAD = 0.5
"""Share of what is shown that is the beginning: of a paper, its abstract."""
_LEFT_OUT = " … "


def sources_block(
    evidence: Evidence, count: int, chars: int, first: list[str] | None = None, about: str = ""
) -> str:
    """Return the most relevant sources as data that a model may quote and must not obey.

    Sources whose ids are in `first` go before the others; of texts longer than `chars`, the
    beginning and what is said `about` something are shown.
    """
    preferred = {source: number for number, source in enumerate(first or [])}
    ranked = sorted(
        evidence.usable,
        key=lambda source: (
            preferred.get(source.result_id, len(preferred)),
            -source.relevance_score,
            source.result_id,
        ),
    )
    wanted = frozenset(content_stems(about))
    records = [_record(evidence, source, chars, wanted) for source in ranked[:count]]
    return data_block(records)


def _record(
    evidence: Evidence, result: SearchResult, chars: int, wanted: frozenset[str]
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "key": evidence.key_of(result.result_id),
        "title": shown_to_model(result.title, 300),
        "year": result.year,
        "type": result.metadata.get("source_type", "web"),
        "text": shown_to_model(_excerpt(result.text, chars, wanted), chars) or "",
    }
    if result.metadata.get("is_suspicious"):
        record["warning"] = SUSPICIOUS
    return record


def _excerpt(text: str, chars: int, wanted: frozenset[str]) -> str:
    """Return at most so many characters of a text, in its order, an ellipsis for what is left out.

    Without stems that are wanted, it is the beginning alone.
    """
    if len(text) <= chars or not wanted:
        return text[:chars]
    head = text[: int(chars * _HEAD)]
    after = (sentence for sentence in sentences(text) if sentence.start >= len(head))
    ranked = sorted(
        (sentence for sentence in after if len(sentence.text) <= LONGEST),
        key=lambda sentence: (-len(sentence.stems & wanted), sentence.start),
    )
    room = chars - len(head)
    kept = []
    for sentence in ranked:
        if not sentence.stems & wanted:
            break
        if len(sentence.text) + len(_LEFT_OUT) <= room:
            kept.append(sentence)
            room -= len(sentence.text) + len(_LEFT_OUT)
    kept.sort(key=lambda sentence: sentence.start)
    return "".join([head, *(f"{_LEFT_OUT}{sentence.text}" for sentence in kept)])
