"""What a draft states: its sentences with what they cite, and which speak of the report itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from paper_search.report.citations import cited_keys, without_citations
from paper_search.report.evidence import sentences
from paper_search.report.models import ResearchDraft
from paper_search.report.passages import WORD, content_stems
from paper_search.report.quotations import quotations, without_quotations
from paper_search.skills.words import stem_set, tokens

_OPENER = re.compile(
    r"^(?:[-*•\d.)\s]*)(?:\*\*)?(?:"
    r"(?:this|the|our|each|every) (?:report|review|section|summary|document|analysis|search"
    r"|next section|following|evidence|conclusion|sub-question)"
    r"|(?:no|every|neither|none of the|one|another|the|these|of) ?(?:\w+ )?(?:sources?"
    r"|sub-questions?|themes?|two sources|finding)"
    r"|question:|sentences were|a finding is|themes are|whether these|it (?:leaves|searched|names)"
    r"|depth (?:quick|standard|comprehensive)|kinds of search|records of one work"
    r"|we (?:asked?|searched|collected|review(?:ed)?))\b",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"^(?:methods? and limitations?|methodology|limitations?|how this report)", re.IGNORECASE
)
_ASKING = re.compile(
    r"\b(?:whether|if|which|what|how|why|where|when|who)\b[^.;:!]{0,400}", re.IGNORECASE
)
_WHETHER = re.compile(r"\bwhether\b[^.;:!?]{0,400}", re.IGNORECASE)
_ASSERTING = re.compile(
    r"\b(?:(?:find|found|show|conclude|confirm|demonstrate|prove|establish|reveal|report|state"
    r"|indicate|suggest|agree|doubt|den(?:y|ie))(?:s|d|ed|es|n)? (?:\w+ ){0,2}?that\b|no doubt"
    r"|(?:is|are|was|were|be|becomes?|remains?) (?:\w+ )?(?:safe|unsafe|effective|ineffective"
    r"|superior|inferior|better|worse|best|worst|lethal|deadly|harmful|harmless|dangerous|useless"
    r"|proven|true|false|beneficial|necessary|good|bad)\b"
    r"|(?:affect|alleviat|ban|boost|caus|cur|damag|decreas|diminish|eliminat|enhanc|fail|harm|heal"
    r"|help|improv|increas|induc|kill|lead|lower|outperform|prevent|produc|promot|prolong|protect"
    r"|rais|reduc|reliev|replac|revers|shorten|slow|solv|stop|surpass|treat|trigger|worsen|work)"
    r"(?:e|es|ed|s)?\b(?! (?:were|was|are|is) (?:searched|collected|merged)))",
    re.IGNORECASE,
)
_VOCABULARY = frozenset(
    tokens(
        "report section summary document analysis review search source sub question answer read "
        "compare group cite quote quotation name leave left open close rest graded grade strong "
        "moderate weak gap finding found theme term share word sentence statement title text "
        "abstract full model language code check person reader judge limit limitation method data "
        "study studies paper work publication published year collect record database query web "
        "page article news result evidence introduction background scope conclusion discussion "
        "overview detail measured following next draw ask order put together mark own add none "
        "kind merged matched depth quick standard comprehensive part chosen choose fetched "
        "available only engine show shown out retracted program addresses instead sort best "
        "reported known main key small wide large cannot say said come came first second newer "
        "last rare counting relevance relevant dispute disagreement contradict contradiction "
        "opposite eye need rely made make stand standing truth plan academic technical executive "
        "run version total excluded included screened criteria caution bias future nearest "
        "far themselves nothing closer above below give gave same alone least appendix table "
        "figure list note contents hit supported unsupported checked one two three "
        "four five six seven eight nine ten eleven twelve"
    )
)
"""What a sentence about the report is made of."""


@dataclass(frozen=True)
class Frames:
    """Tells sentences of the report itself from statements.

    `known`: texts of plan and analysis. `sources`: texts whose words a heading or an announcement
    may use. `is_composed`: the program itself put the text together, and no person changed it.
    """

    known: tuple[str, ...]
    sources: tuple[str, ...] = ()
    is_composed: bool = False

    def is_frame(self, sentence: str, location: str, *, is_heading: bool = False) -> bool:
        """Whether a sentence states nothing of the world.

        That is so if it opens like one on the report (or stands in a section on methods), asserts
        nothing, and has no word but those of reports, of the question and of the sources.
        """
        plain = without_citations(sentence).strip()
        repeated = self._without_known(plain)
        own = without_quotations(repeated)
        if not WORD.search(own):  # nothing but what is asked, or but a quotation
            return not WORD.search(repeated)
        is_opening = _OPENER.match(plain) is not None or plain.endswith(("?", ":", "？", "："))
        is_opening |= is_heading
        is_of_method = _SECTION.search(location) is not None
        if self.is_composed and plain == sentence.strip() and (is_opening or is_of_method):
            return True
        stems = set(content_stems(_WHETHER.sub(" ", own))) - _VOCABULARY
        if not stems:
            return True
        if _ASSERTING.search(_ASKING.sub(" ", own)):
            return False
        allowed = self._words | self._source_words if is_opening else self._words
        return (is_opening or is_of_method) and stems <= allowed

    def unknown(self, heading: str) -> list[str]:
        """Return the words of a heading that neither the plan nor a source has."""
        own = self._without_known(without_quotations(without_citations(heading)))
        allowed = self._words | self._source_words | _VOCABULARY
        return [
            word
            for word in WORD.findall(own)
            if (stems := set(content_stems(word))) and not stems <= allowed
        ]

    @cached_property
    def _words(self) -> frozenset[str]:
        return stem_set(self.known)

    @cached_property
    def _source_words(self) -> frozenset[str]:
        return stem_set(self.sources)

    def _without_known(self, text: str) -> str:
        """Return a text without the questions that it repeats word for word."""
        for known in self.known:
            asked = known.strip(" .?？")
            if len(asked.split()) > 2:  # noqa: PLR2004  # a phrase, not a word
                text = re.sub(re.escape(asked), " ", text, flags=re.IGNORECASE)
        return text


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
    """Return the sentences of a draft, in order; a heading is one, a table's row too."""
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

    `number` is that of the question at which a person wrote this version; None: no person did, and
    of their earlier sentences those count that are still there.
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
