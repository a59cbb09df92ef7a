"""What a question does not want, and what it would rather have."""

import re
from dataclasses import dataclass, field
from itertools import groupby

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
"""Characters: a list of negations is read once for each of them."""
_LISTS = {"no": "list", "inside": "list", "sure": "sure list", "without": "sure list"}
_SAYING_NOTHING = STOP_WORDS | word_table("more breaks") | {"one", "ones"}
_THIRD_PERSON = {f"{verb}s" for verb in word_table("verbs") - word_table("also nouns")}
_FINITE = _THIRD_PERSON | word_table("finite")
"""Verbs that tell of a subject; what they tell of is no term that is not wanted."""


@dataclass
class _Negation:
    """A cue, and the terms and the kinds of publication that it names."""

    cue: str
    start: int
    end: int
    is_first: bool  # no subject stands before it
    terms: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    is_choice: bool = False
    is_sure: bool = False

    @property
    def names(self) -> list[str]:
        return self.terms or self.kinds


def read_exclusions(reading: ParsedQuestion, *, is_english: bool = True) -> None:
    """Read what the text excludes; in another language, by the forms of six.

    A negation that may be part of the subject ("learning without labels") excludes nothing, since a
    wrong exclusion hides papers: a note says how to. Neither that nor a wish is of the subject.
    """
    text, limits = reading.question, reading.constraints
    negations = _negations(text, "exclusion" if is_english else "foreign_exclusion")
    reading.subject = without_spans(text, *((one.start, one.end) for one in negations))
    reading.cut(*((one.start, one.end) for one in negations if one.is_sure or not one.names))
    rest = f" {' '.join(tokens(reading.question))} "
    for negation in negations:
        wording = text[negation.start : negation.end].strip(" ,;:(.–—")
        if negation.cue == "hedge" and negation.names:
            reading.notes.append(f"{wording!r} is ranked by, not required")
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
                if why := _objection(term, rest):
                    end = negation.end if term == negation.terms[-1] else 0
                    what = text[text.index(term, negation.start) : end].strip(' "') or term
                    reading.note_left(f"{what!r} is not excluded, because {why}", "excluded")
                elif term not in reading.excluded:
                    reading.excluded.append(term)


def _objection(term: str, rest: str) -> str | None:
    """Return why a term must not be excluded; "EU not US": most services ignore capitals."""
    if f" {' '.join(tokens(term))} " in rest:
        return f"the question asks for {term!r}"
    if term.casefold() in BREAKS:
        return f"every paper with the word {term.casefold()!r} would be"
    return None


def _negations(text: str, table: str) -> list[_Negation]:
    """Return the negations, without the cues in what another lists: a long list is read once."""
    apart: list[_Negation] = []
    cues = sorted(matches(table, text), key=lambda cue: cue[1].start())
    names = phrases(text[:_LONGEST_LIST]) if cues else []
    subjects = (one.start for one in names if not (one.is_empty or kind_at(one.text, 0)))
    subject = min(next(subjects, len(text)), (text + ";").index(";"))
    for start, group in groupby(cues, key=lambda cue: cue[1].start()):
        if not apart or start >= apart[-1].end:
            candidates = filter(None, (_negation(*cue, is_first=start <= subject) for cue in group))
            longest = max(candidates, key=lambda one: one.end, default=None)
            apart += [longest] if longest else []
    return apart


def _negation(cue: str, match: re.Match[str], *, is_first: bool) -> _Negation | None:
    """Return a cue with what it names; None: nothing, in no order, or it is part of a name."""
    negation, text = _Negation(cue, *match.span(), is_first=is_first), match.string
    is_of_author = match.start() and form("negated", "author").match(text, match.end())
    if cue == "hedge":
        negation.terms = [] if form("negated", "wish").match(match[0]) else [match[0]]
    elif "term" in match.groupdict():
        _read_objects(negation, text[: match.end("term")], match.start("term"))
    elif not is_of_author:
        _read_objects(negation, text, match.end())
    negation.end = max(negation.end, match.end())
    is_described = cue == "sure" and form("negated", "described").match(text, match.end())
    if not negation.names and not (cue in {"order", "hedge"} or is_described or is_of_author):
        return None
    if not negation.names:
        negation.end += len(STOP.split(text[match.end() :], maxsplit=1)[0])
    certainty = _certainty(negation, text)
    negation.is_sure = certainty == "sure"
    before = " ".join(tokens(text[: negation.start][-_LONGEST_LIST:])) if negation.is_sure else ""
    if any(f" {' '.join(tokens(last))} " in f" {before} " for last in negation.terms[-1:]):
        negation.end += len(STOP.split(text[negation.end :], maxsplit=1)[0])  # "hoards from Spain"
    return negation if certainty in {"sure", "doubt"} else None


def _read_objects(negation: _Negation, text: str, start: int) -> None:
    """Read the terms and kinds that are listed from an offset on, also in brackets."""
    is_order = form("negated", "order").match(text[negation.start : start])
    if listed := form("negated", "bracketed").match(text, start):
        span = listed.span("list")
    else:
        size = "sure list" if is_order else _LISTS.get(negation.cue, "long list")
        size = "order list" if is_order and ";" not in text[: negation.start] else size
        filler = form("negated", "filler").match(text, start)
        size = "short list" if negation.is_first else size  # the subject follows a comma
        first = filler.end() if filler else start
        listed = form("negated", size).match(text, first, first + _LONGEST_LIST)
        span = listed.span() if listed else (0, 0)
    for one in form("negated", "object").finditer(text, *span):
        kind = kind_at(text, one.start("term"))
        if kind and form("negated", "rest").fullmatch(text[kind[1] : one.end("term")]):
            negation.kinds.append(kind[0])
            negation.end = kind[1]
        elif not _is_empty(one["term"]):
            negation.terms.append(one["term"].strip('" '))
            negation.end = one.end()
        elif not negation.names:
            return
    if listed and negation.names:
        is_bracketed = listed.end() > span[1]
        negation.is_choice = is_bracketed or bool(form("negated", "or").search(text, *span))
        negation.end = listed.end() if is_bracketed else negation.end
        if tail := form("negated", "tail").match(text, negation.end):
            negation.end = tail.end()


def _is_empty(term: str) -> bool:
    return all(
        word.isdigit() or (word.casefold() in _SAYING_NOTHING and not word.isupper())
        for word in term.partition(" of ")[0].split()
    )


def _certainty(negation: _Negation, text: str) -> str | None:
    """Return whether a negation is `sure` to exclude something, or in `doubt`, by its outline.

    "told": of it a sentence tells ("no change was seen"); "tells": it ends one ("but not pain").
    """
    words = {*without_request(text).casefold().split()} - _OF_TELEGRAMS
    behind = text[negation.end :].lstrip(" ,").partition(" ")[0]
    before = STOP.split(text[: negation.start])[-1].casefold().split()
    told = " ".join([*negation.terms, behind]).casefold().split()
    outline = [
        negation.cue,
        "choice" if negation.is_choice else "",
        "telegram" if SMALL_WORDS.isdisjoint(words) else "",
        "" if _FINITE.isdisjoint(told) else "told",
        "" if _THIRD_PERSON.isdisjoint(before) else "tells",
        *(f"kind:{kind}" for kind in negation.kinds),
        "" if negation.names else "nothing",
        f"led:{''.join(text[: negation.start].split()[-1:])}" if negation.is_first else "",
    ]
    head = " ".join(filter(None, outline))
    return around("negation", text, negation.start, negation.end, head=f"{head} \ue003")
