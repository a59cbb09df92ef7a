"""Negations and preferences in a question."""

import re
from dataclasses import dataclass, field

from paper_search.query.prose import SMALL_WORDS
from paper_search.skills.intent.clauses import kind_at
from paper_search.skills.intent.forms import (
    STOP,
    ParsedQuestion,
    around,
    form,
    matches,
    without_spans,
)
from paper_search.skills.phrases import phrases, without_request
from paper_search.skills.words import BREAKS, STOP_WORDS, tokens, word_table

_OF_TELEGRAMS = {"no", "not", "and", "or", "minus", "but"}
_LONGEST_LIST = 2_000
"""In characters, since a list of negations is read once for each of them."""
_OF_FEW = {"no", "inside"}
"""Cues after which commas rarely separate exclusions."""
_NO_CONTENT = STOP_WORDS | word_table("more breaks") | {"one", "ones"}
_THIRD_PERSON = {f"{verb}s" for verb in word_table("verbs") - word_table("also nouns")}
_FINITE = _THIRD_PERSON | word_table("finite")
"""Verbs that make a statement, whose object is not an excluded term."""


@dataclass
class _Negation:
    cue: str
    start: int
    end: int
    is_first: bool  # no topic before it
    terms: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    is_choice: bool = False
    is_sure: bool = False

    @property
    def names(self) -> list[str]:
        return self.terms or self.kinds


def read_exclusions(reading: ParsedQuestion, *, is_english: bool = True) -> None:
    """Read exclusions; there are forms for English and for six other languages.

    A negation that may be part of the topic ("learning without labels") excludes nothing, since a
    wrong exclusion hides papers; a note explains how to exclude it. Negations and preferences are
    removed from `subject`.
    """
    text, limits = reading.question, reading.constraints
    negations = _negations(text, "exclusion" if is_english else "foreign_exclusion")
    reading.subject = without_spans(text, *((one.start, one.end) for one in negations))
    reading.cut(*((one.start, one.end) for one in negations if one.is_sure or not one.names))
    rest = f" {' '.join(tokens(reading.question))} "
    for negation in negations:
        wording = text[negation.start : negation.end].strip(" ,;:(.–—")
        if negation.cue == "hedge":
            reading.notes.append(f"{wording!r} is used for ranking, not required")
        elif not negation.names:
            reading.leave(repr(wording), "to exclude papers, write 'excluding' a term", "excluded")
        elif not negation.is_sure:
            reading.notes.append(
                f"{wording!r} is read as part of the subject; to exclude papers, write"
                f" 'excluding {negation.names[0]}'"
            )
        else:
            limits.excluded_types = list(dict.fromkeys([*limits.excluded_types, *negation.kinds]))
            for term in negation.terms:
                is_asked_for = f" {' '.join(tokens(term))} " in rest
                if is_asked_for or term.casefold() in BREAKS:  # most services take "US" for "us"
                    why = (
                        "the question asks for it" if is_asked_for else "most papers have the word"
                    )
                    reading.note_left(f"{term!r} is not excluded, because {why}", "excluded")
                elif term not in reading.excluded:
                    reading.excluded.append(term)


def _negations(text: str, table: str) -> list[_Negation]:
    apart: list[_Negation] = []
    cues = sorted(matches(table, text), key=lambda cue: cue[1].start())
    names = phrases(text[:_LONGEST_LIST]) if cues else []
    subjects = (one.start for one in names if not (one.is_empty or kind_at(one.text, 0)))
    subject = min(next(subjects, len(text)), (text + ";").index(";"))
    for cue, match in cues:
        if not apart or match.start() >= apart[-1].end:
            negation = _negation(cue, match, is_first=match.start() <= subject)
            apart += [negation] if negation else []
    return apart


def _negation(cue: str, match: re.Match[str], *, is_first: bool) -> _Negation | None:
    """Return a cue with its terms and kinds; None if it has none or does not exclude."""
    negation, text = _Negation(cue, *match.span(), is_first=is_first), match.string
    if cue == "hedge":
        negation.terms = [match[0]]
    elif "term" in match.groupdict():
        _read_objects(negation, text[: match.end("term")], match.start("term"))
    else:
        _read_objects(negation, text, match.end())
    negation.end = max(negation.end, match.end())
    if not negation.names:
        if cue != "order" or is_first:
            return None
        negation.end += len(STOP.split(text[match.end() :], maxsplit=1)[0])
    certainty = _certainty(negation, text)
    negation.is_sure = certainty == "sure"
    before = f" {' '.join(tokens(text[: negation.start][-_LONGEST_LIST:]))} "
    if (
        negation.is_sure
        and negation.terms
        and f" {' '.join(tokens(negation.terms[-1]))} " in before
    ):
        negation.end += len(STOP.split(text[negation.end :], maxsplit=1)[0])  # "hoards from Spain"
    return negation if certainty in {"sure", "doubt"} else None


def _read_objects(negation: _Negation, text: str, start: int) -> None:
    if bracketed := form("negated", "bracketed").match(text, start):
        span, end = bracketed.span("list"), bracketed.end()
    else:
        filler = form("negated", "filler").match(text, start)
        first = filler.end() if filler else start
        size = "list" if negation.cue in _OF_FEW else "long list"
        size = "order list" if negation.cue == "order" else size
        size = "short list" if negation.is_first else size  # the topic follows a comma
        listed = form("negated", size).match(text, first, first + _LONGEST_LIST)
        span, end = listed.span() if listed else (0, 0), 0
    for one in form("negated", "object").finditer(text, *span):
        kind = kind_at(text, one.start("term"))
        if kind and form("negated", "rest").fullmatch(text[kind[1] : one.end("term")]):
            negation.kinds.append(kind[0])
            negation.end = max(kind[1], one.end())
        elif not _is_empty(one["term"]):
            negation.terms.append(one["term"].strip('" '))
            negation.end = one.end()
        elif not negation.names:
            return
    negation.end = max(negation.end, end) if negation.names else negation.end
    negation.is_choice = end > 0 or bool(form("negated", "or").search(text, *span))


def _is_empty(term: str) -> bool:
    words = term.partition(" of ")[0].split()
    return all(
        word.isdigit() or (word.casefold() in _NO_CONTENT and not word.isupper()) for word in words
    )


def _certainty(negation: _Negation, text: str) -> str | None:
    """Return `sure` or `doubt` for a negation that excludes, by the form of its outline.

    In the outline, "told" marks the subject of a statement ("no change was seen"), and "tells" the
    end of one ("but not pain").
    """
    behind = text[negation.end :].lstrip(" ,").partition(" ")[0]
    before = STOP.split(text[: negation.start])[-1].casefold().split()
    told = " ".join([*negation.terms, behind]).casefold().split()
    words = {*without_request(text).casefold().split()} - _OF_TELEGRAMS
    outline = [
        negation.cue,
        "choice" if negation.is_choice else "",
        "telegram" if SMALL_WORDS.isdisjoint(words) else "",
        "" if _FINITE.isdisjoint(told) else "told",
        "" if _THIRD_PERSON.isdisjoint(before) else "tells",
        *(f"kind:{kind}" for kind in negation.kinds),
    ]
    head = " ".join(filter(None, outline))
    return around("negation", text, negation.start, negation.end, head=f"{head} \ue003")
