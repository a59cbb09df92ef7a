"""What a question does not want."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from paper_search.bibliography.words import rarity, stem
from paper_search.query.prose import SMALL_WORDS
from paper_search.skills.intent.clauses import kind_at
from paper_search.skills.intent.forms import (
    ParsedQuestion,
    forms,
    is_quoted,
    without_span,
    words_of_table,
)
from paper_search.skills.phrases import without_request
from paper_search.skills.variants import is_known_term
from paper_search.skills.words import BREAKS, STOP_WORDS, tokens

_TERM = re.compile(
    r'"(?P<quoted>[^"]{1,80})"|(?P<words>[^\W_][\w+#/.*\'’-]*(?:\s+[^\W_][\w+#/.*\'’-]*){0,5})'
)
_PAPERS = re.compile(r"(?<=\w)\s+(?:papers|publications|articles|ones)$", re.IGNORECASE)
_OF_SOME = re.compile(r"\s+of\s+(?!any\b|all\b|the literature\b)\w", re.IGNORECASE)
"""What makes a kind a subject: "surveys of practitioners", but not "reviews of any kind"."""
_OF = re.compile(r"\s+of\s+(?:the\s+)?(?=\w)")
_VERBAL = re.compile(r"\w{3,}(?:ing|ed)$", re.IGNORECASE)
_LED_BY = re.compile(r"(?<!\s)\s+(?:in|on|by|with|for|from|at|of|under)\s", re.IGNORECASE)
_RESTRICTED = re.compile(r"\s+(?:that|which|who|whose)\b", re.IGNORECASE)
_ANYTHING = re.compile(r"\s*+(?:(?:any|every)thing|papers|articles)?+\s*+", re.IGNORECASE)
_OF_TELEGRAMS = {"no", "not", "and", "or", "minus", "but"}
_ENDED = re.compile(r"\s*(?:$|[,;:.?!()\ue000–—]|-\s)")
_STOP = re.compile(r"[,;:.?!()\ue000]")
_RARE = 2.0
"""Rarity from which a word behind a minus is none of those that begin a title's second half."""
_ALIKE = {"ed", "al", "ic", "ar", "ng", "ve"}
"""Endings that two adjectives of a contrast share: "legged not wheeled robots"."""
_LONGEST_FOREIGN = 4
"""Words of an exclusion in another language; a longer one may hold more than what is excluded."""
_SHORT = 2
"""Words of a term that an unsure contrast may exclude."""


@dataclass
class _Negation:
    start: int
    end: int
    terms: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    is_sure: bool = True
    has_or: bool = False


def read_exclusions(reading: ParsedQuestion, *, is_english: bool = True) -> None:
    """Read what the text excludes; in another language, by the forms of six.

    A negation that may be part of the subject ("learning without labels") excludes nothing,
    because a wrong exclusion hides papers: a note says how to exclude it.
    """
    text, negations = reading.question, list[_Negation]()
    for candidate in _negations(text) if is_english else _foreign_negations(text):
        if all(candidate.end <= other.start or candidate.start >= other.end for other in negations):
            negations.append(candidate)
    reading.subject, notes = text, list[str]()
    for negation in sorted(negations, key=lambda one: -one.start):
        reading.subject = without_span(reading.subject, negation.start, negation.end)
        wording = text[negation.start : negation.end].strip(" ,;:(.")
        names = negation.terms or negation.kinds
        if negation.is_sure or not names:
            reading.cut(negation.start, negation.end)
        if negation.is_sure:
            continue
        if names:
            notes.append(
                f"{wording!r} is read as part of the subject; to exclude papers, write"
                f" 'excluding {names[0]}'"
            )
        else:
            notes.append(f"not acted on: {wording!r}; to exclude papers, write 'excluding' a term")
    for negation in negations:
        own = {term: why for term in negation.terms if (why := _objection(term, reading.question))}
        negation.terms = [term for term in negation.terms if term not in own]
        if negation.is_sure:
            notes += [f"{term!r} is not excluded, because {why}" for term, why in own.items()]
    sure = sorted((one for one in negations if one.is_sure), key=lambda one: one.start)
    reading.excluded = list(dict.fromkeys(term for one in sure for term in one.terms))
    kinds = dict.fromkeys(kind for one in sure for kind in one.kinds)
    reading.constraints.excluded_types = list(kinds)
    reading.notes += reversed(notes)


def _objection(term: str, rest: str) -> str | None:
    """Return why a term must not be excluded.

    Examples: "non-small cell lung cancer, not small cell"; "EU not US", since capitals tell nothing
    to most services.
    """
    if f" {' '.join(tokens(term))} " in f" {' '.join(tokens(rest))} ":
        return "the question asks for it"
    if term.casefold() in BREAKS:
        return f"every paper with the word {term.casefold()!r} would be"
    return None


def _negations(text: str) -> Iterator[_Negation]:
    for cue, pattern in forms("exclusion"):
        for match in pattern.finditer(text):
            is_name = match[0].strip().istitle() and not _starts_sentence(match)
            if is_quoted(text, match.start()) or (is_name and not text.isupper()):
                continue
            negation = (
                _term_before(match) if cue in {"behind", "last"} else _term_behind(text, match)
            )
            if negation and _is_negation(cue, match, negation):
                yield negation
            elif negation is None and (cue == "order" or _is_of_author(match)):
                clause = _STOP.split(text[match.end() :], maxsplit=1)[0]
                yield _Negation(match.start(), match.end() + len(clause), is_sure=False)


def _foreign_negations(text: str) -> Iterator[_Negation]:
    for cue, pattern in forms("foreign_exclusion"):
        for match in pattern.finditer(text):
            if not is_quoted(text, match.start()):
                negation = _term_before(match)
                negation.is_sure = cue == "sure" and len(match["term"].split()) <= _LONGEST_FOREIGN
                yield negation


def _term_before(match: re.Match[str]) -> _Negation:
    kind = kind_at(match["term"], 0)
    terms, kinds = ([], [kind[0]]) if kind else ([match["term"].strip()], [])
    return _Negation(match.start(), match.end(), terms, kinds)


def _starts_sentence(match: re.Match[str]) -> bool:
    before = match.string[: match.start()]
    return not match[0][:1].isalpha() or re.search(r"(?:^|[.!?:;,(–—-])\s*$", before) is not None


def _is_negation(cue: str, match: re.Match[str], negation: _Negation) -> bool:
    text = match.string
    after = text[negation.end :]
    if cue in {"order", "sure", "no", "minus", "without"} and _is_subject(cue, match, negation):
        return False
    match cue:
        case "minus":
            negation.is_sure = _is_signed(match, negation, after)
            return bool(negation.terms) or negation.is_sure
        case "telegram":
            words = {*without_request(text).casefold().split()} - _OF_TELEGRAMS
            return SMALL_WORDS.isdisjoint(words) and _ENDED.match(after) is not None
        case "last":  # "battery recycling patents excluded"
            negation.is_sure = bool(negation.kinds)
        case "contrast":
            negation.is_sure = _is_contrast(text, match, negation)
            is_verbal = re.match(r"\s*\w{3,}(?:ing|ed)\b", text[match.end() :])
            return negation.is_sure or not (is_verbal or _is_asked(text))
        case "without":
            negation.is_sure = _leaves_out(text, match, negation)
            return bool(negation.terms) or negation.is_sure
    return True


def _is_subject(cue: str, match: re.Match[str], negation: _Negation) -> bool:
    """Return whether a question is about what is left out.

    Examples: "effects of avoiding gluten", "avoiding antibiotics in infections", "no free lunch".
    """
    text = match.string
    around = dict(forms("around_term"))
    if cue in {"order", "sure"} and around["subject"].search(text[: match.start()]):
        return True
    if match.start() or negation.kinds:
        return False
    stops = r"\s*[,;]\s*\w"
    if around["order"].match(match[0]):
        stops = r"\s*(?:[,;:]|\.\s|$)"
    return re.match(stops, text[negation.end :]) is None


def _is_of_author(cue: re.Match[str]) -> bool:
    """Return whether an author follows, as in no title that begins so ("Not by bread alone")."""
    return bool(cue.start() and dict(forms("around_term"))["author"].match(cue.string, cue.end()))


def _term_behind(text: str, cue: re.Match[str]) -> _Negation | None:
    """Return what stands behind a cue; None: no term, or an author, whom no word excludes."""
    if _is_of_author(cue):
        return None
    negation = _Negation(cue.start(), cue.end())
    around = dict(forms("around_term"))
    place, is_word = cue.end(), cue[0].endswith("-")
    while True:
        start = place + len(text[place:]) - len(text[place:].lstrip())
        while (
            not is_word and not kind_at(text, start) and (m := around["filler"].match(text, start))
        ):
            start = m.end()
        kind = kind_at(text, start)
        if kind and not _OF_SOME.match(text, kind[1]):
            negation.kinds.append(kind[0])
            negation.end = kind[1]
        elif (end := _term_end(text, start, is_word=is_word)) and not _RESTRICTED.match(text, end):
            negation.terms.append(_PAPERS.sub("", text[start:end].strip('" ')))
            papers = re.match(r"\s+(?:papers|articles|ones)\b", text[end:])
            negation.end = end + (papers.end() if papers else 0)
        else:
            break
        joint = None if is_word else around["joint"].match(text, negation.end)
        if joint is None or not _goes_on(text, cue, negation, joint):
            break
        negation.has_or = negation.has_or or joint["or"] is not None
        place = joint.end()
    return negation if negation.terms or negation.kinds else None


def _goes_on(text: str, cue: re.Match[str], negation: _Negation, joint: re.Match[str]) -> bool:
    after = joint.end()
    around = dict(forms("around_term"))
    is_aside = joint[0].strip() == "," and around["aside"].match(text, after)
    if joint["word"] == "AND" or is_aside or around["wish"].match(text, after):
        return False  # "not honey bees, in city parks"
    if kind_at(text, after) is not None or joint["or"]:
        return True
    is_first = (
        _ANYTHING.fullmatch(text, 0, cue.start())
        and joint[0].strip() == ","
        and not re.search("[:;]", text[after:])
    )
    if is_first or (negation.kinds and not negation.terms):
        return False  # "rather than cats, dogs in homes and streets"; "no preprints, solar cells"
    is_weak = cue[0].lower().split()[-1] in {"not", "no"}
    if is_weak and joint[0].split() == [",", "and"] and len(negation.terms) == 1:
        return False  # "cats, not dogs, and rabbits"
    if joint[0].strip() == ",":
        is_list = re.match(r"[^,.;:()\ue000]{1,40}(?:,|\s+(?:and|or|nor)\s)", text[after:])
        return is_list is not None or not (is_weak or "," in text[after:])
    end = _term_end(text, after, is_word=False)
    return end is not None and _ENDED.match(text, end) is not None


def _term_end(text: str, start: int, *, is_word: bool) -> int | None:
    """Return where the word or phrase at an offset ends; None if it says nothing."""
    match = _TERM.match(text, start)
    if match is None or match["quoted"]:
        return match and match.end()
    end = start
    for word in re.finditer(r"\S+", match["words"]):
        bare = word[0].rstrip(".,'’")
        is_small = not word[0].isupper() or word[0] in {"AND", "OR", "NOT"}
        if bare.casefold() in words_of_table("ends") and word.start() and is_small:
            break
        end = start + word.start() + len(bare)
        if is_word or text[end : end + 1] in {".", ","}:
            break
    term = text[start:end].split()
    if all(
        word.isdigit() or (word.casefold() in STOP_WORDS and not word.isupper()) for word in term
    ):
        return None
    if not is_word and (more := _OF.match(text, end)):
        return _term_end(text, more.end(), is_word=False) or end
    return end


def _is_signed(minus: re.Match[str], negation: _Negation, after: str) -> bool:
    """Return whether a minus excludes; in "hypertension -treatment in the old" it may be a dash."""
    if minus.string[minus.end()] == '"' or re.fullmatch(r"(?:\s+[+-]\S+)*\s*", after):
        return True
    is_rare = any(rarity(stem(term.casefold())) >= _RARE for term in negation.terms)
    return is_rare and after.split(maxsplit=1)[0].casefold() in words_of_table("ends")


def _is_asked(text: str) -> bool:
    """Return whether the text is a question; "can you find me" begins a request."""
    return dict(forms("around_term"))["asked"].match(without_request(text)) is not None


def _is_contrast(text: str, match: re.Match[str], negation: _Negation) -> bool:
    """Return whether "A not B" sets two things of a kind against each other."""
    if negation.kinds or (match[0].isupper() and not text.isupper()):
        return True
    if re.match(_LED_BY, text[match.end() :]) or _is_asked(text):
        return False
    first = negation.terms[0].split()[0]
    ending = text[: match.start()].rstrip()[-2:].casefold()
    if ending == first.casefold()[-2:] and ending in _ALIKE:
        negation.terms, negation.has_or = [first], False
        negation.end = text.index(first, match.end()) + len(first)
        return True
    is_short = len(negation.terms[0].split()) <= _SHORT
    return (
        not first.casefold().endswith(("ed", "ing"))
        and is_short
        and _ENDED.match(text, negation.end) is not None
    )


def _leaves_out(text: str, match: re.Match[str], negation: _Negation) -> bool:
    cue = match[0].lower()
    if negation.kinds and "without" in cue:
        return negation.kinds[0] in {"review", "article", "thesis"}
    around = dict(forms("around_term"))
    is_subject = "neither" in cue or around["having"].search(text[: match.start()])
    if not negation.terms or not cue.startswith("with") or is_subject:
        return False
    if around["papers"].match(text, match.end()):
        return True
    if negation.has_or or is_known_term(negation.terms[0]):
        return not _VERBAL.match(negation.terms[0].split()[0])
    own = tokens(negation.terms[0])
    return len(own) > 1 and own[-1] in tokens(text[: match.start()])
