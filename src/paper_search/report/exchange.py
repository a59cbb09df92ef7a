"""What each role of a report is given and gives back."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from paper_search.llm.provider import LLMProvider
from paper_search.models import SourceReport
from paper_search.report.models import (
    SEARCH_TYPES,
    AnalysisResult,
    CheckedSentence,
    Critique,
    Depth,
    ResearchDraft,
    ResearchPlan,
    SearchQuery,
    SearchResult,
    SearchType,
    Style,
)

Sufficiency = Literal["sufficient", "gaps_minor", "gaps_major"]

MIN_QUESTION_CHARS = 10
MAX_QUESTION_CHARS = 2000


class Role:
    """One of the five; `llm`: None: by algorithm. `domain` adds its instructions to the prompt."""

    def __init__(self, llm: LLMProvider | None = None, domain: str = "general") -> None:
        self._llm = llm
        self._domain = domain


class PlannerInput(BaseModel):
    original_query: str = Field(min_length=MIN_QUESTION_CHARS, max_length=MAX_QUESTION_CHARS)
    context: str | None = None
    """What else is known or wanted; also what a person said to an earlier plan."""
    domain_hints: list[str] = Field(default_factory=list)
    depth: Depth = "standard"
    search_types: list[SearchType] = Field(default_factory=lambda: list(SEARCH_TYPES))
    """The kinds of search that there are; a plan names no other."""
    previous_plan: ResearchPlan | None = None


class PlannerOutput(BaseModel):
    research_plan: ResearchPlan
    reasoning_trace: str
    confidence: float = Field(default=0.8, ge=0.0, le=1.0)
    warnings: list[str] = Field(default_factory=list)


class SearcherInput(BaseModel):
    search_queries: list[SearchQuery]
    max_results_per_query: int = Field(default=10, ge=1, le=50)
    timeout_seconds: int = Field(default=30, ge=1)
    """That a source may take for one query."""
    original_query: str = ""
    """What relevance is judged by."""


class SearcherOutput(BaseModel):
    search_results: list[SearchResult] = Field(default_factory=list)
    queries_completed: int = 0
    queries_failed: int = 0
    coverage_report: dict[str, int] = Field(default_factory=dict)
    """Query text to how many results it brought."""
    queries: list[SearchQuery] = Field(default_factory=list)
    """The queries as they stand now, with the reformulations of weak ones."""
    errors: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class PagesRead(BaseModel):
    results: list[SearchResult]
    rows: list[SourceReport] = Field(default_factory=list)
    """Of the journal: one for each address that was asked."""
    notes: list[str] = Field(default_factory=list)
    """What was not read, and why."""


class Shown(BaseModel):
    shown_sources: int = 40
    """How many, those of findings first, then the most relevant."""
    shown_chars: int = 1200
    """How much of each."""


class AnalystInput(Shown):
    search_results: list[SearchResult]
    research_plan: ResearchPlan
    previous_analysis: AnalysisResult | None = None
    shown_chars: int = 2500


class AnalystOutput(BaseModel):
    analysis: AnalysisResult
    data_sufficiency: Sufficiency = "sufficient"
    recommended_searches: list[SearchQuery] = Field(default_factory=list)


class WriterInput(Shown):
    analysis: AnalysisResult
    research_plan: ResearchPlan
    previous_draft: ResearchDraft | None = None
    critique: Critique | None = None
    style_guide: Style = "academic"
    target_length: int = Field(default=2000, ge=100, le=50_000)
    search_results: list[SearchResult] = Field(default_factory=list)
    """What may be cited; nothing else may."""


class WriterOutput(BaseModel):
    draft: ResearchDraft
    revision_notes: list[str] = Field(default_factory=list)


class ReviewerInput(Shown):
    draft: ResearchDraft
    analysis: AnalysisResult
    research_plan: ResearchPlan
    iteration_count: int = 0
    max_iterations: int = 3
    search_results: list[SearchResult] = Field(default_factory=list)
    known_sentences: list[CheckedSentence] = Field(default_factory=list)
    """Of an earlier version: what a model judged is not asked about again."""
    target_length: int = 2000


class ReviewerOutput(BaseModel):
    critique: Critique
    improvement_potential: float = Field(default=0.5, ge=0.0, le=1.0)
