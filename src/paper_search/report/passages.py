"""The table of evidence: each paper with what it is, who decided on it, and its best sentences."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from paper_search.report.evidence import LONGEST, Evidence, Sentence, author_year
from paper_search.report.models import Quote, SearchResult, Study
from paper_search.skills.stop_words import GENERIC, STOP_WORDS
from paper_search.skills.words import tokens

WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
"""A word as a sentence spells it, with its hyphens and apostrophes."""
NOT_STATED = "not stated"
_PER_STUDY = 3
_SHORTEST = 5
"""Words of a sentence that says something."""
_LONGEST_KIND = 60
_PAGES = {"web": "web page", "news": "news"}


def content_stems(text: str) -> list[str]:
    """Return the stems of a text's words that mean something."""
    skipped = STOP_WORDS | GENERIC
    words = WORD.findall(text.casefold())
    kept = [word for word in words if word not in skipped and len(word) > 1]
    return list(dict.fromkeys(stem for word in kept for stem in tokens(word)))


def studies_on(question: str, evidence: Evidence) -> list[Study]:
    """Return every usable source, the most relevant first, with its best sentences.

    The best are those that share most with the question, rare words counting more. What they say
    is for a reader: no word is taken for an answer.
    """
    weights = _weights(question, evidence.usable)
    return [
        Study(
            result_id=source.result_id,
            quotes=[
                Quote(
                    result_id=source.result_id,
                    text=sentence.text,
                    start=sentence.start,
                    end=sentence.end,
                )
                for sentence in _best(evidence.sentences[source.result_id], weights)
            ],
        )
        for source in sorted(evidence.usable, key=lambda source: -source.relevance_score)
    ]


def _weights(question: str, sources: Sequence[SearchResult]) -> dict[str, float]:
    """Return what each stem of the question counts: the rarer among the sources, the more."""
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
    """Return what a source is by its record: how and where it was published."""
    page = _PAGES.get(str(source.metadata.get("source_type")))
    kind = str(source.metadata.get("publication_type") or page or "").replace("_", " ")
    parts = [kind.replace("-", " ")[:_LONGEST_KIND], str(source.metadata.get("venue") or "")]
    return ", ".join(filter(None, parts)) or NOT_STATED


def decided_by(source: SearchResult) -> str:
    """Return who decided that a source belongs here."""
    return str(source.metadata.get("decided_by") or NOT_STATED)


def author_names(source: SearchResult) -> str:
    """Return who wrote a source, as `author_year` names them."""
    return author_year(source).rpartition(", ")[0]


def quoted(text: str) -> str:
    """Return words in quotation marks, without the full stop at their end.

    Marks inside become single ones, so that the outer ones stay a pair.
    """
    inner = text.strip().rstrip(".").translate(str.maketrans('“”„«»"', "''''''"))
    return f"“{inner}”"


def quoted_sentences(study: Study, source: SearchResult) -> str:
    """Return the sentences of a study, word for word."""
    if study.quotes:
        return " ".join(quoted(quote.text) for quote in study.quotes)
    return "no sentence on it" if source.text else "no text to read but its title"


def table_text(studies: Sequence[Study], evidence: Evidence) -> str:
    """Return the table as text that a person can edit: quoted sentences, else the quoted title."""
    lines = []
    for study in studies:
        source = evidence.by_id[study.result_id]
        texts = [quote.text for quote in study.quotes] or [source.title]
        lines += [f"- {quoted(text)} [@{evidence.key_of(study.result_id)}]." for text in texts]
    return "\n".join(lines) or "No source is left to quote."
