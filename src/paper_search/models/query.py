"""What is asked for: the intent, and the strategy that is to find it."""

from __future__ import annotations

from enum import Enum

from pydantic import BaseModel, Field

from paper_search.models.feedback import MarkedPaper, Seed, UserFeedback

PUBLICATION_TYPES = (
    "article",
    "article-journal",
    "book",
    "chapter",
    "dataset",
    "entry",
    "paper-conference",
    "report",
    "software",
    "standard",
    "thesis",
)
"""The types of CSL that sources give; `article` is a preprint."""


def _is_empty(given: list[object]) -> bool:
    """Return whether a list is left out of JSON: what nobody uses is not to be looked at."""
    return not given


class IntentType(str, Enum):
    """What the person wants papers for."""

    SURVEY = "survey"
    METHOD = "method"
    DATASET = "dataset"
    BASELINE = "baseline"


class SearchConstraints(BaseModel):
    """Limits on what is wanted; None means no limit. Years are inclusive."""

    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None
    """ISO 639-1."""
    max_results: int = 100
    publication_types: list[str] = Field(default_factory=list, exclude_if=_is_empty)
    """CSL types (`PUBLICATION_TYPES`); empty: any. What does not say its type is let through."""

    def allows_type(self, publication_type: str | None) -> bool:
        """Return whether a record of that type is wanted; None: it does not say."""
        wanted = self.publication_types
        return not wanted or publication_type is None or publication_type in wanted


class ParsedIntent(BaseModel):
    """A research question, understood."""

    topic: str
    concepts: list[str]
    """Key phrases; every one of them matters."""
    intent_type: IntentType
    constraints: SearchConstraints


class SynonymMap(BaseModel):
    """A keyword and what else it is called."""

    keyword: str
    synonyms: list[str]


class SearchQuery(BaseModel):
    """One boolean query, in the language of `paper_search.query`."""

    keywords: list[str]
    synonym_map: list[SynonymMap] = Field(default_factory=list)
    boolean_query: str


class SearchStrategy(BaseModel):
    """The queries to ask, the sources to ask them of, and the limits."""

    queries: list[SearchQuery]
    sources: list[str]
    filters: SearchConstraints
    seeds: list[Seed] = Field(default_factory=list, exclude_if=_is_empty)
    """Works marked relevant, for the source `snowball`; no other source looks at them."""


class QueryBuilderInput(BaseModel):
    """All that a strategy is built from."""

    intent: ParsedIntent
    previous_strategies: list[SearchStrategy] = Field(default_factory=list)
    user_feedback: UserFeedback | None = None
    marked_papers: list[MarkedPaper] = Field(default_factory=list)
    """All papers marked so far, in all rounds: neither a model nor a rule can read bare ids."""
