"""What a person's words and marks ask of the next strategy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from paper_search.models import MarkedPaper
from paper_search.skills.key_phrases import key_phrases
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.untrusted import visible
from paper_search.skills.word_lists import words_in
from paper_search.skills.words import is_unspaced, stem, tokens

_CLAUSES = re.compile(
    r"[.;:\n!?。；！？]+|[,，]\s*|\bbut\b|\bhowever\b"
    r"|\band\s+(?=(?:not|exclude|only|more|less|without|add)\b)"
    r"|但是?|而且|并且",
    re.IGNORECASE,
)
_EXCLUDE = re.compile(
    r"^\W*(?:(?:please|and|also|i|we|want|would like|do|should|there are|these are|show|me)\s+)*"
    r"(?:exclude|excluding|not|no more|no|non|without|avoid|remove|drop|skip|except|omit|leave out"
    r"|don'?t (?:want|include|need|show(?: me)?)"
    r"|do not (?:want|include|need|show(?: me)?)"
    r"|less|fewer|too (?:much|many)|nothing|not interested in|no need for)\b"
    r"(?:\s+(?:any|about|on|of|the|more|studies|papers|articles|those|ones|want|include)\b)*\s*"
    r"|^\W*(?:排除|不要|不包括|不包含|不含|去掉|除去|除了|少一些|减少)(?:关于)?",
    re.IGNORECASE,
)
_REQUIRE = re.compile(
    r"^\W*(?:(?:please|and|i|we|want|need|show|me|keep|use|include|just)\s+)*"
    r"(?:only|just|restrict(?:ed)?(?: it| this)? to|limit(?:ed)?(?: it| this)? to|must (?:be"
    r"|include|have|mention|contain)|has to be|have to be|require|nothing but|exclusively"
    r"|narrow(?: it)?(?: down)? to|focus(?:ed|ing)?(?: more)? on|specifically)\b"
    r"(?:\s+(?:on|about|the|to)\b)*\s*"
    r"|^\W*(?:只要|仅限?|只看|只需要|必须(?:包含|是)?|聚焦于?|专注于?)(?:关于)?",
    re.IGNORECASE,
)
_ONLY_AT_END = re.compile(r"^(?P<what>.+?)(?<!\s)\s+(?:only|exclusively)\W*$", re.IGNORECASE)
_ADD = re.compile(
    r"^\W*(?:(?:please|and|also|i|we|want|need|would like|show|me|to see|look)\s+)*"
    r"(?:more|add|also|include|including|missing|look(?:ing)? (?:for|at|into)|consider|try"
    r"|interested in|extend(?:ed)? to|as well as|plus|what about|how about|cover)\b"
    r"(?:\s+(?:about|on|of|for|the|papers|articles|studies|work|to|include)\b)*\s*"
    r"|^\W*(?:更多|增加|添加|补充|加上|还要|也要|包括)(?:关于)?",
    re.IGNORECASE,
)
_SMALL_TALK = frozenset(
    words_in(
        """
    good great thanks thank okay ok fine nice better bad wrong results result search query
    queries strategy again try broad broader narrow narrower wide wider specific general
    relevant irrelevant yes no please old older new newer recent something else different
    many few enough too much missed way off
    """
    )
)
_PER_KIND = 4
_LONGEST_TERM = 60


@dataclass(frozen=True)
class FeedbackTerms:
    """Terms by what the person wants done with them."""

    required: tuple[str, ...] = ()
    """Every paper must have them ("only randomised trials")."""
    excluded: tuple[str, ...] = ()
    """No paper may have them ("exclude animal studies")."""
    added: tuple[str, ...] = ()
    """To be looked for as well ("more about toxicity")."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return not (self.required or self.excluded or self.added)


def terms_of_text(text: str | None) -> FeedbackTerms:
    """Return the terms that a person's free text asks for, clause by clause.

    A clause without a word that says what to do with it is something to look for as well.
    """
    kinds: dict[str, list[str]] = {"required": [], "excluded": [], "added": []}
    for clause in _CLAUSES.split(visible(text or "")):
        kind, rest = _read(clause.strip())
        kinds[kind] += _phrases(rest, is_excluded=kind == "excluded")
    known = {term.casefold() for term in kinds["excluded"]}
    for kind in ("required", "added"):
        kinds[kind] = [term for term in kinds[kind] if term.casefold() not in known]
        known |= {term.casefold() for term in kinds[kind]}
    return FeedbackTerms(**{kind: tuple(terms[:_PER_KIND]) for kind, terms in kinds.items()})


def _read(clause: str) -> tuple[str, str]:
    for kind, cue in (("excluded", _EXCLUDE), ("required", _REQUIRE), ("added", _ADD)):
        if match := cue.match(clause):
            return kind, clause[match.end() :]
    if match := _ONLY_AT_END.match(clause):
        return "required", match["what"]
    return "added", clause


def _phrases(text: str, *, is_excluded: bool) -> list[str]:
    found = [phrase[:_LONGEST_TERM].strip() for phrase in key_phrases(text)]
    found = [phrase for phrase in found if any(char.isalnum() for char in phrase)]
    if is_excluded:
        return found
    return [phrase for phrase in found if not set(phrase.casefold().split()) <= _SMALL_TALK]


def terms_of_marks(
    marked: Sequence[MarkedPaper], known: Sequence[str] = (), limit: int = 4
) -> list[str]:
    """Return the terms that papers marked relevant share and papers marked irrelevant lack.

    One to three words from titles and abstracts, most widely shared first, titles before
    abstracts, longer before shorter; nothing that `known` concepts already say. With a single
    relevant paper only its title speaks.
    """
    relevant = [paper for paper in marked if paper.is_relevant]
    if not relevant:
        return []
    refused = {term for paper in marked if not paper.is_relevant for term in _ngrams(_text(paper))}
    covered = {part for concept in known for part in tokens(concept)}
    in_titles: Counter[tuple[str, ...]] = Counter()
    in_texts: Counter[tuple[str, ...]] = Counter()
    written: dict[tuple[str, ...], str] = {}
    for paper in relevant:
        titles = _ngrams(paper.title)
        texts = _ngrams(_text(paper)) if len(relevant) > 1 else titles
        in_titles.update(titles.keys())
        in_texts.update(texts.keys())
        for term, as_written in texts.items():
            written[term] = min(written.get(term, as_written), as_written)
    needed = 2 if len(relevant) > 1 else 1
    shared = [
        term
        for term, count in in_texts.items()
        if count >= needed and term not in refused and not set(term) <= covered
    ]
    shared.sort(key=lambda term: (-in_texts[term], -in_titles[term], -len(term), term))
    return _without_parts([written[term] for term in shared], limit)


def _text(paper: MarkedPaper) -> str:
    return f"{paper.title}. {paper.abstract or ''}"


def _ngrams(text: str) -> dict[tuple[str, ...], str]:
    """Return the terms of one to three content words by their stems, with how they are written."""
    found: dict[tuple[str, ...], str] = {}
    for sentence in re.split(r"[^\w\s'’-]+", visible(text)):
        words = re.findall(r"[^\W_]+", sentence.casefold())
        for start in range(len(words)):
            for size in (1, 2, 3):
                run = words[start : start + size]
                if len(run) == size and all(_is_content(word) for word in run):
                    found.setdefault(tuple(stem(word) for word in run), " ".join(run))
    return found


def _is_content(word: str) -> bool:
    if word in STOP_WORDS or word.isdigit():
        return False
    return len(word) > 3 or (len(word) > 1 and is_unspaced(word))  # noqa: PLR2004  # shorter ones are noise


def _without_parts(terms: Sequence[str], limit: int) -> list[str]:
    """Return the first terms of which none is part of another one."""
    kept: list[str] = []
    for term in terms:
        words = set(term.split())
        if not any(words & set(other.split()) for other in kept):
            kept.append(term)
        if len(kept) == limit:
            break
    return kept
