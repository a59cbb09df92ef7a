"""What a research report is made of: plan, evidence, analysis, draft and critique."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Literal, get_args
from uuid import uuid4

from pydantic import BaseModel, Field

from paper_search.models import SourceReport

SearchType = Literal["web", "academic", "news", "code"]
SEARCH_TYPES: tuple[SearchType, ...] = ("web", "academic", "news", "code")
Category = Literal["accuracy", "completeness", "coherence", "citation", "methodology", "style"]
Severity = Literal["critical", "major", "minor", "suggestion"]
Recommendation = Literal["approve", "revise", "reject"]
Grade = Literal["strong", "moderate", "weak", "gap"]
Support = Literal[
    "supported", "partly", "contradicted", "unsupported", "not_checked", "of_the_report"
]
"""How far the source of a sentence bears it; `of_the_report`: it says nothing of the world."""
Direction = Literal["yes", "no", "mixed", "not stated"]
CheckedBy = Literal["code", "model", "nobody"]
Style = Literal["academic", "technical", "executive"]
Depth = Literal["quick", "standard", "comprehensive"]


def short_id() -> str:
    """Return a fresh id of eight characters."""
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
    """Which sub-question it is for, from 0; None: the whole."""
    found: int = 0
    """Results that it brought and no query before it."""
    reformulates: str | None = None
    """Id of the weak query that it stands in for."""
    runs: list[SourceReport] = Field(default_factory=list)
    """Its rows of the journal: what each source was asked, and what came of it."""


class SearchResult(BaseModel):
    """One source: what any search gave, in one form."""

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
        """Return all that may be quoted, without the title."""
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
        """Whether the work was withdrawn: it is never evidence."""
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
    """Of the first character in that part."""
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
    """Its best sentences for the question, word for word."""
    says: Direction = "not stated"
    """Of a question of yes or no: what a model read in the first quote."""


class Theme(BaseModel):
    label: str
    sources: list[str]
    question: int = 0
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)


class Contradiction(BaseModel):
    topic: str
    one: Quote
    other: Quote
    note: str = ""


class AnalysisResult(BaseModel):
    analysis_id: str = Field(default_factory=short_id)
    key_findings: list[str] = Field(default_factory=list)
    themes: list[str] = Field(default_factory=list)
    contradictions: list[str] = Field(default_factory=list)
    gaps: list[str] = Field(default_factory=list)
    confidence_score: float = Field(default=0.0, ge=0.0, le=1.0)
    source_citations: dict[str, list[str]] = Field(default_factory=dict)
    """Citation key to the quotes that stand behind it."""
    findings: list[Finding] = Field(default_factory=list)
    theme_details: list[Theme] = Field(default_factory=list)
    contradiction_details: list[Contradiction] = Field(default_factory=list)
    gap_questions: list[int] = Field(default_factory=list)
    """Which sub-questions nothing answers, by what a model read; without one, nobody knows."""
    studies: list[Study] = Field(default_factory=list)
    """Every usable source with its own sentences, the most relevant first."""
    is_by_model: bool = False


class DraftSection(BaseModel):
    section_id: str
    title: str
    content: str
    citations: list[str] = Field(default_factory=list)
    """Keys, in order of appearance."""
    word_count: int = 0


class ResearchDraft(BaseModel):
    """One version of the text; citations in it are written `[@key]`."""

    draft_id: str = Field(default_factory=short_id)
    title: str = ""
    abstract: str = ""
    sections: list[DraftSection] = Field(default_factory=list)
    conclusion: str = ""
    references: list[str] = Field(default_factory=list)
    created_at: datetime = Field(default_factory=now)
    version: int = 1
    invented: list[str] = Field(default_factory=list)
    """References that a model gave and that nothing collected stands behind."""
    is_by_model: bool = False
    is_by_person: bool = False
    """Whether a person changed it."""
    written_at: dict[str, int] = Field(default_factory=dict)
    """Sentences that a person wrote, each with the number of the question that they answered."""

    @property
    def texts(self) -> dict[str, Any]:
        """Return all that a reader sees, as a model is shown it."""
        sections = [{"title": part.title, "content": part.content} for part in self.sections]
        return self.model_dump(include={"title", "abstract", "conclusion"}) | {"sections": sections}

    @property
    def word_count(self) -> int:
        own = len(self.abstract.split()) + len(self.conclusion.split())
        return own + sum(section.word_count for section in self.sections)


class CheckedSentence(BaseModel):
    place: str
    """`title`, `abstract`, a section's id, that with `.title` for its heading, or `conclusion`."""
    start: int
    """Of its first character in the text of that place."""
    end: int
    text: str
    """As it stands there, with its citations."""
    keys: list[str] = Field(default_factory=list)
    status: Support = "not_checked"
    checked_by: CheckedBy = "nobody"
    reason: str = ""
    snippet: Quote | None = None
    """The words of a cited source that it was held against."""
    written_at: int | None = None
    """The number of the question at which a person wrote it; None: the program or a model did."""


def support_counts(sentences: Iterable[CheckedSentence]) -> dict[str, int]:
    """Return how many sentences have which support; those of the report itself do not count."""
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
    """None: no model judged the text, and code alone gives no score."""
    pass_threshold: float = 7.5
    recommendation: Recommendation | None = "revise"
    """None: nobody judged the text, and code found nothing that stands in its way."""
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
