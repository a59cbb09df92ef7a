"""The table of evidence: each paper with its type, decision and best sentences."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from paper_search.bibliography.publication_types import type_name
from paper_search.report.evidence import LONGEST, Evidence, Sentence, sentences
from paper_search.report.models import Quote, SearchResult, Study
from paper_search.skills.untrusted import SUSPICIOUS, data_block, shown_to_model
from paper_search.skills.words import GENERIC, STOP_WORDS, tokens

_HEAD = 0.5
"""Share of an excerpt for the beginning, which is the abstract of a paper."""
_LEFT_OUT = " … "


def sources_block(
    evidence: Evidence, count: int, chars: int, about: str, first: Sequence[str] = ()
) -> str:
    """Return the most relevant sources as a data block for a model.

    Sources whose ids are in `first` come first. Texts longer than `chars` are cut to their
    beginning and sentences `about` the topic.
    """
    preferred = {source: number for number, source in enumerate(first)}
    ranked = sorted(
        evidence.usable,
        key=lambda source: (
            preferred.get(source.result_id, len(preferred)),
            -source.relevance_score,
            source.result_id,
        ),
    )
    topic = frozenset(content_stems(about))
    return data_block([_record(evidence, source, chars, topic) for source in ranked[:count]])


def _record(
    evidence: Evidence, result: SearchResult, chars: int, topic: frozenset[str]
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "key": evidence.key_of(result.result_id),
        "title": shown_to_model(result.title, 300),
        "year": result.year,
        "type": result.metadata.get("source_type", "web"),
        "text": shown_to_model(_excerpt(result.text, chars, topic), chars) or "",
    }
    if result.metadata.get("is_suspicious"):
        record["warning"] = SUSPICIOUS
    return record


def _excerpt(text: str, chars: int, topic: frozenset[str]) -> str:
    """Cut a text to `chars` characters, with an ellipsis for each omission."""
    if len(text) <= chars:
        return text
    limit = int(chars * _HEAD)
    head = text[:limit].rpartition(" ")[0] or text[:limit]
    after = (sentence for sentence in sentences(text) if sentence.start >= len(head))
    ranked = sorted(
        (sentence for sentence in after if len(sentence.text) <= LONGEST),
        key=lambda sentence: (-len(sentence.stems & topic), sentence.start),
    )
    room = chars - len(head)
    excerpt = []
    for sentence in ranked:
        if not sentence.stems & topic:
            break
        if len(sentence.text) + len(_LEFT_OUT) <= room:
            excerpt.append(sentence)
            room -= len(sentence.text) + len(_LEFT_OUT)
    excerpt.sort(key=lambda sentence: sentence.start)
    return "".join([head, *(f"{_LEFT_OUT}{sentence.text}" for sentence in excerpt)])


WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
"""A word with its hyphens and apostrophes."""
NOT_STATED = "not stated"
_PER_STUDY = 3
_SHORTEST = 5
"""Minimum words of a quoted sentence."""
_LONGEST_KIND = 60
_PAGES = {"web": "web page", "news": "news"}


def content_stems(text: str) -> list[str]:
    skipped = STOP_WORDS | GENERIC
    words = WORD.findall(text.casefold())
    content = [word for word in words if word not in skipped and len(word) > 1]
    return list(dict.fromkeys(stem for word in content for stem in tokens(word)))


def studies_on(question: str, evidence: Evidence) -> list[Study]:
    """Return every usable source, most relevant first, with its best sentences.

    The best share most words with the question, rare words counting more. They are not
    interpreted.
    """
    weights = _weights(question, evidence.usable)
    return [
        Study(
            result_id=source.result_id,
            quotes=[
                Quote(result_id=source.result_id, **asdict(sentence))
                for sentence in _best(evidence.sentences[source.result_id], weights)
            ],
        )
        for source in sorted(evidence.usable, key=lambda source: -source.relevance_score)
    ]


NOTHING_BEARS = (
    "No sentence has, together with the title of its paper, half of the question's words, so none "
    "is considered relevant to it"
)


def bears_on(question: str, study: Study, source: SearchResult) -> bool:
    """Whether a quote shares a word with the question, and with the title half of its words."""
    stems = set(content_stems(question))
    title = stems & set(tokens(source.title))
    shared = [stems & set(tokens(quote.text)) for quote in study.quotes]
    return any(own and 2 * len(own | title) >= len(stems) for own in shared)


def _weights(question: str, sources: Sequence[SearchResult]) -> dict[str, float]:
    """Return the weight of each stem of the question, by rarity among the sources."""
    counts: Counter[str] = Counter()
    for source in sources:
        counts.update(set(tokens(f"{source.title} {source.text}")))
    total = len(sources) + 1
    return {s: math.log(1 + total / (0.5 + counts[s])) for s in content_stems(question)}


def _best(sentences: Sequence[Sentence], weights: dict[str, float]) -> list[Sentence]:
    shared = {
        sentence: sum(weight for stem, weight in weights.items() if stem in sentence.stems)
        for sentence in sentences
        if len(sentence.text) <= LONGEST and len(sentence.text.split()) >= _SHORTEST
    }
    ranked = sorted(shared, key=lambda sentence: (-shared[sentence], sentence.start))
    return [sentence for sentence in ranked if shared[sentence]][:_PER_STUDY]


def kind_of(source: SearchResult) -> str:
    page = _PAGES.get(str(source.metadata.get("source_type")))
    kind = type_name(str(source.metadata.get("publication_type") or page or ""))
    parts = [kind[:_LONGEST_KIND], str(source.metadata.get("venue") or "")]
    return ", ".join(filter(None, parts)) or NOT_STATED


def quoted(text: str) -> str:
    """Return words in quotation marks, without a final full stop; marks inside become single."""
    inner = text.strip().rstrip(".").translate(str.maketrans('“”„«»"', "''''''"))
    return f"“{inner}”"


def quoted_sentences(study: Study, source: SearchResult) -> str:
    if study.quotes:
        return " ".join(quoted(quote.text) + _page_of(quote, source) for quote in study.quotes)
    nothing = "no sentence on it" if source.text else "no text to read"
    return f"{nothing}; its title: {quoted(source.title)}"


def _page_of(quote: Quote, source: SearchResult) -> str:
    """Return the page of a PDF on which a quote begins, in brackets, or an empty string."""
    starts: list[int | None] = source.metadata.get("page_starts") or []
    begun = [n for n, start in enumerate(starts, 1) if start is not None and start <= quote.start]
    page = begun[-1] if begun and quote.part == "text" else None
    is_sure = page is not None and (page == len(starts) or starts[page] is not None)
    return f" (page {page})" if is_sure else ""


def table_text(studies: Sequence[Study], evidence: Evidence) -> str:
    """Return the table as editable text: quoted sentences, or titles where there are none."""
    lines = []
    for study in studies:
        source = evidence.by_id[study.result_id]
        texts = [quote.text for quote in study.quotes] or [source.title]
        lines += [f"- {quoted(text)} [@{evidence.key_of(study.result_id)}]." for text in texts]
    return "\n".join(lines) or "No source is left to quote."
