"""The strategy as returned by a model, and its validation."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from paper_search.models import SearchConstraints, SearchQuery, SynonymMap
from paper_search.skills.strategy.text import MAX_QUERY_CHARS, is_readable
from paper_search.skills.untrusted import visible


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

    @property
    def is_usable(self) -> bool:
        """Whether a source can be asked it."""
        text = self.boolean_query.strip()
        return bool(text) and len(text) <= MAX_QUERY_CHARS and is_readable(text)


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

    @field_validator("ranked_text", mode="after")
    @classmethod
    def _visible_text(cls, value: str | None) -> str | None:
        text = " ".join(visible(value or "").split())
        return text if 0 < len(text) <= MAX_QUERY_CHARS else None

    @field_validator("queries", "sources", mode="before")
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        return [] if value is None else value

    @field_validator("filters", mode="before")
    @classmethod
    def _none_is_no_change(cls, value: Any) -> Any:
        return {} if value is None else value

    @model_validator(mode="after")
    def _one_can_be_read(self) -> Self:
        written = [query for query in self.queries if query.boolean_query.strip()]
        if written and not any(query.is_usable for query in written):
            shown = [query.boolean_query[:200] for query in written[:4]]
            raise ValueError(f"no readable query: {shown!r}")
        return self

    def usable_queries(self) -> list[SearchQuery]:
        """Return the queries that a source can be asked, each once."""
        kept = {
            query.boolean_query.strip(): SearchQuery(
                keywords=query.keywords,
                synonym_map=query.synonym_map,
                boolean_query=query.boolean_query.strip(),
            )
            for query in self.queries
            if query.is_usable
        }
        return list(kept.values())

    def merged_filters(self, base: SearchConstraints) -> SearchConstraints:
        """Return the limits of `base`, changed where the model said something else."""
        said = self.filters.model_dump(exclude_none=True)
        return base.model_copy(update=said)
