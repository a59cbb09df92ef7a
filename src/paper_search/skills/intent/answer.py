"""The intent as returned by a model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, field_validator

from paper_search.models import IntentType, ParsedIntent, SearchConstraints
from paper_search.skills.intent.by_cues import Reading
from paper_search.skills.intent.concepts import MAX_CONCEPTS

_MOST_TERMS = 20
"""Terms of a list of an answer."""


class ConstraintsAnswer(BaseModel):
    """The limits as returned by a model."""

    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None
    max_results: int | None = None
    excluded_types: list[str] | None = None


class IntentAnswer(BaseModel):
    """The intent as returned by a model; only topic and kind are required."""

    topic: str = Field(min_length=1)
    concepts: list[str] = Field(default_factory=list)
    intent_type: IntentType
    constraints: ConstraintsAnswer = Field(default_factory=ConstraintsAnswer)
    alternatives: dict[str, list[str]] = Field(default_factory=dict)
    excluded: list[str] = Field(default_factory=list)
    authors: list[str] = Field(default_factory=list)

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

    def intent(self, reading: Reading) -> ParsedIntent:
        """Return the intent, cleaned: no blank term, years in order, nothing wanted and excluded.

        Args:
            reading: what the words of the question limit: its plain text is the person's own, not
                the model's, and identifiers and the default number of results are taken from it.
        """
        topic = self.topic.strip() or reading.question or reading.subject.strip()
        excluded = _terms(self.excluded)
        barred = {term.casefold() for term in excluded}
        concepts = [name for name in _terms(self.concepts) if name.casefold() not in barred]
        concepts = concepts[:MAX_CONCEPTS] or [topic]
        return ParsedIntent(
            topic=topic,
            concepts=concepts,
            intent_type=self.intent_type,
            constraints=self._constraints(reading.constraints),
            question=reading.question,
            alternatives=self._alternatives(concepts, barred),
            excluded=excluded,
            authors=_terms(self.authors),
            identifiers=list(reading.identifiers),
            notes=self._notes(),
        )

    def _alternatives(self, concepts: list[str], barred: set[str]) -> dict[str, list[str]]:
        """Return the alternatives of each concept, by the concept as written."""
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

    def _years(self) -> tuple[int | None, int | None]:
        first, last = self.constraints.year_from, self.constraints.year_to
        return (last, first) if first and last and first > last else (first, last)

    def _notes(self) -> list[str]:
        first, last = self._years()
        if first == self.constraints.year_from:
            return []
        return [f"the years are read as {first} to {last}: the model gave them in reverse order"]

    def _constraints(self, read: SearchConstraints) -> SearchConstraints:
        limits = self.constraints
        first, last = self._years()
        return SearchConstraints(
            year_from=first,
            year_to=last,
            language=(limits.language or "").strip().lower() or None,
            max_results=max(1, limits.max_results or read.max_results),
            excluded_types=[name.lower() for name in _terms(limits.excluded_types or [])],
        )


def _terms(names: list[str]) -> list[str]:
    """Return the terms that are not blank, each once."""
    stripped = (" ".join(name.split()) for name in names)
    return list({name.casefold(): name for name in stripped if name}.values())[:_MOST_TERMS]
