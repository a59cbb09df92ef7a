"""What a question does not want."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from paper_search.query.prose import SMALL_WORDS
from paper_search.skills.intent.cutting import PAPERS, cut, forms, is_quoted
from paper_search.skills.intent.kinds import kind_at
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.synonyms import is_known
from paper_search.skills.words import tokens, words_in

_NO_TERM = (
    r"(?!\s+(?:only|just|merely|simply|solely|exclusively|necessarily|always|yet|even|so|too|very"
    r"|much|more|less|fewer|well|fully|entirely|all|every|quite|really|often|as|that|to|be|been"
    r"|being|have|do|known|able|available|due|enough|when|if|because|possible|clear|likely|sure"
    r"|until|since|at|later|earlier|older|newer|before|after)\b)"
)


def _cue(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_HELPERS = (
    "is are was were do does did has have had can could or will would should may might must to why"
    " if who that"
)
_CUES = [
    (kind, _cue(rf"(?<![\w-])(?:{pattern.pattern})(?![\w-])") if kind == "sure" else pattern)
    for kind, pattern in forms(
        "exclusion",
        {
            "NO_TERM": _NO_TERM,
            "NO_HELPER": "".join(rf"(?<!\b{word}\s)" for word in _HELPERS.split()),
            "PAPERS": PAPERS,
        },
    )
]
_FILLERS = _cue(
    rf"(?:(?:any|all|the|those|these|a|an|{PAPERS}|results|ones|anything|things|that|which|are|is"
    r"|deals?|dealing|with|on|about|of|from|in|for|by|involving|using|uses?|used|concerning|me"
    r"|related|to|mentioning|including|considering|regarding|(?:at|focus(?:ed)?)\s+on)"
    r"(?![\w'’-])\s*)*"
)
_TERM = re.compile(
    r'"(?P<quoted>[^"]{1,80})"|(?P<words>[^\W_][\w+#/.*\'’-]*(?:\s+[^\W_][\w+#/.*\'’-]*){0,5})'
)
_JOINT = _cue(
    r"\s*(?:,\s*(?:(?:and|or|nor)\b)?|\b(?P<word>and|or|nor)\b|&|/)\s*(?:(?:no|not|nor|without"
    r"|any)\s+)*"
)
_ENDS = frozenset(
    words_in(
        """
    in on at for with from since before after during between among under by to into within across
    that which who whose where when while as is are was were be has have had please published but
    not if because made done given found shown used using based and or nor of via per than vs
    versus without no please thanks just only instead of either i we it they my our
    """
    )
)
"""Words at which an excluded phrase ends."""
_OF = re.compile(r"\s+of\s+(?:the\s+)?(?=\w)")
_VERBAL = re.compile(r"\w{3,}(?:ing|ed)$", re.IGNORECASE)
_LED_BY = re.compile(r"(?<!\s)\s+(?:in|on|by|with|for|from|at|of|under)\s", re.IGNORECASE)
_RESTRICTED = re.compile(r"\s+(?:that|which|who|whose)\b", re.IGNORECASE)
_ENDED = re.compile(r"\s*(?:$|[,;:.?!()\ue000–—]|-\s)")


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
class _Negation:
    start: int
    end: int
    terms: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    is_sure: bool = True
    has_or: bool = False


def read_exclusions(text: str) -> Exclusions:
    """Return what the text excludes.

    A negation that may be part of the subject ("learning without labels") excludes nothing,
    because a wrong exclusion hides papers: a note says how to exclude it.
    """
    negations: list[_Negation] = []
    for candidate in _negations(text):
        if all(candidate.end <= other.start or candidate.start >= other.end for other in negations):
            negations.append(candidate)
    rest = subject = text
    notes = []
    for negation in sorted(negations, key=lambda one: -one.start):
        subject = cut(subject, negation.start, negation.end)
        if negation.is_sure:
            rest = cut(rest, negation.start, negation.end)
            continue
        wording = text[negation.start : negation.end].strip(" ,;:(.")
        notes.append(
            f"{wording!r} is read as part of the subject; to exclude papers, write"
            f" 'excluding {negation.terms[0]}'"
        )
    sure = sorted((one for one in negations if one.is_sure), key=lambda one: one.start)
    return Exclusions(
        rest,
        subject,
        tuple(dict.fromkeys(term for one in sure for term in one.terms)),
        tuple(dict.fromkeys(kind for one in sure for kind in one.kinds)),
        tuple(reversed(notes)),
    )


def _negations(text: str) -> Iterator[_Negation]:
    for cue, pattern in _CUES:
        for match in pattern.finditer(text):
            is_name = match[0].strip().istitle() and not _starts_sentence(match)
            if is_quoted(text, match.start()) or (is_name and not text.isupper()):
                continue
            negation = _term_before(match) if cue == "behind" else _read(text, match)
            if negation and _is_negation(cue, match, negation):
                yield negation


def _term_before(match: re.Match[str]) -> _Negation:
    kind = kind_at(match["term"], 0)
    terms, kinds = ([], [kind[0]]) if kind else ([match["term"].strip()], [])
    return _Negation(match.start(), match.end(), terms, kinds)


def _starts_sentence(match: re.Match[str]) -> bool:
    before = match.string[: match.start()]
    return not match[0][:1].isalpha() or re.search(r"(?:^|[.!?:;,(–—-])\s*$", before) is not None


def _is_negation(cue: str, match: re.Match[str], negation: _Negation) -> bool:
    """Return whether what stands behind a cue may be meant to be left out."""
    text = match.string
    after = text[negation.end :]
    goes_on = re.match(r"\s*[,:;]\s*\w", after)
    if cue in {"no", "minus", "without"} and match.start() == 0 and not (negation.kinds or goes_on):
        return False  # "no free lunch theorems"
    match cue:
        case "telegram":
            words = {*text.casefold().split()} - {"no", "not", "and", "or", "minus"}
            return SMALL_WORDS.isdisjoint(words) and _ENDED.match(after) is not None
        case "contrast":
            return _is_contrast(text, match, negation)
        case "without":
            negation.is_sure = _leaves_out(text, match, negation)
            return bool(negation.terms) or negation.is_sure
        case _:
            return True


def _read(text: str, match: re.Match[str]) -> _Negation | None:
    """Return what stands behind a cue; None: nothing that can be excluded."""
    negation = _Negation(match.start(), match.end())
    place, is_word = match.end(), match[0].endswith("-")
    while True:
        bare = place + len(text[place:]) - len(text[place:].lstrip())
        start = bare if kind_at(text, bare) else _FILLERS.match(text, bare).end()  # type: ignore[union-attr]  # matches anything
        if kind := kind_at(text, start):
            negation.kinds.append(kind[0])
            negation.end = kind[1]
        elif end := _term_end(text, start, is_word=is_word):
            if _RESTRICTED.match(text, end):
                break
            negation.terms.append(text[start:end].strip('" '))
            papers = re.match(r"\s+(?:papers|articles|ones)\b", text[end:])
            negation.end = end + (papers.end() if papers else 0)
        else:
            break
        joint = None if is_word else _JOINT.match(text, negation.end)
        if joint is None or not _goes_on(text, match, negation, joint):
            break
        negation.has_or = negation.has_or or joint["word"] in {"or", "nor"}
        place = joint.end()
    return negation if negation.terms or negation.kinds else None


def _goes_on(text: str, cue: re.Match[str], negation: _Negation, joint: re.Match[str]) -> bool:
    """Return whether what stands behind "and", "or" or a comma is excluded as well."""
    after, is_kind = joint.end(), kind_at(text, joint.end()) is not None
    if is_kind or joint["word"] in {"or", "nor"}:
        return True
    if negation.kinds and not negation.terms:
        return False  # "no preprints, solar cells"
    is_list = re.match(r"[^,.;:()\ue000]{1,40}(?:,|\s+(?:and|or|nor)\s)", text[after:])
    if joint[0].strip() == ",":
        is_weak = cue[0].lower().split()[-1] in {"not", "no"}
        return is_list is not None or not (is_weak or "," in text[after:])
    end = _term_end(text, after, is_word=False)
    return end is not None and _ENDED.match(text, end) is not None


def _term_end(text: str, start: int, *, is_word: bool) -> int | None:
    """Return where the word or phrase at an offset ends; None: it says nothing."""
    match = _TERM.match(text, start)
    if match is None:
        return None
    if match["quoted"]:
        return match.end()
    end, words = start, 0
    for word in re.finditer(r"\S+", match["words"]):
        folded = word[0].casefold().rstrip(".,'’")
        if folded in _ENDS and word.start() and not word[0].isupper():
            break
        end, words = start + word.start() + len(word[0].rstrip(".,'’")), words + 1
        if is_word or text[end : end + 1] in {".", ","}:
            break
    if text[start:end].isdigit() or all(
        word.casefold() in STOP_WORDS and not word.isupper() for word in text[start:end].split()
    ):
        return None
    if not is_word and (more := _OF.match(text, end)):
        return _term_end(text, more.end(), is_word=False) or end
    return end


def _is_contrast(text: str, match: re.Match[str], negation: _Negation) -> bool:
    """Return whether "A not B" sets two things of a kind against each other."""
    if negation.kinds or (match[0].isupper() and not text.isupper()):
        return True
    first = negation.terms[0].split()[0]
    before = text[: match.start()].rsplit(maxsplit=1)[-1].casefold()
    ending = next((e for e in ("ed", "ing") if first.casefold().endswith(e)), None)
    if re.match(_LED_BY, text[match.end() :]):
        return False
    if before[-2:] == first.casefold()[-2:] and before[-2:] in {"ed", "al", "ic", "ar", "ng", "ve"}:
        negation.terms, negation.has_or = [first], False  # "legged not wheeled robots"
        negation.end = text.index(first, match.end()) + len(first)
        return True
    is_short = len(negation.terms[0].split()) <= 2  # noqa: PLR2004  # words
    return ending is None and is_short and _ENDED.match(text, negation.end) is not None


def _leaves_out(text: str, match: re.Match[str], negation: _Negation) -> bool:
    """Return whether a bare "without" leaves papers out rather than describing the subject."""
    if negation.kinds and "without" in match[0].lower():
        return negation.kinds[0] in {"review", "article", "thesis"}
    if not negation.terms or not match[0].lower().startswith("with"):
        return False
    if re.match(rf"\s+(?:any|considering|mentioning|discussing|{PAPERS})\b", text[match.end() :]):
        return True
    if negation.has_or or is_known(negation.terms[0]):
        return not _VERBAL.match(negation.terms[0].split()[0])
    own = tokens(negation.terms[0])
    return len(own) > 1 and own[-1] in tokens(text[: match.start()])
