"""The strategy as returned by a model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, field_validator

from paper_search.models import SearchConstraints, SynonymMap
from paper_search.skills.strategy.text import MAX_QUERY_CHARS
from paper_search.skills.untrusted import visible

LONGEST_REASON = 300
"""In characters."""


class QueryAnswer(BaseModel):
    """One boolean query."""

    keywords: list[str] = Field(default_factory=list)
    synonym_map: list[SynonymMap] = Field(default_factory=list)
    boolean_query: str = ""

    @field_validator("keywords", "synonym_map", mode="before")
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return [{"keyword": key, "synonyms": names} for key, names in value.items()]
        return [] if value is None else value


class FiltersAnswer(BaseModel):
    """Limits; what is null stays as the intent has it."""

    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None
    max_results: int | None = None


class StrategyAnswer(BaseModel):
    """Queries, sources and limits."""

    queries: list[QueryAnswer] = Field(default_factory=list)
    sources: list[str] = Field(default_factory=list)
    filters: FiltersAnswer = Field(default_factory=FiltersAnswer)
    ranked_text: str | None = None
    """The question for sources that rank; None: in the person's own words."""
    reason: str | None = None
    """What differs from the round before, and why."""

    @field_validator("ranked_text", mode="after")
    @classmethod
    def _visible_text(cls, value: str | None) -> str | None:
        text = " ".join(visible(value or "").split())
        return text if 0 < len(text) <= MAX_QUERY_CHARS else None

    @field_validator("reason", mode="after")
    @classmethod
    def _short_reason(cls, value: str | None) -> str | None:
        return " ".join(visible(value or "").split())[:LONGEST_REASON] or None

    @field_validator("queries", "sources", mode="before")
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        return [] if value is None else value

    @field_validator("filters", mode="before")
    @classmethod
    def _none_is_no_change(cls, value: Any) -> Any:
        return {} if value is None else value

    def merged_filters(self, base: SearchConstraints) -> SearchConstraints:
        """Return the limits of `base`, changed where the model said something else."""
        said = self.filters.model_dump(exclude_none=True)
        return base.model_copy(update=said)
