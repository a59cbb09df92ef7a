"""The intent as returned by a model."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel, Field, ValidationError, field_validator

from paper_search.models import Criterion, IntentType, ParsedIntent, SearchConstraints
from paper_search.skills.intent.concepts import MAX_CONCEPTS
from paper_search.skills.intent.languages import is_english
from paper_search.skills.intent.reader import Reading
from paper_search.skills.judging.criteria import criteria_of
from paper_search.skills.sane_limits import sane_limits
from paper_search.skills.untrusted import visible

_MOST_TERMS = 20
"""Terms of a list of an answer."""


class ConstraintsAnswer(BaseModel):
    """The limits as returned by a model."""

    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None
    max_results: int | None = None
    excluded_types: list[str] | None = None


class CriterionAnswer(Criterion):
    """A criterion as returned by a model."""

    @field_validator("kind", mode="before")
    @classmethod
    def _in_lower_case(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("text", mode="before")
    @classmethod
    def _on_one_line(cls, value: Any) -> Any:
        return " ".join(visible(value).split()) if isinstance(value, str) else value


class IntentAnswer(BaseModel):
    """The intent as returned by a model; only topic and kind are required."""

    topic: str = Field(min_length=1)
    concepts: list[str] = Field(default_factory=list)
    intent_type: IntentType
    constraints: ConstraintsAnswer = Field(default_factory=ConstraintsAnswer)
    alternatives: dict[str, list[str]] = Field(default_factory=dict)
    excluded: list[str] = Field(default_factory=list)
    authors: list[str] = Field(default_factory=list)
    criteria: list[CriterionAnswer] = Field(default_factory=list)

    @field_validator("intent_type", mode="before")
    @classmethod
    def _in_lower_case(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("constraints", "alternatives", mode="before")
    @classmethod
    def _none_is_nothing(cls, value: Any) -> Any:
        return {} if value is None else value

    @field_validator("excluded", "authors", mode="before")
    @classmethod
    def _none_is_no_term(cls, value: Any) -> Any:
        return [] if value is None else value

    @field_validator("criteria", mode="before")
    @classmethod
    def _readable(cls, value: Any) -> Any:
        """Leave out what is no criterion: a search must not fail for it, and a person sees them."""
        return [entry for entry in value if _is_criterion(entry)] if isinstance(value, list) else []

    @property
    def is_english(self) -> bool:
        """Whether the concepts are in English, or need not be: other papers are wanted."""
        if (self.constraints.language or "en").strip().lower() != "en":
            return True
        return is_english(" ".join(self.concepts))

    def intent(self, reading: Reading, today: date) -> ParsedIntent:
        """Return the intent, cleaned: no blank term, years in order, nothing wanted and excluded.

        Args:
            reading: what the words of the question limit: its plain text is the person's own, not
                the model's, and identifiers and the default number of results are taken from it.
            today: the clock that years are checked against.
        """
        constraints, notes = self._constraints(reading.constraints, today)
        topic = self.topic.strip() or reading.question or reading.subject.strip()
        excluded = _terms(self.excluded)
        barred = {term.casefold() for term in excluded}
        concepts = [name for name in _terms(self.concepts) if name.casefold() not in barred]
        concepts = concepts[:MAX_CONCEPTS] or [topic]
        intent = ParsedIntent(
            topic=topic,
            concepts=concepts,
            intent_type=self.intent_type,
            constraints=constraints,
            question=reading.question,
            alternatives=self._alternatives(concepts, barred),
            excluded=excluded,
            authors=_terms(self.authors),
            venues=list(reading.venues),
            identifiers=list(reading.identifiers),
            notes=notes,
        )
        return intent.judged_by(criteria_of(intent.judged_by(self.criteria)))

    def _alternatives(self, concepts: list[str], barred: set[str]) -> dict[str, list[str]]:
        known = {name.casefold(): name for name in concepts}
        made: dict[str, list[str]] = {}
        for name, others in self.alternatives.items():
            concept = known.get(name.strip().casefold())
            wanted = [
                other
                for other in _terms(others)
                if other.casefold() not in barred and other.casefold() not in known
            ]
            if concept and wanted:
                made[concept] = wanted
        return made

    def _constraints(
        self, read: SearchConstraints, today: date
    ) -> tuple[SearchConstraints, list[str]]:
        limits = self.constraints
        given = SearchConstraints(
            year_from=limits.year_from,
            year_to=limits.year_to,
            language=limits.language,
            max_results=max(1, limits.max_results or read.max_results),
            excluded_types=[name.lower() for name in _terms(limits.excluded_types or [])],
        )
        return sane_limits(given, today=today)


def _is_criterion(given: Any) -> bool:
    try:
        CriterionAnswer.model_validate(given)
    except ValidationError:
        return False
    return True


def _terms(names: list[str]) -> list[str]:
    stripped = (" ".join(name.split()) for name in names)
    return list({name.casefold(): name for name in stripped if name}.values())[:_MOST_TERMS]
