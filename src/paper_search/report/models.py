"""The parts of a research report, and the inputs and outputs of its roles."""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Literal, get_args
from uuid import uuid4

from pydantic import BaseModel, Field

from paper_search.llm.provider import LLMProvider
from paper_search.models import SourceReport

SearchType = Literal["web", "academic", "news", "code"]
SEARCH_TYPES: tuple[SearchType, ...] = ("web", "academic", "news", "code")
Category = Literal["accuracy", "completeness", "coherence", "citation", "methodology", "style"]
Severity = Literal["critical", "major", "minor", "suggestion"]
Recommendation = Literal["approve", "revise", "reject"]
Grade = Literal["strong", "moderate", "weak"]
Support = Literal[
    "supported", "partly", "contradicted", "unsupported", "not_checked", "of_the_report"
]
"""How far a sentence is supported by its source; `of_the_report`: it needs no source."""
Direction = Literal["yes", "no", "mixed", "not stated"]
CheckedBy = Literal["code", "model", "nobody"]
Style = Literal["academic", "technical", "executive"]
Depth = Literal["quick", "standard", "comprehensive"]


def short_id() -> str:
    return str(uuid4())[:8]


def now() -> datetime:
    return datetime.now(UTC)


class ResearchStatus(str, Enum):
    PENDING = "pending"
    PLANNING = "planning"
    SEARCHING = "searching"
    ANALYZING = "analyzing"
    WRITING = "writing"
    REVIEWING = "reviewing"
    REVISING = "revising"
    COMPLETED = "completed"
    FAILED = "failed"


class SearchQuery(BaseModel):
    query_id: str = Field(default_factory=short_id)
    query_text: str
    search_type: SearchType = "web"
    priority: int = Field(default=1, ge=1, le=5)
    status: Literal["pending", "completed", "failed"] = "pending"
    created_at: datetime = Field(default_factory=now)
    question: int | None = None
    """Index of its sub-question; None for the whole question."""
    found: int = 0
    """Results that no earlier query returned."""
    reformulates: str | None = None
    """Id of the weak query that it replaces."""
    runs: list[SourceReport] = Field(default_factory=list)
    """Its rows of the search log."""


class SearchResult(BaseModel):
    result_id: str = Field(default_factory=short_id)
    query_id: str
    source_url: str
    title: str
    snippet: str
    full_content: str | None = None
    relevance_score: float = Field(default=0.0, ge=0.0, le=1.0)
    retrieved_at: datetime = Field(default_factory=now)
    metadata: dict[str, Any] = Field(default_factory=dict)
    """source_type, authors, year, venue, doi, citations, is_retracted, is_suspicious ..."""

    @property
    def text(self) -> str:
        """All text that may be quoted, except the title."""
        return self.full_content or self.snippet

    @property
    def authors(self) -> list[str]:
        names = self.metadata.get("authors")
        return [str(name) for name in names] if isinstance(names, list) else []

    @property
    def year(self) -> int | None:
        year = self.metadata.get("year")
        return year if isinstance(year, int) else None

    @property
    def is_retracted(self) -> bool:
        return self.metadata.get("is_retracted") is True


class ResearchPlan(BaseModel):
    plan_id: str = Field(default_factory=short_id)
    original_query: str
    decomposed_questions: list[str] = Field(default_factory=list)
    search_queries: list[SearchQuery] = Field(default_factory=list)
    methodology: str = ""
    expected_sections: list[str] = Field(default_factory=list)
    created_at: datetime = Field(default_factory=now)
    revised_at: datetime | None = None


class Quote(BaseModel):
    result_id: str
    text: str
    part: Literal["title", "text"] = "text"
    start: int = 0
    """Offset in that part."""
    end: int = 0


class Finding(BaseModel):
    text: str
    question: int
    grade: Grade
    quotes: list[Quote] = Field(default_factory=list)

    @property
    def sources(self) -> list[str]:
        return list(dict.fromkeys(quote.result_id for quote in self.quotes))


class Study(BaseModel):
    result_id: str
    quotes: list[Quote] = Field(default_factory=list)
    """Its best sentences for the question, verbatim."""
    says: Direction = "not stated"
    """Answer to a yes-or-no question, as a model reads the first quote."""


class AnalysisResult(BaseModel):
    analysis_id: str = Field(default_factory=short_id)
    key_findings: list[str] = Field(default_factory=list)
    themes: list[str] = Field(default_factory=list)
    contradictions: list[str] = Field(default_factory=list)
    gaps: list[str] = Field(default_factory=list)
    confidence_score: float = Field(default=0.0, ge=0.0, le=1.0)
    source_citations: dict[str, list[str]] = Field(default_factory=dict)
    """Quotes by citation key."""
    findings: list[Finding] = Field(default_factory=list)
    gap_questions: list[int] = Field(default_factory=list)
    """Unanswered sub-questions according to a model; empty without one."""
    studies: list[Study] = Field(default_factory=list)
    """All usable sources with their sentences, most relevant first."""
    is_by_model: bool = False


class DraftSection(BaseModel):
    section_id: str
    title: str
    content: str
    citations: list[str] = Field(default_factory=list)
    """Keys, in order of appearance."""
    word_count: int = 0


class ResearchDraft(BaseModel):
    """One version of the text, with citations as `[@key]`."""

    draft_id: str = Field(default_factory=short_id)
    title: str = ""
    abstract: str = ""
    sections: list[DraftSection] = Field(default_factory=list)
    conclusion: str = ""
    references: list[str] = Field(default_factory=list)
    created_at: datetime = Field(default_factory=now)
    version: int = 1
    is_by_model: bool = False
    is_by_person: bool = False

    @property
    def texts(self) -> dict[str, Any]:
        """All texts of the draft, as shown to a model."""
        sections = [{"title": part.title, "content": part.content} for part in self.sections]
        return self.model_dump(include={"title", "abstract", "conclusion"}) | {"sections": sections}

    @property
    def word_count(self) -> int:
        own = len(self.abstract.split()) + len(self.conclusion.split())
        return own + sum(section.word_count for section in self.sections)


class CheckedSentence(BaseModel):
    place: str
    """`title`, `abstract`, `conclusion`, a section's id, or that with `.title` for its heading."""
    start: int
    """Offset in the text of that place."""
    end: int
    text: str
    """Verbatim, with its citations."""
    keys: list[str] = Field(default_factory=list)
    status: Support = "not_checked"
    checked_by: CheckedBy = "nobody"
    reason: str = ""
    snippet: Quote | None = None
    """The words of a cited source with which it was compared."""


def support_counts(sentences: Iterable[CheckedSentence]) -> dict[str, int]:
    """Count the sentences by support, without those `of_the_report`."""
    counts: dict[str, int] = dict.fromkeys(get_args(Support), 0)
    for sentence in sentences:
        counts[sentence.status] += 1
    del counts["of_the_report"]
    return counts


class CritiqueItem(BaseModel):
    critique_id: str = Field(default_factory=short_id)
    category: Category
    severity: Severity
    location: str
    description: str
    suggested_fix: str | None = None
    found_by: Literal["code", "model", "person"] = "code"


class Critique(BaseModel):
    critique_id: str = Field(default_factory=short_id)
    items: list[CritiqueItem] = Field(default_factory=list)
    overall_score: float | None = Field(default=0.0, ge=0.0, le=10.0)
    """None if no model judged the text: code gives no score."""
    pass_threshold: float = 7.5
    recommendation: Recommendation | None = "revise"
    """None if nobody judged the text and code found no blocking fault."""
    summary: str = ""
    created_at: datetime = Field(default_factory=now)
    scores: dict[str, float] = Field(default_factory=dict)
    """By criterion, 0 to 10."""
    version: int = 1
    """Of the draft."""
    is_by_model: bool = False
    sentences: list[CheckedSentence] = Field(default_factory=list)
    """Every sentence of the draft, in order."""

    @property
    def passes_review(self) -> bool:
        score = self.overall_score
        is_enough = score is not None and score >= self.pass_threshold
        return is_enough and self.recommendation == "approve"

    @property
    def critical_count(self) -> int:
        return sum(item.severity == "critical" for item in self.items)

    @property
    def major_count(self) -> int:
        return sum(item.severity == "major" for item in self.items)


Sufficiency = Literal["sufficient", "gaps_minor", "gaps_major"]

MIN_QUESTION_CHARS = 10
MAX_QUESTION_CHARS = 2000


class Role:
    """A role, which works by algorithm without `llm`; `domain` extends its prompt."""

    def __init__(self, llm: LLMProvider | None = None, domain: str = "general") -> None:
        self._llm = llm
        self._domain = domain


class PlannerInput(BaseModel):
    original_query: str = Field(min_length=MIN_QUESTION_CHARS, max_length=MAX_QUESTION_CHARS)
    context: str | None = None
    """Further information, including a person's comments on an earlier plan."""
    domain_hints: list[str] = Field(default_factory=list)
    depth: Depth = "standard"
    search_types: list[SearchType] = Field(default_factory=lambda: list(SEARCH_TYPES))
    """Available kinds of search."""
    papers: int | None = None
    """Number of papers of the search that the report uses; None if the report searches itself."""
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
    """For one query at one source."""
    original_query: str = ""
    """The question for judging relevance."""


class SearcherOutput(BaseModel):
    search_results: list[SearchResult] = Field(default_factory=list)
    queries_completed: int = 0
    queries_failed: int = 0
    coverage_report: dict[str, int] = Field(default_factory=dict)
    """Number of results by query text."""
    queries: list[SearchQuery] = Field(default_factory=list)
    """The queries with their new status, and reformulations of weak ones."""
    errors: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class PagesRead(BaseModel):
    results: list[SearchResult]
    rows: list[SourceReport] = Field(default_factory=list)
    """Rows of the search log, one for each requested URL."""
    notes: list[str] = Field(default_factory=list)
    """Pages that were not read, with the reasons."""


class PromptLimits(BaseModel):
    shown_sources: int = 40
    """Number of sources, those of findings first, then the most relevant."""
    shown_chars: int = 1200
    """Characters of each source."""


class AnalystInput(PromptLimits):
    search_results: list[SearchResult]
    research_plan: ResearchPlan
    previous_analysis: AnalysisResult | None = None
    shown_chars: int = 2500


class AnalystOutput(BaseModel):
    analysis: AnalysisResult
    data_sufficiency: Sufficiency | None = "sufficient"
    recommended_searches: list[SearchQuery] = Field(default_factory=list)


class WriterInput(PromptLimits):
    analysis: AnalysisResult
    research_plan: ResearchPlan
    previous_draft: ResearchDraft | None = None
    critique: Critique | None = None
    style_guide: Style = "academic"
    target_length: int = Field(default=2000, ge=100, le=50_000)
    search_results: list[SearchResult] = Field(default_factory=list)
    """The only sources that may be cited."""


class WriterOutput(BaseModel):
    draft: ResearchDraft
    revision_notes: list[str] = Field(default_factory=list)


class ReviewerInput(PromptLimits):
    draft: ResearchDraft
    analysis: AnalysisResult
    research_plan: ResearchPlan
    iteration_count: int = 0
    max_iterations: int = 3
    search_results: list[SearchResult] = Field(default_factory=list)
    known_sentences: list[CheckedSentence] = Field(default_factory=list)
    """Sentences of an earlier version, whose verdicts by a model are reused."""
    target_length: int = 2000


class ReviewerOutput(BaseModel):
    critique: Critique
    improvement_potential: float = Field(default=0.5, ge=0.0, le=1.0)
