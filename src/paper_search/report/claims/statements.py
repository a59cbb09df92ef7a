"""The sentences of a draft, each with where it stands and what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paper_search.report.claims.citations import cited_keys
from paper_search.report.claims.quotations import quotations
from paper_search.report.evidence import sentences
from paper_search.report.models import ResearchDraft

_MARKER = re.compile(r"[ \t]*(?:[-*•+]|\d+[.)])[ \t]+")
_LINE = re.compile(
    r"(?m)^(?:[ \t]*(?:[-*•+]|\d+[.)])[ \t]+|#{1,6}[ \t]|\||>|\*\*[^*\n]+\*\*[.:]?$)"
)
"""Where a line of its own begins: an item of a list, a heading, a row of a table, a quotation."""
_HEADING = re.compile(
    r"#{1,6}[ \t]|\*\*[^*\n]+\*\*[.:]?(?:\n|$)|\|[^\n]{0,600}\n\|(?:[ \t]*:?-+:?[ \t]*\|)+"
)
"""A heading inside a section, or the head of a table."""


@dataclass(frozen=True)
class Place:
    name: str
    """As `CheckedSentence.place`."""
    location: str
    """As people know it."""
    text: str


@dataclass(frozen=True)
class Statement:
    text: str
    place: Place
    start: int
    end: int
    keys: tuple[str, ...]
    is_heading: bool


def places(draft: ResearchDraft) -> list[Place]:
    """Return the texts of a draft, in order; headings of sections are among them."""
    texts = [Place("title", "title", draft.title), Place("abstract", "abstract", draft.abstract)]
    for part in draft.sections:
        texts.append(Place(f"{part.section_id}.title", part.title, part.title))
        texts.append(Place(part.section_id, part.title, part.content))
    texts.append(Place("conclusion", "conclusion", draft.conclusion))
    return [place for place in texts if place.text]


def statements(draft: ResearchDraft) -> Iterator[Statement]:
    """Return the sentences of a draft, in order; a heading is one, a table's row too."""
    for place, start, end in _sentence_places(draft):
        text = " ".join(place.text[start:end].split())
        is_heading = place.name.endswith("title") or bool(_HEADING.match(place.text[start:]))
        yield Statement(text, place, start, end, tuple(cited_keys(text)), is_heading)


def persons_sentences(
    draft: ResearchDraft, before: ResearchDraft | None, number: int | None
) -> dict[str, int]:
    """Return the sentences of a draft that persons wrote, as `ResearchDraft.written_at`.

    `number` is that of the question at which a person wrote this version; None: no person did, and
    of their earlier sentences those count that are still there.
    """
    if before is None:
        return {}
    earlier = set(_texts(before))
    new = {} if number is None else {text: number for text in _texts(draft) if text not in earlier}
    return {
        text: before.written_at[text] for text in _texts(draft) if text in before.written_at
    } | new


def _texts(draft: ResearchDraft) -> Iterator[str]:
    for place, start, end in _sentence_places(draft):
        yield " ".join(place.text[start:end].split())


def _sentence_places(draft: ResearchDraft) -> Iterator[tuple[Place, int, int]]:
    for place in places(draft):
        is_title = place.name.endswith("title")
        for start, end in [(0, len(place.text))] if is_title else _sentences(place.text):
            yield place, start, end


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Return where the sentences stand; a quotation is part of one, a list item begins one."""
    masked = list(text)
    for quoted in quotations(text):
        masked[quoted.start : quoted.end] = "q" * (quoted.end - quoted.start)
    plain = "".join(masked)
    own = {match.start() for match in _LINE.finditer(text)}
    after = {text.find("\n", start) + 1 for start in own if text[start] in "#|>*"} - {0}
    starts = sorted({0, *own, *after})
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        marker = _MARKER.match(plain, start)
        begin = marker.end() if marker else start
        for sentence in sentences(plain[begin:end]):
            yield begin + sentence.start, begin + sentence.end
