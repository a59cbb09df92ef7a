"""What a question excludes: terms and kinds of publication."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from paper_search.skills.intent import exclusion_cues as cues
from paper_search.skills.intent.cutting import GLUE, cut, is_quoted, without_cuts
from paper_search.skills.intent.exclusion_cues import Strength
from paper_search.skills.intent.phrases import phrase_at, phrases
from paper_search.skills.synonyms import is_known
from paper_search.skills.words import tokens

_KINDS = {
    "review": (
        r"(?:(?:systematic|literature|scoping|narrative|umbrella|critical"
        r"|topical)\s+)?(?:reviews?|surveys?)"
        r"(?:\s+(?:papers?|articles?))?|overviews?|overview\s+(?:papers?|articles?)"
        r"|review\s+stud(?:y|ies)"
        r"|übersichtsarbeit(?:en)?|übersichtsartikeln?|reviewartikeln?|überblicksarbeiten"
        r"|revues?(?:\s+(?:systématiques?|de\s+(?:la\s+)?littérature))?|articles?\s+de\s+(?:revue"
        r"|synthèse)"
        r"|synthèses"
        r"|revision(?:es)?(?:\s+sistemáticas?)?|revisión(?:\s+sistemática)?"
        r"|artículos?\s+de\s+revisión"
        r"|rassegne|revisioni(?:\s+sistematiche)?|revisões(?:\s+sistemáticas)?"
        r"|overzichtsartikelen|reviewartikelen|综述(?:论文|文章|文献|类)?|评述|レビュー(?:論文)?"
    ),
    "article": (
        r"pre-?prints?|eprints?|arxiv\s+(?:papers?|pre-?prints?)|unpublished\s+(?:papers?"
        r"|manuscripts?)"
        r"|vorabdrucken?|prépublications?|preimpresos|preprint-server|预印本|プレプリント"
    ),
    "thesis": (
        r"(?:(?:phd|doctoral|master'?s?)\s+)?(?:theses|thesis|dissertations?)|doktorarbeiten"
        r"|dissertationen|abschlussarbeiten|thèses|tesis|tesi|teses|proefschriften|学位论文|博士论文"
        r"|硕士论文"
    ),
    "book": r"books?|monographs?|textbooks?|büchern?|livres|libros|libri|livros|boeken|书籍|图书",
    "chapter": r"(?:book\s+)?chapters?|buchkapiteln?",
    "paper-conference": (
        r"(?:conference|workshop)\s+(?:papers?|articles?|abstracts?)|(?:conference\s+)?proceedings"
        r"|konferenzbeiträgen?|会议论文"
    ),
    "dataset": r"data\s?sets?|datensätzen?|数据集",
    "report": r"(?:technical\s+)?reports|(?:technical\s+report|working\s+papers?)",
    "software": r"software(?:\s+packages?)?",
}
"""By CSL type, where `article` is a preprint; `review` is none of CSL's, but what sources give."""
_PATTERNS = tuple(
    (kind, re.compile(rf"(?:{pattern})(?![\w-])", re.IGNORECASE))
    for kind, pattern in _KINDS.items()
)


def kind_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the kind of publication named at an offset, and where its name ends; None: none."""
    for kind, pattern in _PATTERNS:
        if match := pattern.match(text, start):
            return kind, match.end()
    return None


_AS_KINDS = ("review", "article", "thesis")
"""Kinds that "without" names as such; "learning without books" is a subject."""
_SOFT = re.compile(r"rather than|other than", re.IGNORECASE)
_SOFTEST = re.compile(r"instead of", re.IGNORECASE)
_ONE_OF_MANY = re.compile(r"\b(?:but|and)\s+not\b|\bnot\b|\bnicht\b|\bpas\b|\bno\b", re.IGNORECASE)
_OF_PAPERS = re.compile(
    r"\b(?:papers?|articles?|studies|publications?|literature|results?|everything"
    r"|anything)[\s\ue000]*$",
    re.IGNORECASE,
)
_ANY = re.compile(
    r"\s+(?:any|the|considering|including|mentioning|discussing|papers?|articles?"
    r"|studies)\b",
    re.IGNORECASE,
)
_VERBAL = re.compile(r"\s*\w+(?:ing|ed)\b", re.IGNORECASE)
_AROUND = 120
"""Characters before a cue that are looked at."""


@dataclass(frozen=True)
class Exclusions:
    """What is not wanted.

    Attributes:
        rest: the text without it, to rank by.
        subject: the text that concepts are read from: also without negations that may belong to
            the subject, which are ranked by but never required.
        terms: words and phrases that no paper may have.
        kinds: kinds of publication.
        notes: what the person should know about how they were read.
    """

    rest: str
    subject: str
    terms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class _Found:
    start: int
    end: int
    terms: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    first_end: int = 0
    is_doubtful: bool = False
    is_compound: bool = False


def read_exclusions(text: str) -> Exclusions:
    """Return what the text excludes.

    A negation that may be part of the subject ("learning without labels") excludes nothing,
    because a wrong exclusion hides papers: a note says how to exclude it.
    """
    found: list[_Found] = []
    for candidate in _candidates(text):
        if all(candidate.end <= other.start or candidate.start >= other.end for other in found):
            found.append(candidate)
    found.sort(key=lambda one: -one.start)
    rest = subject = text
    notes: list[str] = []
    for exclusion in found:
        said = text[exclusion.start : exclusion.end].strip(" ,;:(.")
        if not exclusion.is_doubtful:
            rest = cut(rest, exclusion.start, exclusion.end)
        else:
            notes.append(
                f"{said!r} is read as part of the subject; to exclude papers, write"
                f" 'excluding {exclusion.terms[0]}'"
            )
        if exclusion.is_compound:
            whole = subject[exclusion.start : exclusion.end].strip().replace(" ", GLUE)
            subject = (
                f"{subject[: exclusion.start].rstrip()}{GLUE}{whole} {subject[exclusion.end :]}"
            )
        else:
            subject = cut(subject, exclusion.start, exclusion.end)
    sure = [exclusion for exclusion in reversed(found) if not exclusion.is_doubtful]
    return Exclusions(
        rest,
        subject,
        tuple(dict.fromkeys(term for exclusion in sure for term in exclusion.terms)),
        tuple(dict.fromkeys(kind for exclusion in sure for kind in exclusion.kinds)),
        tuple(reversed(notes)),
    )


def _candidates(text: str) -> Iterator[_Found]:
    for pattern in (cues.CHINESE, cues.CHINESE_KIND, cues.JAPANESE):
        for match in pattern.finditer(text):
            yield _of_east_asian(match)
    for strength, pattern in cues.cues_for(text):
        for match in pattern.finditer(text):
            made = None if is_quoted(text, match.start()) else _read(text, match)
            if made and (judged := _judged(text, match, strength, made)):
                yield judged


def _of_east_asian(match: re.Match[str]) -> _Found:
    found = _Found(match.start(), match.end())
    for part in re.split(r"[和或及、与]", match["object"]):
        name = without_cuts(part)
        if kind := kind_at(name, 0):
            found.kinds.append(kind[0])
        elif name:
            found.terms.append(name)
    return found


def _read(text: str, match: re.Match[str]) -> _Found | None:
    """Return what stands behind a cue; None: nothing that can be excluded."""
    found = _Found(match.start(), match.end())
    place = match.end()
    joins_all = not _ONE_OF_MANY.search(match[0])
    while True:
        start = _skipped(text, place)
        if kind := kind_at(text, start):
            found.kinds.append(kind[0])
            found.end = kind[1]
        elif phrase := phrase_at(text, start):
            if phrase.is_empty or cues.RESTRICTED.match(text, phrase.end):
                break
            end = phrase.end
            if named := cues.NAMED.match(text, end):
                end = named.end()
            more = cues.EXTENDED.match(text, end)
            if more and (tail := phrase_at(text, more.end())):
                end = tail.end
            is_one_word = not found.terms and " " not in phrase.text
            found.is_doubtful = is_one_word and cues.ATTACHED.match(text, end) is not None
            found.terms.append(text[phrase.start : end].replace('"', ""))
            found.end = _behind_papers(text, end)
        else:
            break
        found.first_end = found.first_end or found.end
        listing = cues.LISTING.match(text, found.end) or cues.LAST_OF_LIST.match(text, found.end)
        if listing is None:
            break
        is_sure = joins_all or "or" in listing[0] or kind_at(text, _skipped(text, listing.end()))
        if not is_sure:
            break
        place = listing.end()
    return found if found.terms or found.kinds else None


def _behind_papers(text: str, place: int) -> int:
    """Return the offset behind a word for papers: "deep learning papers" are on deep learning."""
    papers = cues.PAPERS.match(text, place)
    return papers.end() if papers else place


def _skipped(text: str, place: int) -> int:
    """Return the offset behind words that only lead to what is excluded."""
    while place < len(text) and text[place].isspace():
        place += 1
    while not kind_at(text, place) and (match := cues.FILLERS.match(text, place)):
        place = match.end()
    return place


def _judged(text: str, match: re.Match[str], strength: Strength, found: _Found) -> _Found | None:
    """Return what was found, marked where it is in doubt; None: it is no negation to speak of."""
    before = text[max(0, match.start() - _AROUND) : match.start()]
    if strength is Strength.SURE:
        is_one_word = found.terms and " " not in found.terms[0] and not found.kinds
        is_soft = _SOFT.search(match[0]) is not None
        if found.terms and (_SOFTEST.search(match[0]) or (is_soft and is_one_word)):
            found.is_doubtful = True
        return found
    if strength is Strength.OF_KINDS:
        return found if found.kinds else None
    if strength is Strength.BY_NOUN:
        is_noun = found.kinds or _is_of_kind(found.terms[0], before) or found.terms[0].endswith("s")
        return found if is_noun and not _VERBAL.match(text, match.end()) else None
    if _is_exclusion(text, match, found, before):
        return found
    if not found.terms:
        return None
    found.is_doubtful = True
    found.end = found.first_end
    del found.terms[1:]
    found.is_compound = _is_compound(found, before)
    return found


def _is_exclusion(text: str, match: re.Match[str], found: _Found, before: str) -> bool:
    """Return whether "without" leaves something out rather than describing the subject."""
    if any(kind in _AS_KINDS for kind in found.kinds) or _OF_PAPERS.search(before):
        return True
    if not found.terms or _VERBAL.match(text, match.end()):
        return bool(found.terms and _ANY.match(text, match.end()))
    return bool(_ANY.match(text, match.end())) or _is_of_kind(found.terms[0], before)


def _is_of_kind(term: str, before: str) -> bool:
    """Return whether the term is a known subject, or a kind of what stands before it."""
    if is_known(term):
        return True
    own = tokens(term)
    for phrase in phrases(before):
        other = tokens(phrase.text)
        if not own or not other:
            continue
        is_kind = own[-1].endswith(other[-1]) and len(other[-1]) > 2 and own != other  # noqa: PLR2004  # not "s"
        if is_kind or is_known(f"{term} {phrase.text}"):
            return True
    return False


def _is_compound(found: _Found, before: str) -> bool:
    """Return whether "A without B" is short enough to be one concept."""
    behind = phrases(before)
    if not behind:
        return False
    last = behind[-1]
    return (
        last.end == len(before.rstrip())
        and " " not in last.text
        and len(found.terms) == 1
        and len(found.terms[0].split()) <= 2  # noqa: PLR2004  # words
    )
