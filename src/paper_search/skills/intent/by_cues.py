"""Reads the intent of a question from cue words: its subject and its limits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.text import WORD
from paper_search.errors import QuestionError
from paper_search.models import IntentType, ParsedIntent, SearchConstraints
from paper_search.skills.intent.authors import read_authors
from paper_search.skills.intent.boolean_question import BooleanQuestion
from paper_search.skills.intent.concepts import Concepts, concepts_of
from paper_search.skills.intent.cutting import GLUE, cut, without_cuts
from paper_search.skills.intent.exclusions import read_exclusions
from paper_search.skills.intent.languages import NAMES, language_of
from paper_search.skills.intent.limits import read_count, read_kind, read_language
from paper_search.skills.intent.phrases import without_request
from paper_search.skills.intent.years import years_in
from paper_search.skills.stop_words import OTHER_LANGUAGES, STOP_WORDS

_DOI = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|https?://\S{1,80}?/(?=10\.\d{4})"
    r"|doi\s*:?\s*)?10\.\d{4,9}/[^\s\"<>，。；]+",
    re.IGNORECASE,
)
_ARXIV = re.compile(
    r"https?://(?:\w+\.)?arxiv\.org/(?:abs|pdf|html)/[^\s,;]+"
    r"|\barxiv\s*[:\s]\s*(?:\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?!\w)"
    r"|(?<![\w./-])(?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?)(?![\w/-]|\.\d)",
    re.IGNORECASE,
)
_PMCID = re.compile(
    r"(?:https?://\S{1,80}?/)?\b(?:pmcid\s*:?\s*)?(?P<id>pmc\d{3,9})(?!\w)/?", re.IGNORECASE
)
_PMID = re.compile(
    r"(?:https?://pubmed\.ncbi\.nlm\.nih\.gov/|https?://\S{1,60}?/pubmed/"
    r"|\bpmid\s*:?\s*)(?P<id>\d{1,9})(?!\w)/?",
    re.IGNORECASE,
)
_LONGEST_TOPIC = 300
_SHOWN = 60


@dataclass(frozen=True)
class Reading:
    """What a question says beside its subject.

    Attributes:
        question: the question without it, to rank by; empty: it says nothing else.
        subject: what concepts are read from.
        constraints: years, language, count and kinds that are not wanted.
        excluded: words and phrases that no paper may have.
        authors: of whom every paper must have one.
        identifiers: works that the question names.
        notes: what the person should know about how it was read.
    """

    question: str
    subject: str
    constraints: SearchConstraints
    excluded: tuple[str, ...]
    authors: tuple[str, ...]
    identifiers: tuple[str, ...]
    notes: tuple[str, ...]


def read_limits(question: str, today: date, default_max_results: int) -> Reading:
    """Return what the question limits, and the rest of it.

    Args:
        question: visible characters, single spaces.
        today: what "last five years" is counted from.
        default_max_results: how many results are wanted where it does not say.
    """
    named = read_identifiers(question)
    text, count = read_count(named.rest, today)
    years = years_in(text, today)
    text, language, foreign = read_language(years.rest)
    excluded = read_exclusions(text)
    authors = read_authors(excluded.rest)
    left = _if_telling(without_cuts(authors.rest))
    is_carried = authors.names or named.names or years.first or years.last
    if not left and not is_carried and (excluded.terms or excluded.kinds):
        raise QuestionError(
            f"the question only says what to exclude: {question[:_SHOWN]!r};"
            " say what you are looking for"
        )
    return Reading(
        question=left or ("" if is_carried else question),
        subject=read_authors(excluded.subject).rest if left else question,
        constraints=SearchConstraints(
            year_from=years.first,
            year_to=years.last,
            language=language,
            max_results=count or default_max_results,
            excluded_types=list(excluded.kinds),
        ),
        excluded=excluded.terms,
        authors=authors.names,
        identifiers=named.names,
        notes=(*years.notes, *foreign, *excluded.notes, *authors.notes),
    )


def intent_by_cues(question: str, today: date, default_max_results: int) -> ParsedIntent:
    """Return the intent of a question in plain words."""
    reading = read_limits(question, today, default_max_results)
    subject, kind = read_kind(reading.subject)
    found = Concepts()
    if reading.question:
        language = language_of(question)
        found = concepts_of(subject, language)
        found = found if found.names else concepts_of(reading.subject, language)
    own = {name.casefold() for name in reading.excluded}
    concepts = [name for name in found.names if name.casefold() not in own]
    left = without_cuts(subject).replace(GLUE, " ")
    topic = _topic(reading, left) or question[:_LONGEST_TOPIC]
    if not concepts and reading.question:
        concepts = [_as_written(topic, question)]
    names = {name.casefold() for name in concepts}
    return ParsedIntent(
        topic=topic,
        concepts=concepts,
        intent_type=kind,
        constraints=reading.constraints,
        question=_without_function_words(reading.question, language_of(question)),
        alternatives={
            name: found.alternatives[name] for name in concepts if name in found.alternatives
        },
        excluded=[name for name in reading.excluded if name.casefold() not in names],
        authors=list(reading.authors),
        identifiers=list(reading.identifiers),
        notes=[*reading.notes, *_remarks(question, reading)],
    )


def intent_of_boolean(
    question: str, wanted: BooleanQuestion, default_max_results: int
) -> ParsedIntent:
    """Return the intent of a question that is a boolean query: nothing about it is guessed."""
    names = [
        name
        for concept in wanted.concepts
        for name in (concept, *wanted.alternatives.get(concept, ()))
    ]
    return ParsedIntent(
        topic=(", ".join(wanted.concepts) if wanted.lines else question)[:_LONGEST_TOPIC],
        concepts=list(wanted.concepts),
        intent_type=IntentType.METHOD,
        constraints=wanted.limits.model_copy(update={"max_results": default_max_results}),
        question=" ".join(dict.fromkeys(names)) or " ".join(wanted.authors),
        alternatives=wanted.alternatives,
        authors=[],
        boolean_query=wanted.query,
        lines=list(wanted.lines),
        notes=list(wanted.notes),
    )


def _if_telling(text: str) -> str:
    """Return the text, or nothing if only words of a request are left of it."""
    words = [word.casefold() for word in WORD.findall(without_request(text))]
    return text if any(word not in STOP_WORDS for word in words) else ""


def _without_function_words(text: str, language: str) -> str:
    """Return the text without words that its language, other than English, says nothing by.

    A library knows those of English alone: it would look for the others.
    """
    own = OTHER_LANGUAGES.get(language, frozenset())
    kept = [word for word in text.split() if word.strip(",.;:?!¿¡()").casefold() not in own]
    return " ".join(kept) or text


def _topic(reading: Reading, subject: str) -> str:
    """Return the subject in a phrase; without one, what limits the search."""
    if reading.question:
        return without_request(subject or reading.question)[:_LONGEST_TOPIC].strip(" ,.;:?!")
    limits = reading.constraints
    years = "-".join(
        dict.fromkeys(str(year) for year in (limits.year_from, limits.year_to) if year is not None)
    )
    return ", ".join(filter(None, [*reading.authors, *reading.identifiers, years]))


def _as_written(topic: str, question: str) -> str:
    return topic if topic.casefold() in question.casefold() else question[:_LONGEST_TOPIC]


def _remarks(question: str, reading: Reading) -> list[str]:
    notes = []
    language = language_of(question)
    if language in NAMES:
        notes.append(
            f"the question seems to be in {NAMES[language]}: most papers are indexed in English,"
            " so English terms find more"
        )
    if question.count('"') % 2:
        notes.append("a closing quotation mark is missing: the question is read as plain words")
    if not (reading.question or reading.authors or reading.identifiers):
        notes.append("the question contains only years: say what it is about")
    if reading.question and not _if_telling(reading.question):
        notes.append("the question contains only words that most papers use: say what it is about")
    return notes


@dataclass(frozen=True)
class Identifiers:
    """The text without identifiers, and these, normalised: `doi:...`, `arxiv:...`, `pmid:...`."""

    rest: str
    names: tuple[str, ...] = ()


def read_identifiers(text: str) -> Identifiers:
    """Return the DOIs, arXiv ids, PMIDs and PMCIDs of a text, in the form of `names_of`.

    A bare number is a PMID only where the text says so.
    """
    names: list[str] = []
    for pattern, name in (
        (_DOI, _doi),
        (_ARXIV, _arxiv),
        (_PMID, lambda match: f"pmid:{match['id'].lstrip('0')}"),
        (_PMCID, lambda match: f"pmcid:{match['id'].lower()}"),
    ):
        found = [(match, made) for match in pattern.finditer(text) if (made := name(match))]
        names += [made for _, made in found]
        for match, _ in reversed(found):
            text = cut(text, match.start(), match.end())
    return Identifiers(text, tuple(dict.fromkeys(names)))


def _doi(match: re.Match[str]) -> str | None:
    doi = parse_doi(match[0])
    if doi is None:
        return None
    arxiv = parse_arxiv_id(doi)
    return f"arxiv:{arxiv}" if arxiv else f"doi:{doi}"


def _arxiv(match: re.Match[str]) -> str | None:
    found = parse_arxiv_id(match[0])
    return f"arxiv:{found}" if found else None
