"""What a question does not want."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from paper_search.bibliography.words import rarity, stem
from paper_search.query.prose import SMALL_WORDS
from paper_search.skills.intent.clauses import kind_at
from paper_search.skills.intent.forms import (
    STOP,
    ParsedQuestion,
    Span,
    form,
    forms,
    is_ended,
    is_quoted,
    without_spans,
    words_of_table,
)
from paper_search.skills.phrases import without_request
from paper_search.skills.words import BREAKS, STOP_WORDS, tokens

_TERM = re.compile(
    r'"(?P<quoted>\s*[^"\s][^"]{0,80})"|(?P<words>[^\W_][\w+#/.*\'’-]*(?:\s+[^\W_][\w+#/.*\'’-]*){0,5})'
)
_PAPERS = re.compile(r"(?<=\w)\s+(?:papers|publications|articles|ones)$", re.IGNORECASE)
_OF_SOME = re.compile(r"\s+of\s+(?!any\b|all\b|the literature\b)\w", re.IGNORECASE)
"""What makes a kind a subject: "surveys of practitioners", but not "reviews of any kind"."""
_OF = re.compile(r"\s+of\s+(?:the\s+)?(?=\w)")
_VERBAL = re.compile(r"\w{3,}(?:ing|ed)$", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    r"\s*(?:(?:in|on|about|for|with)\s+)?[(\[](?![^)]*\b(?:is|are|was|were|has|have|I|we|it|they|see)\b)"
    r"(?P<list>[^()\[\]\ue000]{1,200})[)\]]"
)
_COMMAS = re.compile(
    r"(?<!\s)\s*+(?:[,;/]\s*+(?:(?:and|or|nor)\b)?|\b(?:and|or|nor)\b)\s*+", re.IGNORECASE
)
_LED_BY = re.compile(r"\s+(?:in|on|by|with|for|from|at|of|under)\s", re.IGNORECASE)
_RESTRICTED = re.compile(r"\s+(?:that|which|who|whose)\b", re.IGNORECASE)
_ANYTHING = re.compile(r"\s*+(?:(?:any|every)thing|papers|articles)?+\s*+", re.IGNORECASE)
_OF_TELEGRAMS = {"no", "not", "and", "or", "minus", "but"}
_RARE = 2.0
"""Rarity from which a word behind a minus is none of those that begin a title's second half."""
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:;,(–—-])\s*$")


@dataclass
class _Negation:
    start: int
    end: int
    terms: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    is_sure: bool = True
    has_or: bool = False
    is_bracketed: bool = False

    @property
    def span(self) -> Span:
        return self.start, self.end

    def has(self, other: "_Negation") -> bool:
        """Return whether it begins before another, and excludes all that this does."""
        is_before = self.start < other.start and other.end <= self.end
        return is_before and {*other.terms, *other.kinds} <= {*self.terms, *self.kinds}

    @property
    def names(self) -> list[str]:
        return self.terms or self.kinds


def read_exclusions(reading: ParsedQuestion, *, is_english: bool = True) -> None:
    """Read what the text excludes; in another language, by the forms of six.

    A negation that may be part of the subject ("learning without labels") excludes nothing,
    because a wrong exclusion hides papers: a note says how to exclude it.
    """
    text = reading.question
    negations = _apart(_negations(text) if is_english else _foreign_negations(text))
    reading.subject = without_spans(text, *(negation.span for negation in negations))
    reading.cut(*(one.span for one in negations if one.is_sure or not one.names))
    limits = reading.constraints
    for negation in negations:
        wording = text[negation.start : negation.end].strip(" ,;:(.")
        if negation.is_sure:
            for term in negation.terms:
                if why := _objection(term, reading.question):
                    reading.notes.append(f"{term!r} is not excluded, because {why}")
                else:
                    reading.excluded = list(dict.fromkeys([*reading.excluded, term]))
            limits.excluded_types = list(dict.fromkeys([*limits.excluded_types, *negation.kinds]))
        elif negation.names:
            reading.notes.append(
                f"{wording!r} is read as part of the subject; to exclude papers, write"
                f" 'excluding {negation.names[0]}'"
            )
        else:
            reading.leave(repr(wording), "to exclude papers, write 'excluding' a term")


def _apart(candidates: Iterator[_Negation]) -> list[_Negation]:
    """Return the first of those that overlap, or the one that says all of it and more."""
    negations: list[_Negation] = []
    for candidate in candidates:
        inner = [one for one in negations if candidate.has(one)] if candidate.is_sure else []
        rest = [one for one in negations if one not in inner]
        if all(candidate.end <= other.start or candidate.start >= other.end for other in rest):
            negations = [*rest, candidate]  # "no reviews, no theses"
    return sorted(negations, key=lambda negation: negation.start)


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
            is_title = match[0].strip().istitle() and match[0][0].isalpha()
            is_name = is_title and not _STARTS_SENTENCE.search(text[: match.start()])
            if is_name or is_quoted(text, match.start()):
                continue
            has_term = "term" in match.groupdict()
            negation = _term_in(match) if has_term else _term_behind(match)
            if negation and (certainty := _certainty(cue, match, negation)) is not None:
                negation.is_sure = certainty
                yield negation
            elif negation is None and (cue == "order" or _is_of_author(match)):
                clause = STOP.split(text[match.end() :], maxsplit=1)[0]
                yield _Negation(match.start(), match.end() + len(clause), is_sure=False)


def _foreign_negations(text: str) -> Iterator[_Negation]:
    for cue, pattern in forms("foreign_exclusion"):
        for match in pattern.finditer(text):
            if negation := _term_in(match):
                negation.is_sure = cue == "sure"
                yield negation


def _term_in(match: re.Match[str]) -> _Negation | None:
    kind, end = kind_at(match.string, match.start("term")) or ("", 0)
    term = match["term"].strip('" ')
    if kind:
        return _Negation(match.start(), max(match.end(), end), kinds=[kind])
    return None if _is_empty(term) else _Negation(*match.span(), [term])


def _is_empty(term: str) -> bool:
    return all(
        word.isdigit() or (word.casefold() in STOP_WORDS and not word.isupper())
        for word in term.split()
    )


def _certainty(cue: str, match: re.Match[str], negation: _Negation) -> bool | None:
    """Return whether a negation is sure to exclude something; None: it excludes nothing."""
    text = match.string
    if cue in {"order", "sure", "no", "without"} and _is_subject(match, negation):
        return _is_before_subject(match, negation)
    is_sure: bool | None = True
    match cue:
        case "minus":
            is_sure = _is_signed(match, negation)
        case "telegram":
            is_sure = _is_telegram(match, negation)
        case "last":  # "battery recycling patents excluded"
            is_sure = bool(negation.kinds)
        case "contrast" if not negation.is_bracketed and not _is_contrast(match, negation):
            is_verbal = re.match(r"\s*\w{3,}(?:ing|ed)\b", text[match.end() :])
            is_sure = None if is_verbal or _is_asked(text) else False
        case "without":
            is_sure = _leaves_out(match, negation)
    return is_sure


def _is_subject(match: re.Match[str], negation: _Negation) -> bool:
    """Return whether a question is about what is left out.

    Examples: "effects of avoiding gluten", "avoiding antibiotics in infections", "no free lunch".
    """
    text = match.string
    if _around("subject").search(text[: match.start()]):
        return True
    if match.start() or negation.kinds:
        return False
    is_order = _around("order").match(text)
    stops = r"\s*(?:[,;:]|\.\s|$)" if is_order else r"\s*[,;]\s*\w"
    return re.match(stops, text[negation.end :]) is None


def _is_before_subject(match: re.Match[str], negation: _Negation) -> bool | None:
    """Return how sure a negation at the start excludes something; None: it may be a title's."""
    text, rest = match.string, match.string[negation.end :].lstrip()
    if match.start():
        return None
    if _around("all but").match(text):  # "anything but deep learning for image segmentation"
        return rest.startswith("for ")
    return False if rest.startswith(": ") and _around("label").match(text) else None


def _is_telegram(match: re.Match[str], negation: _Negation) -> bool | None:
    """Return how sure a "no" behind a subject excludes something, as in "bees no honey bees"."""
    text = match.string
    words = {*without_request(text).casefold().split()} - _OF_TELEGRAMS
    if SMALL_WORDS.isdisjoint(words):
        return True
    last = _around("last").match(text, negation.end)
    if (negation.kinds and is_ended(text, negation.end)) or (last and last["please"]):
        return True
    before = text[: match.start()].casefold().split()[-1]
    is_sentence = before in words_of_table("of_sentences", "ends") or _is_asked(text)
    return False if last and not is_sentence else None


def _around(kind: str) -> re.Pattern[str]:
    return form("around_term", kind)


def _is_of_author(cue: re.Match[str]) -> bool:
    """Return whether an author follows, as in no title that begins so ("Not by bread alone")."""
    return bool(cue.start() and _around("author").match(cue.string, cue.end()))


def _term_behind(cue: re.Match[str]) -> _Negation | None:
    """Return what stands behind a cue; None: no term, or an author, whom no word excludes."""
    text, negation = cue.string, _Negation(cue.start(), cue.end())
    joint: re.Match[str] | None = None if _is_of_author(cue) else cue
    if bracketed := _term_in_brackets(cue):
        return bracketed
    while joint is not None:
        start = joint.end() + len(text[joint.end() :]) - len(text[joint.end() :].lstrip())
        while not kind_at(text, start) and (filler := _around("filler").match(text, start)):
            start = filler.end()
        kind = kind_at(text, start)
        if kind and not _OF_SOME.match(text, kind[1]):
            negation.kinds.append(kind[0])
            negation.end = kind[1]
        elif (end := _term_end(text, start)) and not _RESTRICTED.match(text, end):
            negation.terms.append(_PAPERS.sub("", text[start:end].strip('" ')))
            negation.end = end
        else:
            break
        joint = _around("joint").match(text, negation.end)
        if joint is not None and not _goes_on(cue, negation, joint):
            break
        negation.has_or = negation.has_or or (joint is not None and joint["or"] is not None)
    return negation if negation.names else None


def _term_in_brackets(cue: re.Match[str]) -> _Negation | None:
    """Return what a list in brackets behind a cue names: "not (dogs, cats)", no "(yet) treated"."""
    text = cue.string
    brackets = _IN_BRACKETS.match(text, cue.end())
    if brackets is None or not _is_end(text, brackets.end()):
        return None
    negation = _Negation(cue.start(), brackets.end(), is_bracketed=True)
    for words in _COMMAS.split(brackets["list"]):
        filler = None if kind_at(words, 0) else _around("filler").match(words)
        part = words[filler.end() :] if filler else words
        kind = kind_at(part, 0)
        if kind and kind[1] == len(part):
            negation.kinds.append(kind[0])
        elif not _is_empty(term := part.strip('" ')):
            negation.terms.append(term)
    negation.has_or = len(negation.terms) > 1
    return negation if negation.names else None


def _is_end(text: str, place: int) -> bool:
    """Return whether a phrase ends there: nothing or a small word follows."""
    words = text[place:].split(maxsplit=1)
    return is_ended(text, place) or words[0].casefold() in words_of_table("ends")


def _goes_on(cue: re.Match[str], negation: _Negation, joint: re.Match[str]) -> bool:
    text, after = cue.string, joint.end()
    is_wish = not joint["or"] and _around("wish").match(text, after)
    is_aside = is_wish or _around("aside").match(text, after)
    is_stop = ";" in joint[0] and not _is_list_of_orders(cue, joint)
    if joint["word"] == "AND" or is_aside or is_stop:
        return False  # "not honey bees, in city parks"
    if kind_at(text, after) is not None or joint["or"] or ";" in joint[0]:
        return True
    is_comma = joint[0].strip() == ","
    if not negation.terms or (is_comma and _ANYTHING.fullmatch(text, 0, cue.start())):
        return False  # "rather than cats, dogs in homes and streets"; "no preprints, solar cells"
    if joint[0].split() == [",", "and"]:
        return False  # "cats, not dogs, and rabbits"
    if is_comma:
        is_list = re.match(r"[^,.;:()\ue000]{1,40}(?:,|\s+(?:and|or|nor)\s)", text[after:])
        return is_list is not None or cue[0].lower().split()[-1] not in {"not", "no"}
    end = _term_end(text, after)
    return end is not None and is_ended(text, end)


def _is_list_of_orders(cue: re.Match[str], joint: re.Match[str]) -> bool:
    """Return whether a semicolon goes on with a list: "exclude children; adolescents"."""
    text, end = cue.string, _term_end(cue.string, joint.end())
    is_order = re.match(r"\s*(?:exclud|excl\.|leav|omit)|.*:$", cue[0], re.IGNORECASE)
    if not is_order or end is None or not _is_end(text, end) or ";" in text[: cue.start()]:
        return False
    return cue.start() > 0 or text.startswith(":", end)


def _term_end(text: str, start: int) -> int | None:
    """Return where the phrase at an offset ends; None if it says nothing."""
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
        if text[end : end + 1] in {".", ","}:
            break
    if _is_empty(text[start:end]):
        return None
    more = _OF.match(text, end)
    return (_term_end(text, more.end()) if more else None) or end


def _is_signed(minus: re.Match[str], negation: _Negation) -> bool:
    """Return whether a minus excludes; in "hypertension -treatment in the old" it may be a dash."""
    after = minus.string[negation.end :]
    if minus["term"].startswith('"') or re.fullmatch(r"(?:\s+[+-]\S+)*\s*", after):
        return True
    is_rare = any(rarity(stem(term.casefold())) >= _RARE for term in negation.terms)
    return is_rare and after.split(maxsplit=1)[0].casefold() in words_of_table("ends")


def _is_asked(text: str) -> bool:
    """Return whether the text is a question; "can you find me" begins a request."""
    return _around("asked").match(without_request(text)) is not None


def _is_contrast(match: re.Match[str], negation: _Negation) -> bool:
    """Return whether "A not B" sets two things of a kind against each other."""
    text = match.string
    if negation.kinds or (match[0].isupper() and not text.isupper()):
        return True
    if _is_asked(text) or _LED_BY.match(text, match.end()):
        return False
    first = negation.terms[0].split()[0]
    if text[: match.start()].rstrip()[-2:].casefold() == first.casefold()[-2:]:
        negation.terms, negation.has_or = [first], False  # "legged not wheeled robots"
        negation.end = text.index(first, match.end()) + len(first)
        return True
    is_last = is_ended(text, negation.end)
    return is_last and not first.casefold().endswith(("ed", "ing"))


def _leaves_out(match: re.Match[str], negation: _Negation) -> bool:
    text, cue = match.string, match[0].lower()
    if negation.kinds:
        return negation.kinds[0] in {"review", "article", "thesis"}
    is_subject = "neither" in cue or _around("having").search(text[: match.start()])
    if not cue.startswith("with") or is_subject:
        return False
    if negation.has_or:
        return not _VERBAL.match(negation.terms[0].split()[0])
    return tokens(negation.terms[0])[-1] in tokens(text[: match.start()])
