"""What a draft states: its sentences with where they stand and what they cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paper_search.report.citations import cited_keys
from paper_search.report.frames import Frames
from paper_search.report.models import ResearchDraft
from paper_search.report.quotations import quotations
from paper_search.report.sentences import sentences

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
    """One text of a draft."""

    name: str
    """As `CheckedSentence.place`."""
    location: str
    """As people know it."""
    text: str


@dataclass(frozen=True)
class Claim:
    """One sentence, where it stands and what it rests on."""

    text: str
    place: Place
    start: int
    end: int
    keys: tuple[str, ...]
    is_heading: bool
    is_claim: bool
    """Whether it states something of the world and not of the report itself."""

    @property
    def location(self) -> str:
        """Return where it stands, as people know it."""
        return self.place.location


def places(draft: ResearchDraft) -> list[Place]:
    """Return the texts of a draft, in order; headings of sections are among them."""
    found = [Place("title", "title", draft.title), Place("abstract", "abstract", draft.abstract)]
    for part in draft.sections:
        found.append(Place(f"{part.section_id}.title", part.title, part.title))
        found.append(Place(part.section_id, part.title, part.content))
    found.append(Place("conclusion", "conclusion", draft.conclusion))
    return [place for place in found if place.text]


def claims(draft: ResearchDraft, frames: Frames) -> Iterator[Claim]:
    """Return the sentences of all texts of a draft, in order; a heading is one, a table's row too.

    Args:
        draft: what is read.
        frames: tells what is said of the report itself.
    """
    for place, start, end in _cut(draft):
        text = " ".join(place.text[start:end].split())
        is_title = place.name.endswith("title")
        is_heading = is_title or _HEADING.match(place.text[start:]) is not None
        yield Claim(
            text=text,
            place=place,
            start=start,
            end=end,
            keys=tuple(cited_keys(text)),
            is_heading=is_heading,
            is_claim=not frames.is_frame(text, place.location, is_heading=is_heading),
        )


def written_by_persons(
    draft: ResearchDraft, before: ResearchDraft | None, number: int | None
) -> dict[str, int]:
    """Return the sentences of a draft that persons wrote, as `ResearchDraft.written_at`.

    Args:
        draft: the version.
        before: the version that it was made from; None: there is none.
        number: of the question at which a person wrote this version; None: no person did, and of
            their earlier sentences those count that are still there.
    """
    if before is None:
        return {}
    known = set(_texts(before))
    new = {} if number is None else {text: number for text in _texts(draft) if text not in known}
    return {
        text: before.written_at[text] for text in _texts(draft) if text in before.written_at
    } | new


def _texts(draft: ResearchDraft) -> Iterator[str]:
    for place, start, end in _cut(draft):
        yield " ".join(place.text[start:end].split())


def _cut(draft: ResearchDraft) -> Iterator[tuple[Place, int, int]]:
    """Return where each sentence of a draft stands."""
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
