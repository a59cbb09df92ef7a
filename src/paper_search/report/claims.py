"""The sentences of a draft that state something, each with where it stands and what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paper_search.report.citations import cited_keys, without_citations
from paper_search.report.models import ResearchDraft
from paper_search.report.quotations import quotations
from paper_search.report.sentences import sentences

_ABOUT_ITSELF = re.compile(
    r"^(?:[-*•\d.)\s]*)(?:\*\*)?(?:"
    r"(?:this|the|our) (?:report|review|section|summary|document|analysis|next section|following"
    r"|evidence (?:above|below)|search|conclusion|sub-question)"
    r"|(?:no|every|neither|none of the) (?:source|sub-question|theme|two sources)"
    r"|the (?:collected )?sources (?:do not|leave|say nothing)|question:"
    r"|sentences were|a finding is|themes are|of \w+ sources?,|whether these|it leaves"
    r"|confidence in|depth (?:quick|standard|comprehensive)|kinds of search|records of one work"
    r"|we (?:ask|searched|collected|review)|in (?:summary|this section|the next section))\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6}\s")
_FRAME_SECTIONS = re.compile(
    r"^(?:methods? and limitations?|methodology|limitations?|how this report)", re.IGNORECASE
)
_SHORTEST = 4
_LIST_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•]|\d+\.)[ \t]+")


@dataclass(frozen=True)
class Claim:
    """One sentence and what it rests on."""

    text: str
    location: str
    keys: tuple[str, ...]
    is_claim: bool
    """Whether it states something of the world and not of the report itself."""


def texts_of(draft: ResearchDraft) -> list[tuple[str, str]]:
    """Return the texts of a draft with where they stand."""
    parts = [("title", draft.title), ("abstract", draft.abstract)]
    parts += [(each.title, each.content) for each in draft.sections]
    return [(place, text) for place, text in [*parts, ("conclusion", draft.conclusion)] if text]


def claims(draft: ResearchDraft) -> Iterator[Claim]:
    """Return the sentences of abstract, sections and conclusion, in order."""
    for place, text in texts_of(draft):
        if place == "title":
            continue
        is_frame = _FRAME_SECTIONS.search(place) is not None
        for sentence in _sentences(text):
            yield Claim(
                text=sentence,
                location=place,
                keys=tuple(cited_keys(sentence)),
                is_claim=not is_frame and _is_claim(sentence),
            )


def _sentences(text: str) -> Iterator[str]:
    """Return the sentences; a quotation is part of one, and a list item begins one."""
    letters = list(_LIST_ITEM.sub(lambda match: "\n\n" + " " * (len(match.group()) - 2), text))
    plain = "".join(letters)
    masked = list(plain)
    for each in quotations(plain):
        masked[each.start : each.end] = "q" * (each.end - each.start)
    for sentence in sentences("".join(masked)):
        yield " ".join(plain[sentence.start : sentence.end].split())


def _is_claim(sentence: str) -> bool:
    plain = without_citations(sentence).strip()
    if _HEADING.match(plain) or plain.endswith(("?", ":", "？", "：")):
        return False
    if len(plain.split()) < _SHORTEST:
        return False
    return _ABOUT_ITSELF.match(plain) is None
