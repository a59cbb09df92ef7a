"""What a person's note asks of the next strategy, in the forms that a question is read by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches

from paper_search.models import ParsedIntent, SearchConstraints
from paper_search.skills.intent.forms import CUT, ParsedQuestion, forms, is_quoted, words_of_table
from paper_search.skills.intent.reader import parse_parts, parse_question, without_talk
from paper_search.skills.phrases import key_phrases
from paper_search.skills.untrusted import visible
from paper_search.skills.words import tokens

_ITEM = re.compile(r"\s*(?:[-–•*+]|\(?\d{1,2}[.)])\s+")
"""Where an item of a list begins."""
_NUMBERED = re.compile(r"(?<!\S)\(\d\)(?=\s)")
_ONLY_BEHIND = re.compile(
    r"(?<=\w )(only|exclusively)((?: (?:please|pls|thanks))?\W{0,9})$", re.IGNORECASE
)
_INSTEAD_OF = re.compile(r"\b(?:instead\s+of|rather\s+than)\s+([^,.;:!?]+)", re.IGNORECASE)
_INSTEAD = re.compile(r"\binstead\b", re.IGNORECASE)
_PER_KIND = 4
"""Terms that a round adds; more make a query that finds everything, and are named."""
_CUES = {"required", "added"}
_BRACKETS = re.compile(r"\([^()]*\)")
_SHORT, _ALIKE = 4, 0.85
"""Letters of a word that is too short to be a misspelt order, and how alike one must be."""
_BARE_WORDS = 5
"""Of a clause that is nothing but terms; a longer one says something."""
_LONGEST_TERM = 60


@dataclass(frozen=True)
class Note:
    """A note, understood.

    Attributes:
        required: what every paper must have ("only randomised trials").
        excluded: what no paper may have ("exclude animal studies").
        added: what is to be looked for as well ("more about toxicity").
        instead: what is to be looked for in place of the subject ("focus on toxicity instead").
        dropped: what is no longer looked for ("toxicity instead of efficacy").
        limits: years, language and kinds.
        authors: of whom every paper must have one.
        venues: in one of which every paper must have been published.
        remarks: what the person should know about how the note was read.
    """

    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    limits: SearchConstraints | None = None
    authors: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def with_limits(self, filters: SearchConstraints) -> SearchConstraints:
        if self.limits is None:
            return filters
        update: dict[str, object] = {}
        if (self.limits.year_from, self.limits.year_to) != (None, None):
            update |= {"year_from": self.limits.year_from, "year_to": self.limits.year_to}
        if self.limits.language:
            update["language"] = self.limits.language
        kinds = [*filters.excluded_types, *self.limits.excluded_types]
        return filters.model_copy(update={**update, "excluded_types": list(dict.fromkeys(kinds))})


def parse_note(text: str | None, today: date) -> Note:
    """Return what a person's note asks for, clause by clause.

    A limit is only what a form says for certain; "only" with several terms is ranked by. Bare terms
    are something to look for as well, and so is what a clause says is missing. Any other clause is
    not acted on, and a remark says so.
    """
    words, unclear = _one_line(without_talk(visible(text or "")).replace(CUT, "."))
    rest = _INSTEAD_OF.sub("", words)
    replaced = [
        name
        for match in _INSTEAD_OF.finditer(words)
        for name in _phrases(match[1])
        if not set(tokens(name)) <= set(tokens(rest))  # "return to play instead of return to work"
    ]
    wishes, more_unclear = _wishes(rest, today)
    readings = [(wish, parse_parts(f"; {wish.text}.", today, 1)) for wish in wishes]
    excluded = [name for _, reading in readings for name in reading.excluded]
    terms: dict[str, list[str]] = {"required": [], "added": [], "instead": []}
    remarks: list[str] = []
    for wish, reading in readings:
        what = _what(reading.question.strip(" .;"))
        names = _phrases(what)
        if wish.kind == "excluded":  # what its forms do not read is not looked for
            unclear += [what] if names else []
        elif wish.kind == "required" and len(names) > 1:
            remarks.append(f"ranked by, no limit: {what!r}; a limit is one term")
            terms["added"] += names
        else:
            terms[wish.kind] += names
    terms_in_use = {term.casefold() for term in (*excluded, *replaced)}
    for kind, names in terms.items():
        new = [name for name in dict.fromkeys(names) if name.casefold() not in terms_in_use]
        terms[kind], beyond = new[:_PER_KIND], new[_PER_KIND:]
        unclear += [", ".join(beyond)] if beyond else []
        terms_in_use |= {name.casefold() for name in names}
    remarks += [_not_acted_on(clause) for clause in (*unclear, *more_unclear) if _phrases(clause)]
    return Note(
        excluded=tuple(dict.fromkeys(excluded)),
        dropped=tuple(replaced),
        limits=_limits([reading.constraints for _, reading in readings], remarks),
        authors=tuple(name for _, reading in readings for name in reading.authors),
        venues=tuple(name for _, reading in readings for name in reading.venues),
        remarks=(*remarks, *(remark for _, reading in readings for remark in reading.notes)),
        **{kind: tuple(names) for kind, names in terms.items()},
    )


def _limits(readings: list[SearchConstraints], remarks: list[str]) -> SearchConstraints | None:
    limits = {
        name: value
        for reading in readings
        for name, value in reading
        if name in {"year_from", "year_to", "language"} and value is not None
    }
    kinds = [kind for reading in readings for kind in reading.excluded_types]
    remarks += [  # "only 3 papers fit" says what the result was
        f"not acted on: {reading.max_papers} papers; edit `max_papers` to show so many"
        for reading in readings
        if reading.max_papers
    ]
    return SearchConstraints(**limits, excluded_types=kinds) if limits or kinds else None


@dataclass(frozen=True)
class _Wish:
    """Clauses that are read together: an order, and the terms behind it."""

    kind: str
    text: str


def _what(rest: str) -> str:
    """Return what a wish is about, of what its limits leave."""
    text = _INSTEAD.sub("", rest).strip()
    matches = (pattern.match(text) for kind, pattern in forms("note") if kind in _CUES)
    match = next(filter(None, matches), None)
    return match["what"] if match else text


def _one_line(text: str) -> tuple[str, list[str]]:
    """Return a note as one line, in which a list reads as a sentence, and what is in brackets."""
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


def _wishes(text: str, today: date) -> tuple[list[_Wish], list[str]]:
    """Return the wishes of a note, and the clauses that are not acted on.

    Behind a clause that is not understood only an order is acted on ("excluding smokers was their
    choice, not mine"), and nothing in a sentence with a condition. Terms alone are a wish only
    where the whole note is understood.
    """
    wishes: list[_Wish] = []
    bare: list[_Wish] = []
    unclear: list[str] = []
    is_whole = True
    for sentence in _sentences(text):
        clauses = [(clause, _read(clause, sign, today)) for clause, sign in sentence]
        states = {state for _, (state, _) in clauses}
        is_clear = True
        head: _Wish | None = None
        for clause, (state, wish) in clauses:
            if state == "echo" and "order" in states:  # "too many mice, leave them out"
                continue
            is_acted_on = (state == "order") or (state == "wish" and is_clear)
            is_term = state == "bare" and "unclear" not in states
            if "condition" in states or not (is_acted_on or is_term):
                unclear.append(clause)
                is_clear = is_clear and state == "no wish"
            elif is_term and head:
                wishes.remove(head)
                head = _Wish(head.kind, f"{head.text}, {clause}")
                wishes.append(head)
            elif is_term:
                bare.append(wish)
            else:
                wishes.append(wish)
                head = wish
        is_whole = is_whole and is_clear
    if is_whole:
        return [*wishes, *bare], unclear
    return wishes, [*unclear, *(wish.text for wish in bare)]


def _sentences(text: str) -> Iterator[list[tuple[str, str]]]:
    """Yield the clauses of each sentence, each with the sign or the word behind it."""
    [(_, end)] = forms("clause_end")
    talk = dict(forms("small_talk"))["note"]
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


def _read(clause: str, sign: str, today: date) -> tuple[str, _Wish]:
    """Return what is to be done with a clause, and what it asks for."""
    asked = f"{clause}?" if "?" in sign else clause
    for state, pattern in forms("note_first"):
        if match := pattern.match(asked):
            what = match.groupdict().get("what") or ""
            is_certain = not _is_sentence(what) and not parse_parts(f"; {what}", today, 1).excluded
            known = "order" if state == "missing" and what else state
            return (known if is_certain else "unclear"), _Wish("added", what or clause)
    if only := _ONLY_BEHIND.search(clause):
        clause = f"{only[1]} {clause[: only.start()]}{only[2]}"
    if _INSTEAD.search(clause):
        return "wish", _Wish("instead", clause)
    [(_, also)] = forms("note_also")
    reading = parse_parts(f"; {also.sub('', clause)}", today, 1)
    is_addition = not reading.excluded and _is_limited(reading) and bool(also.search(clause))
    for kind, pattern in forms("note") if not is_addition else ():
        match = pattern.match(clause)
        if match is not None and not _is_sentence(what := match["what"]):
            return _order(kind, clause, what, reading)
    return _statement(clause, reading, is_clear=not is_addition)


def _is_limited(reading: ParsedQuestion) -> bool:
    return reading.has_limits or reading.is_limited


def _statement(clause: str, reading: ParsedQuestion, *, is_clear: bool) -> tuple[str, _Wish]:
    """Return what is to be done with a clause that has none of the forms."""
    wish = _Wish("excluded" if reading.excluded else "added", clause)
    is_limit = _is_limited(reading) and not reading.excluded and not reading.question
    may_be_minus = clause.startswith(("-", "–")) and not reading.excluded  # or begin a list
    if (
        not is_clear
        or may_be_minus
        or (not is_limit and (_is_sentence(clause) or _is_order(clause)))
    ):
        return "unclear", wish
    if _is_limited(reading):
        return "wish", wish
    return ("bare" if len(clause.split()) <= _BARE_WORDS else "unclear"), wish


def _order(kind: str, clause: str, what: str, reading: ParsedQuestion) -> tuple[str, _Wish]:
    if kind == "excluded":
        return "order", _Wish("excluded", f"excluding {what}")
    if kind == "too many":
        return "order", _Wish("excluded", f"too many {what}")
    if kind == "negative":
        return "wish", _Wish("excluded", clause)
    is_name = reading.authors or reading.venues or reading.constraints.language
    if kind == "added" and is_name:  # they would limit, and are to be there as well
        return "unclear", _Wish("added", clause)
    return ("order" if kind in _CUES else kind), _Wish(kind, clause)


def _is_sentence(text: str) -> bool:
    words = text.casefold().replace("’", "'").split()
    return not words_of_table("of_sentences").isdisjoint(word.strip(',()"“”') for word in words)


def _is_order(clause: str) -> bool:
    """Whether a clause without any form asks for something, perhaps misspelt: "ommit letters"."""
    first = clause.split(maxsplit=1)[0].casefold()
    orders = words_of_table("of_orders")
    is_misspelt = len(first) > _SHORT and bool(get_close_matches(first, orders, cutoff=_ALIKE))
    return is_misspelt or bool(forms("note_polite")[0][1].match(clause))


def _not_acted_on(clause: str) -> str:
    return f"not acted on: {clause.strip()!r}; write 'no' or 'more on' and a term"


def after_note(intent: ParsedIntent, note: Note, today: date) -> ParsedIntent:
    """Return the intent with the subject that a note wants instead, or without what it drops.

    A concept that is replaced ("toxicity instead of efficacy") makes room for what is added.
    """
    if note.instead:
        subject = parse_question(", ".join(note.instead), today, 1)
        fields = ("topic", "concepts", "question", "alternatives")
        update = {name: getattr(subject, name) for name in fields}
        return intent.model_copy(update={**update, "boolean_query": None, "lines": []})
    unwanted = {tuple(tokens(term)) for term in (*note.excluded, *note.dropped)}
    concepts = [name for name in intent.concepts if tuple(tokens(name)) not in unwanted]
    if note.dropped and len(concepts) < len(intent.concepts):
        concepts = list(dict.fromkeys((*concepts, *note.added)))
    return intent.model_copy(update={"concepts": concepts})


def _phrases(text: str) -> list[str]:
    names = [phrase[:_LONGEST_TERM].strip() for phrase in key_phrases(text)]
    talk = dict(forms("small_talk"))["note"]
    return [
        phrase for phrase in names if any(map(str.isalnum, phrase)) and not talk.fullmatch(phrase)
    ]
