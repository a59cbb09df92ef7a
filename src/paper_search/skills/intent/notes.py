"""What a person's note asks of the next strategy, in the forms that a question is read by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from paper_search.models import ParsedIntent, SearchConstraints
from paper_search.skills.intent.forms import ParsedQuestion, forms, words_of_table
from paper_search.skills.intent.reader import parse_parts, parse_question
from paper_search.skills.phrases import key_phrases
from paper_search.skills.untrusted import visible
from paper_search.skills.words import tokens

_CLAUSES = re.compile(
    r"(?:[;:\n!?]|\.(?!\w))+|,\s*|\bbut\b|\bhowever\b"
    r"|\band\s+(?=(?:only|more|add|focus|skip|exclude|drop|leave|no|nothing|please)\b)",
    re.IGNORECASE,
)
_ONLY_BEHIND = re.compile(
    r"(?<=\w )(only|exclusively)((?: (?:please|pls|thanks))?\W{0,9})$", re.IGNORECASE
)
_INSTEAD_OF = re.compile(r"\b(?:instead\s+of|rather\s+than)\s+([^,.;:!?]+)", re.IGNORECASE)
_INSTEAD = re.compile(r"\binstead\b", re.IGNORECASE)
_PER_KIND = 4
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
    words = " ".join(visible(text or "").split())
    if not words:
        return Note()
    replaced = [name for match in _INSTEAD_OF.finditer(words) for name in _phrases(match[1])]
    # Behind a sign, "no X" is a wish; at the start of a question it may be a name.
    missing, unclear, rest = _split(_INSTEAD_OF.sub("", words), today)
    reading = parse_parts(f"; {rest}", today, 1)
    remarks = [*map(_not_acted_on, filter(_phrases, unclear)), *reading.notes]
    if most := reading.constraints.max_papers:  # "only 3 papers fit" says what the result was
        remarks.append(f"not acted on: {most} papers; edit `max_papers` to show so many")
    terms: dict[str, list[str]] = {"required": [], "added": missing, "instead": []}
    for kind, clause in _clauses(reading):
        names = _phrases(clause)
        if kind in {"less", "unclear"}:
            remarks += [_not_acted_on(clause)] if names else []
        elif kind == "required" and len(names) > 1:
            remarks.append(f"ranked by, no limit: {clause.strip()!r}; a limit is one term")
            terms["added"] += names
        else:
            terms[kind] += names
    terms_in_use = {term.casefold() for term in (*reading.excluded, *replaced)}
    for kind, names in terms.items():
        terms[kind] = [name for name in names if name.casefold() not in terms_in_use][:_PER_KIND]
        terms_in_use |= {name.casefold() for name in names}
    return Note(
        excluded=tuple(reading.excluded[:_PER_KIND]),
        dropped=tuple(replaced[:_PER_KIND]),
        limits=reading.constraints,
        authors=tuple(reading.authors),
        venues=tuple(reading.venues),
        remarks=tuple(remarks),
        **{kind: tuple(names) for kind, names in terms.items()},
    )


def _split(text: str, today: date) -> tuple[list[str], list[str], str]:
    """Return the terms that a note misses, the clauses that are not acted on, and the rest.

    Examples: "nothing on nurses here"; "don't exclude children". Bare terms in a sentence that is
    not understood are not acted on either: "editorials, letters are useless here".
    """
    missing: list[str] = []
    unclear: list[str] = []
    wishes: list[str] = []
    bare: list[int] = []
    is_clear, start = True, 0
    for stop in (*_CLAUSES.finditer(text), None):
        sign = stop[0] if stop else "."
        clause = text[start : stop.start() if stop else len(text)].strip()
        start = stop.end() if stop else start
        kind, words = _kind(clause + sign.strip() if "?" in sign else clause, today)
        if kind == "missing":
            missing += _phrases(words)
        elif kind in {"no wish", "unclear"}:
            unclear.append(clause)
            is_clear = is_clear and kind == "no wish"
        else:
            bare += [len(wishes)] if kind == "bare" else []
            wishes.append(f"{words} {sign}")
        if set(sign) & set(".;!?"):
            for place in () if is_clear else bare:
                unclear.append(wishes[place].strip(" ,.;:!?"))
                wishes[place] = ""
            bare, is_clear = [], True
    return missing, unclear, " ".join(wishes)


def _kind(clause: str, today: date) -> tuple[str, str]:
    """Return what kind of clause it is, and what of it counts."""
    for kind, pattern in forms("note_first"):
        if match := pattern.match(clause):
            return kind, match.groupdict().get("what") or ""
    clause = clause.rstrip("?")
    if only := _ONLY_BEHIND.search(clause):
        clause = f"{only[1]} {clause[: only.start()]}{only[2]}"
    if _INSTEAD.search(clause) or any(pattern.match(clause) for _, pattern in forms("note")):
        return "wish", clause
    reading = parse_parts(f"; {clause}", today, 1)
    if reading.excluded or reading.constraints.excluded_types:
        return "wish", clause
    if _is_sentence(clause):
        return "unclear", clause
    is_limit = reading.is_limited or reading.has_limits
    return "wish" if is_limit else "bare", clause


def _is_sentence(clause: str) -> bool:
    return not words_of_table("of_sentences").isdisjoint(clause.casefold().split())


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


def _clauses(reading: ParsedQuestion) -> Iterator[tuple[str, str]]:
    for clause in filter(None, map(str.strip, _CLAUSES.split(reading.question))):
        if _INSTEAD.search(clause):
            yield "instead", _without_cue(_INSTEAD.sub("", clause))
            continue
        matches = ((kind, pattern.match(clause)) for kind, pattern in forms("note"))
        kind, match = next(((k, m) for k, m in matches if m), ("", None))
        if match is None:
            kind = "unclear" if _is_sentence(clause) else "added"
        yield kind, clause[match.end() :] if match and kind != "less" else clause


def _without_cue(clause: str) -> str:
    cue = dict(forms("note"))["added"].match(clause.strip())
    return clause.strip()[cue.end() :] if cue else clause


def _phrases(text: str) -> list[str]:
    names = [phrase[:_LONGEST_TERM].strip() for phrase in key_phrases(text)]
    talk = dict(forms("small_talk"))["note"]
    return [
        phrase for phrase in names if any(map(str.isalnum, phrase)) and not talk.fullmatch(phrase)
    ]
