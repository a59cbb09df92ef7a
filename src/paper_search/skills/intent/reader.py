"""Reads a question without a model: its subject, and limits in forms that are certain."""

import re
from collections.abc import Iterator
from datetime import date

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.text import WORD
from paper_search.bibliography.words import rarity
from paper_search.errors import QuestionError
from paper_search.models import (
    IntentType,
    MarkedPaper,
    ParsedIntent,
    RawPaper,
    SearchConstraints,
    Seed,
)
from paper_search.skills.intent.clauses import read_clauses
from paper_search.skills.intent.concepts import MAX_CONCEPTS, Concepts, concepts_of
from paper_search.skills.intent.exclusions import read_exclusions
from paper_search.skills.intent.forms import (
    CUT,
    ParsedQuestion,
    forms,
    is_quoted,
    without_cuts,
    without_span,
)
from paper_search.skills.intent.names import Lookup, read_names, read_years
from paper_search.skills.phrases import phrases, reads_as_english, without_request
from paper_search.skills.words import STOP_WORDS, tokens

_REQUEST = re.compile(
    r"\b(?:I|I['’]m|me|my|please|pls|find|looking|need|want|search(?:ing)?|interested|papers"
    r"|articles|literature|publications|anything|anyone)\b|\?"
)
_OPERATOR = re.compile(r"(?<![\w-])(?:AND|OR|NOT)(?![\w-])")
_RARE = 2.0
"""Rarity of all words of a subject below which they select nothing: "learning", "patients"."""
_WORDS_OF_AN_ABSTRACT = 25
_LONGEST_TOPIC = 300
_SHOWN = 60


def no_lookup(kind: str, name: str) -> bool | None:  # noqa: ARG001  # the type `Lookup`
    return None


def parse_limits(
    question: str, today: date, default_max_results: int, lookup: Lookup
) -> ParsedQuestion:
    """Return what the question limits, and the rest of it.

    `question` has single spaces; "last five years" is counted from `today`.

    Raises:
        QuestionError: it only says what to exclude.
    """
    question = re.sub(" -- ", lambda m: m[0] if is_quoted(m.string, m.start()) else " – ", question)
    text, identifiers = parse_identifiers(question)
    unlimited = SearchConstraints(max_results=default_max_results)
    if _is_abstract(text):
        return ParsedQuestion(without_cuts(text), unlimited, text, identifiers=identifiers)
    is_english = reads_as_english(question)
    reading = parse_parts(text, today, default_max_results, lookup, is_english=is_english)
    reading.identifiers = identifiers
    if is_english:
        rest = reading.question
        remainder = _or_empty_if_generic(rest if rest == question else without_request(rest))
        reading.question, reading.subject = remainder, reading.subject if remainder else question
    else:
        reading.subject = without_request(reading.subject)  # "can you find me", in English
        reading.notes.append(_foreign_note(reading))
    if _has_subject(reading, question):
        return reading
    if is_english:
        return ParsedQuestion(question, unlimited, question)
    reading.question = question
    return reading


def _has_subject(reading: ParsedQuestion, question: str) -> bool:
    is_limited = bool(reading.question) or reading.is_limited
    if not is_limited and (reading.excluded or reading.constraints.excluded_types):
        raise QuestionError(
            f"the question only says what to exclude: {question[:_SHOWN]!r};"
            " say what you are looking for"
        )
    return is_limited


def parse_parts(
    text: str,
    today: date,
    default_max_results: int,
    lookup: Lookup = no_lookup,
    *,
    is_english: bool = True,
) -> ParsedQuestion:
    """Return what a text limits, and all the rest of it; identifiers are not read."""
    limits = SearchConstraints(max_results=default_max_results)
    reading = ParsedQuestion(without_talk(text), limits)
    read_years(reading, today)
    read_names(reading, lookup)
    read_clauses(reading)
    read_exclusions(reading, is_english=is_english)
    if not says_something(reading.subject):
        # "learning without forgetting" has no subject but the words that may exclude something.
        reading.subject = reading.question
    _read_hedges(reading)
    reading.question = " ".join(without_cuts(reading.question).split())
    reading.notes = list(dict.fromkeys(reading.notes))
    return reading


def says_something(text: str) -> bool:
    names = [one.text for one in phrases(without_request(text)) if not one.is_empty]
    return sum(map(rarity, tokens(" ".join(names)))) >= _RARE


def _read_hedges(reading: ParsedQuestion) -> None:
    """Take out of the subject what the question would rather have, which is no condition."""
    rest, notes = reading.subject, list[str]()
    for match in dict(forms("around_term"))["hedge"].finditer(rest):
        rest = rest.replace(match[0], f" {CUT} ")
        notes.append(f"{match[0].strip(' ,;(–—')!r} is ranked by, not required")
    if says_something(rest):
        reading.subject = rest
        reading.notes += notes


def _foreign_note(reading: ParsedQuestion) -> str:
    return (
        "the question seems not to be in English, so only its years and what it excludes are read"
        " as limits; most papers are indexed in English, so English terms find more; ranked as it"
        f" is: {reading.question[:_SHOWN]!r}"
    )


def without_talk(text: str) -> str:
    """Return the text with a mark in place of greetings, thanks and a name below them."""
    for _, pattern in forms("talk"):
        while match := pattern.search(text):
            text = without_span(text, match.start(), match.end())
    return text


def parse_question(
    question: str, today: date, default_max_results: int, lookup: Lookup = no_lookup
) -> ParsedIntent:
    """Return the intent of a question in plain words; see `parse_limits`."""
    reading = parse_limits(question, today, default_max_results, lookup)
    subject, kind = _parse_type(reading.subject)
    concepts = Concepts()
    if reading.question:
        in_english = reads_as_english(question)
        concepts = concepts_of(subject, in_english=in_english)
        if not concepts.names:
            concepts = concepts_of(reading.subject, in_english=in_english)
    excluded = {name.casefold() for name in reading.excluded}
    names = [name for name in concepts.names if name.casefold() not in excluded]
    topic = _topic(reading) or question[:_LONGEST_TOPIC]
    if not names and reading.question:
        names = [topic] if topic in question else WORD.findall(topic)[:MAX_CONCEPTS] or [topic]
    barred = {name.casefold() for name in names}
    return ParsedIntent(
        topic=topic,
        concepts=names,
        intent_type=kind,
        constraints=reading.constraints,
        question=reading.question,
        alternatives={
            name: concepts.alternatives[name] for name in names if name in concepts.alternatives
        },
        excluded=[name for name in reading.excluded if name.casefold() not in barred],
        authors=reading.authors,
        venues=reading.venues,
        identifiers=reading.identifiers,
        notes=[*reading.notes, *_remarks(question, reading)],
    )


def _parse_type(text: str) -> tuple[str, IntentType]:
    for kind, cue in forms("type"):
        if (match := cue.search(text)) and not is_quoted(text, match.start()):
            return without_span(text, match.start(), match.end()), IntentType(kind)
    return text, IntentType.METHOD


def _topic(reading: ParsedQuestion) -> str:
    if reading.question:
        return without_request(reading.question)[:_LONGEST_TOPIC].strip(" ,.;:?!–—-")
    limits = reading.constraints
    years = [str(year) for year in (limits.year_from, limits.year_to) if year is not None]
    names = (*reading.authors, *reading.venues, *reading.identifiers)
    return ", ".join(filter(None, [*names, "-".join(dict.fromkeys(years))]))


def _or_empty_if_generic(text: str) -> str:
    words = [word.casefold() for word in WORD.findall(without_request(text))]
    return text if any(word not in STOP_WORDS for word in words) else ""


def _is_abstract(text: str) -> bool:
    """Return whether a long text asks for nothing: its "not" and its years are its own."""
    return len(text.split()) >= _WORDS_OF_AN_ABSTRACT and not _REQUEST.search(text)


def _remarks(question: str, reading: ParsedQuestion) -> Iterator[str]:
    if question.count('"') % 2:
        yield "a closing quotation mark is missing: the question is read as plain words"
    if not reading.question and not (reading.authors or reading.venues or reading.identifiers):
        yield "the question contains only years: say what it is about"
    if boolean_words := _OPERATOR.findall(question) if not question.isupper() else []:
        yield (
            f"{', '.join(dict.fromkeys(boolean_words))} in a sentence: read as plain English; for"
            ' a boolean query, put each phrase in quotation marks ("...")'
        )
    if signs := [
        repr(match[0])
        for _, pattern in forms("sign")
        for match in pattern.finditer(reading.question)
        if not is_quoted(reading.question, match.start())
        and match[0] not in " ".join(reading.notes)
    ]:
        yield f"not acted on: {', '.join(signs)}, which may be part of the subject"
    if reading.question and not _or_empty_if_generic(reading.question):
        yield "the question contains only words that most papers use: say what it is about"


_FEWEST_WORDS = 4
"""Words of a title; "papers like transformers" names no paper."""


def parse_seed(question: str) -> tuple[str, list[str]] | None:
    """Return the title or the identifiers of a paper that others like it are wanted for, or None.

    What looks like a title is one only if a paper is called so: that is for the caller to find out.
    """
    matches = (pattern.match(question) for _, pattern in forms("like"))
    match = next(filter(None, matches), None)
    if match is None:
        return None
    rest, identifiers = parse_identifiers(match["seed"])
    title = without_cuts(rest).strip(" .?!\"“”'")
    if not identifiers and len(title.split()) < _FEWEST_WORDS:
        return None
    return title, identifiers


def with_seed(intent: ParsedIntent, paper: RawPaper) -> ParsedIntent:
    """Return the intent for papers like one: its title and keywords in place of the question."""
    author = paper.authors[0].name if paper.authors else None
    what = ", ".join(filter(None, [author, paper.venue, str(paper.year or "")]))
    note = (
        f"papers like {paper.title!r} ({what or paper.id}), which was looked up at {paper.source}"
        " before this question, and counts as marked relevant: is this the paper you mean? If not,"
        " start a search with its DOI"
    )
    seed = Seed.of(paper)
    marked = MarkedPaper(
        id=paper.id, title=paper.title, abstract=paper.text, is_relevant=True, seed=seed
    )
    return intent.model_copy(
        update={
            "topic": paper.title[:_LONGEST_TOPIC],
            "concepts": concepts_of(paper.title).names or [paper.title],
            "alternatives": {},
            "question": " ".join([paper.title, *paper.keywords]),
            "identifiers": intent.identifiers or ([f"doi:{paper.doi}"] if paper.doi else []),
            "seeds": [marked],
            "notes": [*intent.notes, note],
        }
    )


def parse_identifiers(text: str) -> tuple[str, list[str]]:
    """Return the text without identifiers of works, and these: `doi:...`, `arxiv:...`, `pmid:...`.

    A bare number is a PMID only where the text says so.
    """
    names: list[str] = []
    for _, pattern in forms("identifier"):
        matches = [
            (match, name) for match in pattern.finditer(text) if (name := _identifier(match))
        ]
        names += [name for _, name in matches]
        for match, _ in reversed(matches):
            text = without_span(text, match.start(), match.end())
    return text, list(dict.fromkeys(names))


def _identifier(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    for name in ("pmid", "pmcid"):
        if groups.get(name):
            return f"{name}:{groups[name].lower().lstrip('0')}"
    doi = parse_doi(match[0])
    arxiv = parse_arxiv_id(doi or match[0])
    return f"arxiv:{arxiv}" if arxiv else f"doi:{doi}" if doi else None
