"""Reads a person's note on a strategy, with the forms that are used for questions."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches

from paper_search.models import ParsedIntent, SearchConstraints
from paper_search.skills.intent.forms import (
    CUT,
    ParsedQuestion,
    form,
    forms,
    is_quoted,
    words_of_table,
)
from paper_search.skills.intent.reader import parse_parts, parse_question, without_talk
from paper_search.skills.phrases import key_phrases, phrases
from paper_search.skills.untrusted import visible
from paper_search.skills.variants import is_heading, is_known_term
from paper_search.skills.words import tokens

_ITEM = re.compile(r"\s*(?:[-–•*+]|\(?\d{1,2}[.)])\s+")
_NUMBERED = re.compile(r"(?<!\S)\(\d\)(?=\s)")
_ONLY_BEHIND = re.compile(
    r"(?<=\w )(only|exclusively)((?: (?:please|pls|thanks))?\W{0,9})$", re.IGNORECASE
)
_INSTEAD_OF = re.compile(r"\b(?:instead\s+of|rather\s+than)\s+([^,.;:!?]+)", re.IGNORECASE)
_REPLACE = re.compile(
    r"(?<!not )(?<!n['’]t )\b(?:replace|substitute|swap|exchange|change)"
    r" ((?:(?!\b(?:and|but)\b)[^,.;:!?]){1,60}?)"
    r" (?:with|by|for|to|into) ([^,.;:!?]{1,60})",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\binstead\b", re.IGNORECASE)
_WITH_INSTEAD = re.compile(
    r"[^,.;:!?]{0,60}\b(?:instead of|rather than) [^,.;:!?]{1,60}", re.IGNORECASE
)
_ARROW = re.compile(r"([^,.;:!?<>=→]{1,60})(?:[-=]>|→)([^,.;:!?<>=→]{1,60})")
_INSTEAD_FORM = r"add \2 instead of \1"
_PER_KIND = 4
"""Terms that a round adds; with more, a query would find everything, so they are reported."""
_CUES = {"required", "added"}
_EXCLUSIONS = {
    "excluded": "excluding {what}",
    "removed": "excluding {what}",
    "too many": "too many {what}",
    "negative": "{clause}",
}
"""Wording in a question of the clauses that exclude."""
_KINDS = {"too many": "excluded", "negative": "excluded"}
_ORDERS = {*_CUES, *_EXCLUSIONS}
_LIMITS = ("year_from", "year_to", "language", "publication_types")
_BRACKETS = re.compile(r"\([^()]*\)")
_SHORT, _ALIKE = 4, 0.85
"""Longest word that is never a misspelt order, and the similarity that makes one."""
_BARE_WORDS = 5
"""A longer clause is not a mere list of terms."""
_LONGEST_TERM = 60
_NOT_ACTED_ON = "not acted on: {!r}; write 'no' or 'more on' and a term, or edit the limits"
_DROPPED = "no longer required: {!r}; it is not excluded either (for that, write 'exclude {}')"
_LEFT_TO_MODEL = "left to the model: {!r}; the strategy shows what it did"


@dataclass(frozen=True)
class Note:
    """The changes that a note asks for.

    Attributes:
        required: terms that every paper must have ("only randomised trials").
        excluded: terms that no paper may have ("exclude animal studies").
        added: additional terms to search for ("more about toxicity").
        instead: terms that replace the topic ("focus on toxicity instead").
        dropped: terms no longer searched for ("toxicity instead of efficacy"; "drop efficacy", if
            the question is about it).
        authors, venues: every paper must have one of them.
        unread: clauses that were not understood.
    """

    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    limits: SearchConstraints = field(default_factory=SearchConstraints)
    authors: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    other_remarks: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        dropped = (_DROPPED.format(name, name) for name in self.dropped)
        return (*map(_NOT_ACTED_ON.format, self.unread), *dropped, *self.other_remarks)

    @property
    def remarks_beside_model(self) -> tuple[str, ...]:
        """The remarks for a person if a model gets the unread clauses."""
        to_drop = (f"without {name}" for name in self.dropped)
        return (*map(_LEFT_TO_MODEL.format, (*self.unread, *to_drop)), *self.other_remarks)

    def for_terms(self, names: Collection[tuple[str, ...]]) -> "Note":
        """Return the note for a strategy with these terms, as stems, which alone can be dropped."""
        kept = [name for name in self.dropped if tuple(tokens(name)) not in names]
        dropped = tuple(name for name in self.dropped if name not in kept)
        unread = (*self.unread, *(f"without {name}" for name in kept))
        return replace(self, dropped=dropped, unread=unread)

    def with_limits(self, filters: SearchConstraints) -> SearchConstraints:
        limits = self.limits
        years = filters if limits.year_from is limits.year_to is None else limits
        kinds = dict.fromkeys([*filters.excluded_types, *limits.excluded_types])
        update = {
            "year_from": years.year_from,
            "year_to": years.year_to,
            "language": limits.language or filters.language,
            "publication_types": limits.publication_types or filters.publication_types,
            "excluded_types": list(kinds),
        }
        return filters.model_copy(update=update)


@dataclass(frozen=True)
class _Clause:
    """A clause of a note.

    `state` is `order`, `wish`, `bare` (only terms), `echo` (repeats an order), `no wish`,
    `condition` or `unclear`; `kind` is a field of `Note`; `text` has the wording of a question.
    """

    words: str
    state: str
    kind: str = "added"
    text: str = ""


def parse_note(text: str | None, today: date, intent: ParsedIntent | None = None) -> Note:
    """Read a person's note on a search for an intent clause by clause.

    Limits need an unambiguous form; "only" with several terms affects ranking. Bare terms, and
    terms that are said to be missing, are added. Terms to remove are excluded only if the intent
    lacks them. Any other clause is reported as not acted on.
    """
    words, unclear = _one_line(without_talk(visible(text or ""), is_note=True).replace(CUT, "."))
    words = _ARROW.sub(_INSTEAD_FORM, _REPLACE.sub(_INSTEAD_FORM, words))
    words = _WITH_INSTEAD.sub(r"; \g<0>; ", words)  # in "drop A, B instead of C" B is not dropped
    rest = _INSTEAD_OF.sub("", words)
    wishes, more_unclear = _wishes(rest, today)
    readings = [parse_parts(f"; {wish.text}.", today) for wish in wishes]
    every = dict.fromkeys(name for reading in readings for name in reading.excluded)
    removed = [
        name
        for wish, reading in zip(wishes, readings, strict=True)
        for name in reading.excluded
        if wish.kind == "removed" and intent is not None and _is_of(intent, name)
    ]
    dropped = list(dict.fromkeys([*_replaced(words, rest), *removed]))
    excluded = [name for name in every if name not in removed]
    terms, beyond, remarks = _terms(wishes, readings, {*excluded, *dropped})
    limits = {name: value for one in readings for name, value in one.own_limits.items()}
    kinds = [kind for reading in readings for kind in reading.constraints.excluded_types]
    unread = [
        clause.strip()
        for clause in (*unclear, *beyond, *more_unclear)
        if _phrases(clause) or form("note_limit").search(clause)
    ]
    note = Note(
        excluded=tuple(excluded),
        dropped=tuple(dropped),
        limits=SearchConstraints(
            **{name: limits[name] for name in _LIMITS if name in limits}, excluded_types=kinds
        ),
        authors=tuple(name for reading in readings for name in reading.authors),
        venues=tuple(name for reading in readings for name in reading.venues),
        unread=tuple(unread),
        other_remarks=(*remarks, *(remark for reading in readings for remark in reading.notes)),
        **terms,
    )
    if note == Note() and words:  # it has no term at all: "too broad"
        return Note(unread=(words.strip("; "),))
    return note


def _replaced(text: str, rest: str) -> Iterator[str]:
    others = {name.casefold() for name in _phrases(rest)}
    for match in _INSTEAD_OF.finditer(text):
        for name in _phrases(match[1]):
            if name.casefold() not in others:  # "return to play instead of return to work"
                yield name


def _is_of(intent: ParsedIntent, name: str) -> bool:
    others = (name for names in intent.alternatives.values() for name in names)
    texts = (intent.topic, intent.question, *intent.concepts, *others)
    return any(f" {' '.join(tokens(name))} " in f" {' '.join(tokens(text))} " for text in texts)


def _terms(
    wishes: Sequence[_Clause], readings: Sequence[ParsedQuestion], unwanted: set[str]
) -> tuple[dict[str, tuple[str, ...]], list[str], list[str]]:
    """Return the terms by the field of a note, those beyond the limit, and remarks."""
    terms: dict[str, list[str]] = {"required": [], "added": [], "instead": []}
    beyond: list[str] = []
    remarks = [  # "only 3 papers fit" says what the result was
        f"not acted on: {count} papers; edit `max_papers` to show that many"
        for reading in readings
        if (count := reading.constraints.max_papers)
    ]
    for wish, reading in zip(wishes, readings, strict=True):
        what = _what(reading.question.strip(" .;"))
        names = _phrases(what)
        if wish.kind in _EXCLUSIONS:  # the rest of an exclusion is not searched for
            beyond += [what] if names else []
        elif wish.kind == "required" and len(names) > 1:
            remarks.append(f"used for ranking, not a limit: {what!r}; a limit is one term")
            terms["added"] += names
        else:
            terms[wish.kind] += names
    in_use = {term.casefold() for term in unwanted}
    for kind, names in terms.items():
        new = [name for name in dict.fromkeys(names) if name.casefold() not in in_use]
        terms[kind] = new[:_PER_KIND]
        beyond += [", ".join(new[_PER_KIND:])] if new[_PER_KIND:] else []
        in_use |= {name.casefold() for name in names}
    return {kind: tuple(names) for kind, names in terms.items()}, beyond, remarks


def _what(rest: str) -> str:
    text = _INSTEAD.sub("", rest).strip()
    matches = (pattern.match(text) for kind, pattern in forms("note") if kind in _CUES)
    match = next(filter(None, matches), None)
    return match["what"] if match else text


def _one_line(text: str) -> tuple[str, list[str]]:
    """Join the lines and lists of a note into sentences; also return the text in brackets."""
    whole = ""
    has_signs = any(line.lstrip().startswith("+") for line in text.splitlines())
    for line in filter(None, map(str.strip, _NUMBERED.sub("\n", text).splitlines())):
        item = _ITEM.match(f"{line} ")
        is_in_list = item is not None and whole.endswith((":", ","))
        is_list = is_in_list or has_signs or not line.startswith(("-", "–"))
        words = line[item.end() :] if item and is_list else line
        sign = "excluding " if has_signs and line.startswith("-") else ""
        whole += f"{' ' if is_in_list else '; ' * bool(whole)}{sign}{words}{',' * is_in_list}"
    for kind, label in forms("note_label"):
        whole = label.sub(rf"\1 {kind.strip('-')} ", whole)
    return " ".join(_BRACKETS.sub(" ", whole).split()).rstrip(", "), _BRACKETS.findall(whole)


def _wishes(text: str, today: date) -> tuple[list[_Clause], list[str]]:
    """Return the wishes of a note, and the clauses that are not acted on.

    After a clause that was not understood, only orders are acted on ("excluding smokers was their
    choice, not mine"). In a sentence with a condition, nothing is. Bare terms count only if the
    whole note was understood.
    """
    wishes: list[_Clause] = []
    bare: list[_Clause] = []
    unclear: list[str] = []
    is_whole = True
    for sentence in _sentences(text):
        clauses = [_read(clause, sign, today) for clause, sign in sentence]
        states = {clause.state for clause in clauses}
        is_clear, has_head = True, False
        for clause in clauses:
            if clause.state == "echo" and "order" in states:  # "too many mice, leave them out"
                continue
            is_acted_on = clause.state == "order" or (clause.state == "wish" and is_clear)
            is_term = clause.state == "bare" and "unclear" not in states
            if "condition" in states or not (is_acted_on or is_term):
                unclear.append(clause.words)
                is_clear = is_clear and clause.state == "no wish"
            elif is_term and has_head:
                wishes[-1] = replace(wishes[-1], text=f"{wishes[-1].text}, {clause.text}")
            elif is_term:
                bare.append(clause)
            else:
                wishes.append(clause)
                has_head = True
        is_whole = is_whole and is_clear
    if is_whole:
        return [*wishes, *bare], unclear
    return wishes, [*unclear, *(clause.words for clause in bare)]


def _sentences(text: str) -> Iterator[list[tuple[str, str]]]:
    """Yield the clauses of each sentence, each with the punctuation or word after it."""
    end, talk = form("clause_end"), form("small_talk", "note")
    sentence: list[tuple[str, str]] = []
    start = 0
    stops = [stop for stop in end.finditer(text) if not is_quoted(text, stop.start())]
    for stop in (*stops, None):
        clause = text[start : stop.start() if stop else len(text)].strip()
        sign = stop[0].strip() if stop else "."
        sentence += (
            [(clause, sign)] if any(map(str.isalnum, clause)) and not talk.fullmatch(clause) else []
        )
        if sign.casefold() not in {",", ":", "and"}:
            yield sentence
            sentence = []
        start = stop.end() if stop else start


def _read(words: str, sign: str, today: date) -> _Clause:
    for state, pattern in forms("note_first"):
        if match := pattern.match(f"{words}?" if "?" in sign else words):
            what = match.groupdict().get("what") or ""
            is_certain = not _is_statement(what) and not parse_parts(f"; {what}", today).excluded
            known = "order" if state == "missing" and what else state
            return _Clause(words, known if is_certain else "unclear", text=what or words)
    clause = words
    if only := _ONLY_BEHIND.search(clause):
        if form("note", "negative").match(clause):  # "not simulation only" wants some of it
            return _Clause(words, "unclear")
        clause = f"{only[1]} {clause[: only.start()]}{only[2]}"
    if _INSTEAD.search(clause):
        return _Clause(words, "wish", "instead", clause)
    also = form("note_also")
    reading = parse_parts(f"; {also.sub('', clause)}", today)
    is_addition = not reading.excluded and _is_limited(reading) and bool(also.search(clause))
    for kind, pattern in forms("note") if not is_addition else ():
        match = pattern.match(clause)
        if match is not None and not _is_statement(what := match["what"]):
            is_name = reading.authors or reading.venues or reading.constraints.language
            if kind == "added" and is_name:  # a limit would not add papers
                return _Clause(words, "unclear", text=clause)
            text = _EXCLUSIONS.get(kind, "{clause}").format(what=what, clause=clause)
            state = "wish" if kind == "negative" else "order" if kind in _ORDERS else kind
            return _Clause(words, state, _KINDS.get(kind, kind), text)
    return _statement(words, clause, reading, is_clear=not is_addition)


def _is_limited(reading: ParsedQuestion) -> bool:
    return reading.has_limits or reading.is_limited


def _statement(words: str, clause: str, reading: ParsedQuestion, *, is_clear: bool) -> _Clause:
    is_limit = _is_limited(reading) and not reading.excluded and not reading.question
    may_be_minus = clause.startswith(("-", "–")) and not reading.excluded  # or a list item
    is_other = not is_limit and (_is_statement(clause, is_bare=True) or _is_order(clause))
    if not is_clear or may_be_minus or is_other:
        state = "unclear"
    elif _is_limited(reading):
        state = "wish"
    else:
        state = "bare" if len(clause.split()) <= _BARE_WORDS else "unclear"
    return _Clause(words, state, "excluded" if reading.excluded else "added", clause)


def _is_statement(text: str, *, is_bare: bool = False) -> bool:
    """Whether a text is more than terms: a sentence, or about the search instead of its subject.

    Names such as "search engines" may have words of the search, except in a bare text.
    """
    words = text.casefold().replace("’", "'").split()
    if not words_of_table("of_sentences").isdisjoint(word.strip(',()"“”') for word in words):
        return True
    of_search = words_of_table("of_search")
    names = [phrase.text for phrase in phrases(text) if not phrase.is_quoted]
    names = [name for name in names if not is_known_term(name) and not is_heading(name)]
    rule = any if is_bare else all
    return any(rule(word in of_search for word in name.casefold().split()) for name in names)


def _is_order(clause: str) -> bool:
    """Whether a clause without a known form is an order, perhaps misspelt: "ommit letters"."""
    first = clause.split(maxsplit=1)[0].casefold()
    orders = words_of_table("of_orders")
    is_misspelt = len(first) > _SHORT and bool(get_close_matches(first, orders, cutoff=_ALIKE))
    return first in orders or is_misspelt or bool(form("note_polite").match(clause))


def after_note(intent: ParsedIntent, note: Note, today: date) -> ParsedIntent:
    """Replace the topic of an intent as a note asks, or remove the concepts that it drops.

    Added terms become concepts only if they replace one ("toxicity instead of efficacy").
    """
    if note.instead:
        subject = parse_question(", ".join(note.instead), today)
        fields = ("topic", "concepts", "question", "alternatives")
        update = {name: getattr(subject, name) for name in fields}
        return intent.model_copy(update={**update, "boolean_query": None, "lines": []})
    unwanted = {tuple(tokens(term)) for term in (*note.excluded, *note.dropped)}
    concepts = [name for name in intent.concepts if tuple(tokens(name)) not in unwanted]
    concepts = concepts or intent.concepts
    if note.dropped and len(concepts) < len(intent.concepts):
        concepts = list(dict.fromkeys((*concepts, *note.added)))
    return intent.model_copy(update={"concepts": concepts})


def _phrases(text: str) -> list[str]:
    names = [phrase[:_LONGEST_TERM].strip() for phrase in key_phrases(text)]
    talk = form("small_talk", "note")
    return [
        phrase for phrase in names if any(map(str.isalnum, phrase)) and not talk.fullmatch(phrase)
    ]
