"""Reads the topic and the limits of a question without a model."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from rapidfuzz.distance import OSA

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.text import WORD
from paper_search.bibliography.words import is_known, rarity, stem
from paper_search.models import IntentType, MarkedPaper, ParsedIntent, RawPaper, Seed
from paper_search.skills.intent.clauses import limits_left, read_clauses
from paper_search.skills.intent.concepts import MAX_CONCEPTS, concepts_of
from paper_search.skills.intent.exclusions import read_exclusions
from paper_search.skills.intent.forms import (
    CUT,
    LONGEST_SHOWN,
    LONGEST_TOPIC,
    ParsedQuestion,
    form,
    forms,
    is_quoted,
    matches,
    no_subject,
    with_notes,
    without_cuts,
    without_spans,
    words_of_table,
)
from paper_search.skills.intent.names import Lookup, read_names, read_years
from paper_search.skills.phrases import (
    end_of_request,
    phrases,
    reads_as_english,
    without_request,
)
from paper_search.skills.variants import TELLING, is_heading
from paper_search.skills.words import STOP_WORDS, tokens

_SIGN = re.compile(r" (?:--|//|[|•]) ")
_OPERATOR = re.compile(r"(?<![\w-])(?:AND|OR|NOT)(?![\w-])")
_WORDS_OF_AN_ABSTRACT = 25
_SHORT = len("since")
_LONG_WORD = re.compile(r"(?<![\w'’])[a-z]{5,}(?![\w'’])")
_SENTENCE_ENDS, _SEVERAL = re.compile(r"[.!?](?=\s|$)"), 2


def parse_limits(question: str, today: date, lookup: Lookup) -> ParsedQuestion:
    """Separate the limits of a question from the rest.

    `question` has single spaces; "last five years" is relative to `today`.

    Raises:
        QuestionError: the question only says what to exclude.
    """
    question = _SIGN.sub(lambda m: m[0] if is_quoted(m.string, m.start()) else "; ", question)
    text, identifiers = parse_identifiers(question)
    unwanted = form("negated_limit", "before").search(text, 0, max(text.find(CUT), 0))
    text = without_spans(text, unwanted.span()) if unwanted else text
    is_english = reads_as_english(question)
    reading = parse_parts(text, today, lookup, is_english=is_english)
    reading.identifiers = [] if unwanted else identifiers
    if unwanted:
        reading.leave(f"unwanted works ({', '.join(identifiers)})")
    if _is_abstract(text):
        return _without_limits(reading, text)
    if is_english:
        rest = reading.question
        rest = rest[end_of_request(rest) :] if rest == question else without_request(rest)
        reading.question = _or_empty_if_generic(rest)
        reading.subject = reading.subject if reading.question else question
        reading.subject = reading.subject[end_of_request(reading.subject) :]
    else:
        reading.subject = without_request(reading.subject)  # "can you find me", in English
        reading.notes.append(
            "the question does not seem to be in English, so few of its limits are read; most"
            " papers are indexed in English, so English terms find more;"
            f" used for ranking: {reading.question[:LONGEST_SHOWN]!r}"
        )
    if reading.question or reading.is_limited:
        return reading
    if reading.excluded or reading.constraints.excluded_types:
        raise no_subject(question)
    return ParsedQuestion(question, subject=question, notes=[] if is_english else reading.notes)


def parse_parts(
    text: str, today: date, lookup: Lookup = lambda *_: None, *, is_english: bool = True
) -> ParsedQuestion:
    """Separate the limits of a text, except identifiers, from the rest."""
    reading = ParsedQuestion(without_talk(text))
    if is_english:
        correct_spelling(reading)
    read_years(reading, today)
    read_names(reading, lookup)
    read_clauses(reading)
    read_exclusions(reading, is_english=is_english)
    reading.clauses = list(limits_left(reading.subject)) if is_english else []
    if not says_something(reading.subject):
        # "learning without forgetting" has no topic besides the possible exclusion.
        reading.subject = reading.question
    reading.question = " ".join(without_cuts(reading.question).split())
    reading.notes = list(dict.fromkeys(reading.notes))
    return reading


def correct_spelling(reading: ParsedQuestion) -> None:
    """Correct misspelt words of limits, with a note on each."""

    def meant_by(match: re.Match[str]) -> str:
        word, near = match[0], words_of_table("limit_word")
        distance, meant = min((OSA.distance(word, one, score_cutoff=1), one) for one in near)
        is_near = distance == 1 and (len(word) > _SHORT or sorted(word) == sorted(meant))
        is_own = is_near and (is_known(stem(word)) or is_heading(word))
        if not is_near or is_own or is_quoted(match.string, match.start()):
            return word
        reading.notes.append(f"{word!r} is read as {meant!r}")
        return meant

    reading.question = _LONG_WORD.sub(meant_by, reading.question)


def says_something(text: str) -> bool:
    names = [one.text for one in phrases(without_request(text)) if not one.is_empty]
    return sum(map(rarity, tokens(" ".join(names)))) >= TELLING


def without_talk(text: str, *, is_note: bool = False) -> str:
    """Cut out greetings and the like; in a person's note, "no limits" stays."""
    for kind, pattern in forms("talk"):
        text = text if is_note and kind == "unlimited" else pattern.sub(f" {CUT} ", text)
    return text


def parse_question(question: str, today: date, lookup: Lookup = lambda *_: None) -> ParsedIntent:
    """Return the intent of a plain-language question; raises the errors of `parse_limits`."""
    reading = parse_limits(question, today, lookup)
    kind, match = next(matches("type", reading.subject), (IntentType.METHOD, None))
    subject = without_spans(reading.subject, match.span()) if match else reading.subject
    left_out = list[str]()
    for what, clause in reading.clauses:
        rest = subject.replace(clause, CUT)
        if what == "unwanted" and rest != subject and says_something(rest):
            subject = rest
            left_out.append(clause)
    concepts: dict[str, list[str]] = {}
    if reading.question:
        in_english = reads_as_english(question)
        concepts = concepts_of(subject, in_english=in_english)
        concepts = concepts or concepts_of(reading.subject, in_english=in_english)
    names = [*concepts]
    topic = _topic(reading) or question[:LONGEST_TOPIC]
    if not names and reading.question:
        names = [topic] if topic in question else WORD.findall(topic)[:MAX_CONCEPTS] or [topic]
    return ParsedIntent(
        topic=topic,
        concepts=names,
        intent_type=IntentType(kind),
        constraints=reading.constraints,
        question=reading.question,
        alternatives={name: others for name in names if (others := concepts.get(name))},
        excluded=reading.excluded,
        authors=reading.authors,
        venues=reading.venues,
        identifiers=reading.identifiers,
        notes=[*reading.notes, *_remarks(question, reading, left_out)],
    )


def _topic(reading: ParsedQuestion) -> str:
    if reading.question:
        return without_request(reading.question)[:LONGEST_TOPIC].strip(" ,.;:?!–—-")
    limits = reading.constraints
    years = [str(year) for year in (limits.year_from, limits.year_to) if year is not None]
    return ", ".join(filter(None, [*reading.names, "-".join(dict.fromkeys(years))]))


def _or_empty_if_generic(text: str) -> str:
    words = [word.casefold() for word in WORD.findall(without_request(text))]
    return text if any(word not in STOP_WORDS for word in words) else ""


def tells_of_study(text: str) -> bool:
    """Whether a text describes a study in several sentences and requests nothing."""
    if len(_SENTENCE_ENDS.findall(text)) < _SEVERAL or form("abstract", "request").search(text):
        return False
    told = form("abstract", "label").match(text) or form("abstract", "statement").search(text)
    return told is not None


def _is_abstract(text: str) -> bool:
    """Whether a text requests nothing, so that its negations and years are not limits."""
    is_told = form("abstract", "sentence").match(text) or tells_of_study(text)
    is_long = len(text.split()) >= _WORDS_OF_AN_ABSTRACT
    return not form("abstract", "request").search(text) and (is_long or bool(is_told))


def _without_limits(reading: ParsedQuestion, text: str) -> ParsedQuestion:
    """Return an abstract without limits, with a note on those that would be read, except years."""
    limits = reading.constraints.model_copy(update={"year_from": None, "year_to": None})
    words = [*reading.excluded, *reading.authors, *reading.venues, *limits.in_words]
    note = (
        "not acted on, since the text asks for nothing:"
        f" {', '.join(words)}; to limit the search, ask for papers"
        " ('papers on ..., since 2015, excluding mice')"
    )
    notes = [note] if words else []
    rest = without_cuts(text)
    return ParsedQuestion(rest, subject=text, identifiers=reading.identifiers, notes=notes)


def _remarks(question: str, reading: ParsedQuestion, left_out: Sequence[str]) -> Iterator[str]:
    if question.count('"') % 2:
        yield "a closing quotation mark is missing: the question is read as plain words"
    if not reading.question and not reading.names:
        yield "the question contains only years: say what it is about"
    if boolean_words := _OPERATOR.findall(question) if not question.isupper() else []:
        yield (
            f"{', '.join(dict.fromkeys(boolean_words))} in a sentence: read as plain English; for"
            ' a boolean query, put each phrase in quotation marks ("...")'
        )
    left = [clause for _, clause in reading.clauses]
    noted = " ".join([*reading.notes, *left])
    left += (m[0] for _, m in matches("left_words", reading.question) if m[0] not in noted)
    if left:
        yield f"not acted on: {', '.join(map(repr, left))}, which may be part of the subject"
    if left_out:
        yield f"used for ranking, but not in queries: {', '.join(map(repr, left_out))}"
    if reading.question and not _or_empty_if_generic(reading.question):
        yield "the question contains only words that most papers use: say what it is about"


_FEWEST_WORDS = 4
"""A title has at least so many words; "papers like transformers" does not name a paper."""


def parse_seed(question: str) -> tuple[str, list[str]] | None:
    """Return a possible title, or identifiers, of papers to find similar ones to, or None."""
    match = form("like").match(question)
    if match is None:
        return None
    rest, identifiers = parse_identifiers(match["seed"])
    title = without_cuts(rest).strip(" .?!\"“”'")
    if not identifiers and len(title.split()) < _FEWEST_WORDS:
        return None
    return title, identifiers


def with_seeds(intent: ParsedIntent, papers: Sequence[RawPaper], rest: str = "") -> ParsedIntent:
    """Return the intent for papers like others, whose titles and keywords become the question.

    The concepts come from the first paper only, since few papers have the words of all.
    """
    first = papers[0]
    texts = [text for paper in papers for text in (paper.title, *paper.keywords)]
    like = intent.model_copy(
        update={
            "topic": first.title[:LONGEST_TOPIC],
            "concepts": [*concepts_of(first.title)] or [first.title],
            "alternatives": {},
            "question": " ".join(filter(None, [*texts, rest])),
            "identifiers": intent.identifiers or ([f"doi:{first.doi}"] if first.doi else []),
            "seeds": [
                MarkedPaper(
                    id=paper.id,
                    title=paper.title,
                    abstract=paper.text,
                    is_relevant=True,
                    seed=Seed.of(paper),
                )
                for paper in papers
            ],
        }
    )
    return with_notes(like, *map(_note_on_seed, papers))


def _note_on_seed(paper: RawPaper) -> str:
    author = paper.authors[0].name if paper.authors else None
    what = ", ".join(filter(None, [author, paper.venue, str(paper.year or "")]))
    return (
        f"papers like {paper.title!r} ({what or paper.id}), which was looked up at {paper.source}"
        " before this question, and counts as marked relevant: is this the paper you mean? If not,"
        " start a search with its DOI"
    )


def parse_identifiers(text: str) -> tuple[str, list[str]]:
    """Cut identifiers out of a text; return them as `doi:...`, `arxiv:...` or `pmid:...`."""
    names: dict[str, None] = {}

    def cut(match: re.Match[str]) -> str:
        name = _identifier(match)
        names.update({name: None} if name else {})
        return f" {CUT} " if name else match[0]

    for _, pattern in forms("identifier"):
        text = pattern.sub(cut, text)
    return text, list(names)


def _identifier(match: re.Match[str]) -> str | None:
    if match.lastgroup in {"pmid", "pmcid"}:
        return f"{match.lastgroup}:{match[match.lastgroup].lower().lstrip('0')}"
    doi = parse_doi(match[0])
    arxiv = parse_arxiv_id(doi or match[0])
    return f"arxiv:{arxiv}" if arxiv else f"doi:{doi}" if doi else None
