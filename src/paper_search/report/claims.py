"""What a draft states: its sentences with where they stand and what they cite, and its numbers."""

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
    parts += [(part.title, part.content) for part in draft.sections]
    return [
        (location, text) for location, text in [*parts, ("conclusion", draft.conclusion)] if text
    ]


def claims(draft: ResearchDraft) -> Iterator[Claim]:
    """Return the sentences of abstract, sections and conclusion, in order."""
    for location, text in texts_of(draft):
        if location == "title":
            continue
        is_frame = _FRAME_SECTIONS.search(location) is not None
        for sentence in _sentences(text):
            yield Claim(
                text=sentence,
                location=location,
                keys=tuple(cited_keys(sentence)),
                is_claim=not is_frame and _is_claim(sentence),
            )


def _sentences(text: str) -> Iterator[str]:
    """Return the sentences; a quotation is part of one, and a list item begins one."""
    letters = list(_LIST_ITEM.sub(lambda match: "\n\n" + " " * (len(match.group()) - 2), text))
    plain = "".join(letters)
    masked = list(plain)
    for quoted in quotations(plain):
        masked[quoted.start : quoted.end] = "q" * (quoted.end - quoted.start)
    for sentence in sentences("".join(masked)):
        yield " ".join(plain[sentence.start : sentence.end].split())


def _is_claim(sentence: str) -> bool:
    plain = without_citations(sentence).strip()
    if _HEADING.match(plain) or plain.endswith(("?", ":", "？", "：")):
        return False
    if len(plain.split()) < _SHORTEST:
        return False
    return _ABOUT_ITSELF.match(plain) is None


_NUMBER = re.compile(
    r"(?<![\w.])[-−]?\d{1,3}(?:[,\u202f]\d{3})+(?:\.\d+)?|(?<![\w.])[-−]?\d+(?:\.\d+)?|(?<=\w-)\d+"
)
_OF_THE_REPORT = re.compile(
    r"^\s*(?:sources?|sub-questions?|sections?|queries|searches|records?|findings?|themes?"
    r"|citations?|references?|gaps?)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"^(?:st|nd|rd|th)\b")
_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30",
    "fifty": "50", "hundred": "100", "half": "50",
}  # fmt: skip
_SCALED = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


def numbers(text: str) -> list[str]:
    """Return the numbers of a text that say something of the world, each once, in order.

    Counts of the report's own parts ("5 sources") and ordinals are none.
    """
    found = []
    for match in _NUMBER.finditer(text):
        rest = text[match.end() :]
        if _OF_THE_REPORT.match(rest) or _ORDINAL.match(rest):
            continue
        found.append(_plain(match.group()))
    return list(dict.fromkeys(found))


def stated(text: str) -> set[str]:
    """Return every number that a text can be said to state, also in words and as a share."""
    have = {_plain(match.group()) for match in _NUMBER.finditer(text)}
    have |= {number.lstrip("-") for number in have}
    for word in re.findall(r"[a-z]+", text.casefold()):
        if word in _WORDS:
            have.add(_WORDS[word])
    scaled = set()
    for match in re.finditer(
        r"(?<!\d)(\d+(?:\.\d+)?)\s{0,9}(thousand|million|billion)\b", text.casefold()
    ):
        scaled.add(_plain(str(int(float(match[1]) * _SCALED[match[2]]))))
    return have | scaled


def _plain(number: str) -> str:
    digits = number.replace(",", "").replace("\u202f", "").replace("−", "-")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return digits or "0"
