"""The skill that turns a research question into an intent."""

import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import date
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, OnErrorOmit, field_validator
from typing_extensions import override

from paper_search.errors import LLMError, LLMFailure, QuestionError
from paper_search.llm.provider import LLMProvider, name_of
from paper_search.llm.structured import LowerCase, NullIsList, NullIsObject, ask
from paper_search.models import (
    MAX_SEEDS,
    Criterion,
    CriterionKind,
    IntentType,
    ParsedIntent,
    RawPaper,
    SearchConstraints,
    SourceReport,
)
from paper_search.models.query import MOST_RESULTS
from paper_search.prompts import load_prompt
from paper_search.query.ast import straighten
from paper_search.query.lines import lines_of
from paper_search.query.parser import MAX_LENGTH
from paper_search.query.prose import is_prose
from paper_search.query.systems import count_tags
from paper_search.skills.intent.boolean_question import (
    AND_OR,
    parse_boolean,
    split_limits,
    with_limits,
)
from paper_search.skills.intent.concepts import MAX_CONCEPTS
from paper_search.skills.intent.document import Document, parse_document, with_document
from paper_search.skills.intent.forms import CUT, ParsedQuestion, with_notes
from paper_search.skills.intent.names import Kind, Lookup, lookups_of
from paper_search.skills.intent.reader import (
    parse_limits,
    parse_parts,
    parse_question,
    parse_seed,
    with_seeds,
)
from paper_search.skills.judging.question import criteria_of
from paper_search.skills.known_papers import is_named
from paper_search.skills.phrases import INSIDE, reads_as_english
from paper_search.skills.strategy.answer import FiltersAnswer
from paper_search.skills.strategy.limits import sane_limits
from paper_search.skills.untrusted import visible
from paper_search.skills.words import tokens

_MOST_TERMS = 20


class ConstraintsAnswer(FiltersAnswer):
    """Limits; null: none."""

    max_results: int | None = None
    excluded_types: list[str] | None = None

    @override
    def added_to(self, limits: SearchConstraints) -> SearchConstraints:
        most = limits.max_papers or min(max(self.max_results or 0, 0), MOST_RESULTS)
        count = {"max_papers": most, "max_results": most} if most else {}
        kinds = _terms([*limits.excluded_types, *map(str.lower, self.excluded_types or [])])
        return super().added_to(limits).model_copy(update={**count, "excluded_types": kinds})


class CriterionAnswer(Criterion):
    """A condition by which papers are chosen."""

    kind: Annotated[CriterionKind, LowerCase] = CriterionKind.INCLUSION

    @field_validator("text", mode="before")
    @classmethod
    def _on_one_line(cls, value: Any) -> Any:
        return " ".join(visible(value).split()) if isinstance(value, str) else value


class IntentAnswer(BaseModel):
    """What literature is wanted."""

    topic: str = Field(min_length=1)
    concepts: list[str] = Field(default_factory=list)
    intent_type: Annotated[IntentType, LowerCase]
    constraints: Annotated[ConstraintsAnswer, NullIsObject] = Field(
        default_factory=ConstraintsAnswer
    )
    alternatives: Annotated[dict[str, list[str]], NullIsObject] = Field(default_factory=dict)
    excluded: Annotated[list[str], NullIsList] = Field(default_factory=list)
    authors: Annotated[list[str], NullIsList] = Field(default_factory=list)
    criteria: Annotated[
        # Invalid criteria must not fail a search; a person sees the valid ones.
        list[OnErrorOmit[CriterionAnswer]],
        BeforeValidator(lambda value: value if isinstance(value, list) else []),
    ] = Field(default_factory=list)

    @property
    def is_english(self) -> bool:
        """Whether the concepts are in English, or papers in another language are wanted."""
        if (self.constraints.language or "en").strip().lower() != "en":
            return True
        return reads_as_english(" ".join(self.concepts))

    def intent(self, reading: ParsedQuestion, today: date) -> ParsedIntent:
        """Return the cleaned intent; what `reading` found takes precedence over the model."""
        stated = self.constraints.added_to(reading.constraints)
        constraints, notes = sane_limits(stated, today=today)
        topic = self.topic.strip() or reading.question or reading.subject.strip()
        refused, doubtful = self._contradictory_exclusions(reading)
        unwanted = _terms([*reading.excluded, *self.excluded])
        excluded = [name for name in unwanted if name not in refused]
        barred = {term.casefold() for term in excluded}
        concepts = [name for name in _terms(self.concepts) if name.casefold() not in barred]
        concepts = concepts[:MAX_CONCEPTS] or [topic]
        authors = reading.authors or _terms(self.authors)
        own = reading.constraints
        is_acted_on = {
            "authors": authors != reading.authors,
            "excluded": excluded != _terms(reading.excluded)
            or any(one.kind is CriterionKind.EXCLUSION for one in self.criteria),
            "language": constraints.language != own.language,
            "years": (constraints.year_from, constraints.year_to) != (own.year_from, own.year_to),
        }
        notes += [note for note, part in reading.left.items() if not is_acted_on.get(part)]
        notes += _on_limits_of_model(constraints, reading, doubtful, authors)
        ignored = "the model's exclusion is ignored"
        notes += [f"the question asks for {name}: {ignored}" for name in refused]
        return ParsedIntent(
            topic=topic,
            concepts=concepts,
            intent_type=self.intent_type,
            constraints=constraints,
            question=reading.question,
            alternatives=self._alternatives(concepts, barred),
            excluded=excluded,
            authors=authors,
            venues=reading.venues,
            identifiers=reading.identifiers,
            criteria=[
                Criterion.model_validate(one.model_dump())
                for one in self.criteria
                if not _repeats_limits(one.text, constraints, today)
            ],
            notes=notes,
        )

    def _contradictory_exclusions(self, reading: ParsedQuestion) -> tuple[list[str], list[str]]:
        """Return exclusions by the model, of words of the question, to refuse and to report.

        Refused are those that a concept contains, so that no paper could match. The others may be
        in a negation that only a model understands.
        """
        own, names = {*tokens(reading.question)}, {*_terms(self.excluded)} - {*reading.excluded}
        stated = [name for name in sorted(names) if set() < {*tokens(name)} <= own]
        concepts = [{*tokens(name)} for name in self.concepts]
        refused = [n for n in stated if any({*tokens(n)} <= concept for concept in concepts)]
        return refused, [name for name in stated if name not in refused]

    def _alternatives(self, concepts: list[str], barred: set[str]) -> dict[str, list[str]]:
        by_key = {name.casefold(): name for name in concepts}
        by_concept: dict[str, list[str]] = {}
        for name, others in self.alternatives.items():
            concept = by_key.get(name.strip().casefold())
            names = [
                other
                for other in _terms(others)
                if other.casefold() not in barred and other.casefold() not in by_key
            ]
            if concept and names:
                by_concept[concept] = names
        return by_concept


def _on_limits_of_model(
    limits: SearchConstraints,
    reading: ParsedQuestion,
    excluded: Sequence[str],
    authors: Sequence[str],
) -> list[str]:
    """Return a note on the model's limits for which the question has no known words."""
    own, words = reading.constraints, reading.left.values()
    has_years = limits.year_from is not None or limits.year_to is not None
    is_dated = own.year_from is not None or own.year_to is not None or "years" in words
    is_new = {
        "the years": has_years and not is_dated,
        "the language": limits.language and not (own.language or "language" in words),
        "the number of papers": limits.max_papers != own.max_papers,
        "the kinds to leave out": limits.excluded_types != own.excluded_types,
        "the authors": authors != reading.authors and "authors" not in words,
        f"what to exclude ({', '.join(excluded)})": excluded and "excluded" not in words,
    }
    names = " and ".join(name for name, is_so in is_new.items() if is_so)
    return [f"read by the model only: {names}; remove what you did not ask for"] if names else []


def _repeats_limits(criterion: str, limits: SearchConstraints, today: date) -> bool:
    """Whether a criterion only repeats limits, which title and abstract rarely mention."""
    reading = parse_parts(f"papers {criterion}", today)
    is_rest = bool(reading.question or reading.excluded)
    own = reading.own_limits.items()
    return bool(own) and not is_rest and all(getattr(limits, name) == value for name, value in own)


def _terms(names: list[str]) -> list[str]:
    stripped = (" ".join(name.split()) for name in names)
    return list({name.casefold(): name for name in stripped if name}.values())[:_MOST_TERMS]


MAX_QUESTION_CHARS = 10_000
"""The longest plain-language question, in characters."""

PaperFinder: TypeAlias = Callable[
    [str, Sequence[str]], Awaitable[tuple[list[RawPaper], list[SourceReport]]]
]
_LONGEST_SHOWN = 40
_AGAIN = "Your previous answer gave concepts in another language. Give all concepts in English."
_log = logging.getLogger(__name__)


_NO_SEED = (
    "none of the sources of this search has the paper that results should be like: the question is"
    " read as words"
)


@dataclass(eq=False)
class IntentParser:
    """Reads a question, unless it is a boolean query, with a model or with rules.

    Args:
        domain: adds its instructions to the model's prompt; "general" adds none.
        today: returns the date to which "last five years" is relative.
        default_max_results: the number of results if the question does not say.
        lookup: tells whether the library has an author or a venue; None without a library.
        find_papers: finds papers by their identifiers, or one by its title, with reports of what
            was asked; None if there is nothing to search.
        has_fallback: whether a question is read with rules, and a note, if the model fails;
            otherwise the model's error propagates.
    """

    llm: LLMProvider | None = None
    domain: str = "general"
    _: KW_ONLY
    today: Callable[[], date] = date.today
    default_max_results: int = 100
    lookup: Callable[[Kind, str], Awaitable[bool | None]] | None = None
    find_papers: PaperFinder | None = None
    has_fallback: bool = False

    @property
    def model(self) -> str | None:
        return name_of(self.llm)

    async def parse(self, user_input: str) -> ParsedIntent:
        """Return the intent of the question.

        Raises:
            QuestionError: the question has no words, is longer than `longest_question`, or is an
                invalid boolean query.
            LLMError: the model failed and there is no fallback, or the budget does not cover it.
        """
        question = _check_question(user_input)
        is_query = lines_of(question).is_strategy and not is_prose(straighten(question))
        document = None if is_query else parse_document(question)
        text = " ".join((document.request if document else question).split())
        seed = parse_seed(text)
        if seed is None or self.find_papers is None:
            intent = await self._parse(question, text, document)
        else:
            title, identifiers = seed
            papers, rows = await self.find_papers(title, identifiers[:MAX_SEEDS])
            limited = text if identifiers else None
            if not papers and (again := self._seed_without_limits(text, title)):
                papers, others = await self.find_papers(again, [])
                rows, limited = [*rows, *others], text
            if papers:
                intent = self._like(papers, limited)
            else:
                intent = with_notes(await self._parse(question, text, document), _NO_SEED)
            intent = with_notes(intent, *_notes_on_seeds(papers, identifiers))
            intent = intent.model_copy(update={"lookups": rows})
        limits = intent.constraints
        if limits.max_papers is None:
            limits = limits.model_copy(update={"max_results": self.default_max_results})
        criteria = criteria_of(intent) if self.llm is not None else []
        return intent.model_copy(update={"constraints": limits}).with_criteria(criteria)

    async def _parse(self, question: str, text: str, document: Document | None) -> ParsedIntent:
        if document is None:
            query, limits = split_limits(question, lambda words: parse_parts(words, self.today()))
            if (intent := parse_boolean(query)) is not None:
                return intent if limits is None else with_limits(intent, limits)
        today, lookup = self.today(), await self._look_up_names(text)
        note = None
        if self.llm is not None:
            prompt = load_prompt("intent_parser", self.domain)
            message = json.dumps(question, ensure_ascii=False)
            try:
                answer = await self._in_english(self.llm, prompt, message)
            except Exception as error:  # a provider may raise anything
                is_unpaid = isinstance(error, LLMError) and error.reason is LLMFailure.BUDGET
                # The person can raise the budget. Without a fallback, nobody would see a note.
                if is_unpaid or not self.has_fallback:
                    raise
                _log.warning("the model did not read the question: %s", error)
                note = f"the model failed ({error}): the question is read without a model"
            else:
                return answer.intent(parse_limits(text, today, lookup), today)
        intent = parse_question(text, today, lookup)
        if document is not None:
            intent = with_document(intent, document, lambda words: parse_parts(words, today))
        return with_notes(intent, note) if note else intent

    def _seed_without_limits(self, text: str, title: str) -> str | None:
        """Return the title before the limits; None if there are no limits or no title."""
        reading = parse_parts(text, self.today())
        seed = parse_seed(reading.question) if title and reading.has_limits else None
        return seed[0] if seed and seed[0] != title else None

    def _like(self, papers: Sequence[RawPaper], question: str | None) -> ParsedIntent:
        """Return the intent of a question for papers like others.

        `question` is None if it is only a title, in which years and the like are not limits.
        """
        intent = parse_question(question or papers[0].title, self.today())
        if question is not None:
            return with_seeds(intent, papers, intent.question if intent.identifiers else "")
        unlimited = {"constraints": SearchConstraints(), "excluded": [], "authors": []}
        intent = intent.model_copy(update={**unlimited, "venues": [], "notes": []})
        return with_seeds(intent, papers)

    async def _look_up_names(self, question: str) -> Lookup:
        answers: dict[tuple[Kind, str], bool | None] = {}
        if self.lookup is not None:
            for kind, name in lookups_of(question):
                answers[kind, name] = await self.lookup(kind, name)
        return lambda kind, name: answers.get((kind, name))

    async def _in_english(self, llm: LLMProvider, prompt: str, message: str) -> IntentAnswer:
        """Return the model's answer; ask once more if its concepts are not in English."""
        answer = await ask(llm, IntentAnswer, prompt, message)
        if answer.is_english:
            return answer
        _log.info("the concepts are not in English and asked for again: %s", answer.concepts)
        try:
            return await ask(llm, IntentAnswer, prompt, f"{message}\n\n{_AGAIN}")
        except LLMError as error:
            _log.warning("the concepts stay in another language: %s", error)
            return answer


def _notes_on_seeds(papers: Sequence[RawPaper], identifiers: Sequence[str]) -> Iterator[str]:
    if papers[1:]:
        yield "the boolean query uses the first of these papers; the ranking uses all of them"
    if missing := [
        name
        for name in identifiers[:MAX_SEEDS]
        if papers and not any(is_named(paper, [name]) for paper in papers)
    ]:
        yield f"no source that was asked has {', '.join(missing)}; the search asks for it again"
    if others := identifiers[MAX_SEEDS:]:
        yield f"at most {MAX_SEEDS} papers are followed; not followed: {', '.join(others)}"


def longest_question(text: str) -> int:
    """Return the length limit of a question; a database's strategy may be longer."""
    is_short = len(text) <= MAX_QUESTION_CHARS
    if is_short or len(text) > MAX_LENGTH or not count_tags(text):
        return MAX_QUESTION_CHARS
    return MAX_LENGTH if lines_of(text).is_strategy else MAX_QUESTION_CHARS


def _check_question(user_input: str) -> str:
    """Return the question without invisible characters, except line breaks."""
    if not user_input.strip():
        raise QuestionError(
            f"the question is empty: {user_input[:20]!r}; say what you are looking for"
        )
    if len(user_input) > (longest := longest_question(user_input)):
        raise QuestionError(
            f"the question has {len(user_input):,} characters, the limit is {longest:,}; shorten it"
        )
    question = visible(user_input).replace(CUT, " ").replace(INSIDE, " ").strip()
    question = AND_OR.sub("and/or", question)
    if not any(char.isalnum() for char in question):
        raise QuestionError(
            f"the question contains no words: {user_input[:_LONGEST_SHOWN]!r};"
            " say what you are looking for"
        )
    return question
