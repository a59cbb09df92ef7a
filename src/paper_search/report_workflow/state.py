"""The state of one report, its settings, its input and its output."""

from datetime import datetime
from typing import Annotated, Any
from uuid import uuid4

from langchain_core.messages import AnyMessage, convert_to_messages
from langgraph.channels import UntrackedValue
from langgraph.graph.message import add_messages
from pydantic import BaseModel, BeforeValidator, Field, PlainSerializer

from paper_search.errors import PaperSearchError
from paper_search.models import SourceReport
from paper_search.models.usage import Budget, SpendingEstimate, StepSpending
from paper_search.report.models import (
    MAX_QUESTION_CHARS,
    MIN_QUESTION_CHARS,
    AnalysisResult,
    Critique,
    Depth,
    ResearchDraft,
    ResearchPlan,
    ResearchStatus,
    SearchQuery,
    SearchResult,
    Style,
    now,
)
from paper_search.report.recovery import WorkflowError, classified
from paper_search.report_workflow.reviews import HITL_BREAKPOINTS, BreakpointName, TimedBreakpoint
from paper_search.steps.types import Untracked

SCHEMA_VERSION = 1
"""Version of the channels; a thread of another version is refused."""

MAX_ROUNDS = 20
"""The upper limit of `max_iterations` and `max_human_reviews`."""
_SECONDS = {name: point.timeout_seconds for name, point in HITL_BREAKPOINTS.items()}


class ReportRequest(BaseModel):
    """The input of the graph."""

    original_query: str = Field(min_length=MIN_QUESTION_CHARS, max_length=MAX_QUESTION_CHARS)
    """The research question, in the person's words."""
    config: dict[str, Any] | None = None
    """Settings of this run, as `ReportParams`; the run's context does as well."""
    workflow_params: dict[str, Any] | None = None
    """The same, under the name that all graphs of this program use."""


class ReportParams(BaseModel, frozen=True):
    """The settings of a run; they are fixed when it starts."""

    depth: Depth = "standard"
    """How thorough: quick, standard or comprehensive."""
    style_guide: Style = "academic"
    """How to write: academic, technical or executive."""
    target_length: int = Field(default=2000, ge=100, le=50_000)
    """Words of the report."""
    max_iterations: int = Field(default=3, ge=1, le=MAX_ROUNDS)
    """At most so many drafts are reviewed, unless a person asks for more."""
    max_search_iterations: int = Field(default=5, ge=1, le=50)
    """The searcher runs at most so often."""
    max_gap_searches: int = Field(default=2, ge=0, le=10)
    """Gaps send the report back to search at most so often."""
    max_search_errors: int = Field(default=3, ge=1, le=100)
    """Searching stops after so many errors."""
    hitl_after_planning: bool = False
    """Ask a person about the plan."""
    hitl_before_output: bool = False
    """Ask a person before the output of an approved report."""
    hitl_on_critical_issues: bool = True
    """Ask a person about critical issues that no revision resolved."""
    planner_model: str | None = None
    """Name of the model; None for LLM_MODEL. Without a model, all roles work by algorithm."""
    searcher_model: str | None = None
    """Judges the relevance of papers."""
    analyst_model: str | None = None
    writer_model: str | None = None
    reviewer_model: str | None = None
    planner_temperature: float | None = Field(default=0.3, ge=0, le=2)
    """None for LLM_TEMPERATURE."""
    searcher_temperature: float | None = Field(default=0.1, ge=0, le=2)
    analyst_temperature: float | None = Field(default=0.2, ge=0, le=2)
    writer_temperature: float | None = Field(default=0.4, ge=0, le=2)
    reviewer_temperature: float | None = Field(default=0.1, ge=0, le=2)
    planner_max_tokens: int | None = Field(default=4000, ge=100)
    """Of one answer; None for LLM_MAX_TOKENS."""
    writer_max_tokens: int | None = Field(default=8000, ge=100)

    context: str | None = Field(default=None, max_length=MAX_QUESTION_CHARS)
    """Further information for the planner."""
    domain_hints: list[str] = Field(default_factory=list)
    """Fields to consider first."""
    from_thread: str | None = None
    """A finished search whose papers the report uses instead of searching."""
    sources: list[str] | None = None
    """Search only these; None for all that the settings enable."""
    max_results_per_query: int = Field(default=10, ge=1, le=50)
    timeout_seconds: int = Field(default=30, ge=1)
    """For one query to one source."""
    max_sources: int = Field(default=40, ge=1, le=200)
    """Searching stops after so many sources."""
    max_pages: int = Field(default=10, ge=0, le=100)
    """Web pages and open-access papers whose text is fetched."""
    max_model_calls: int = Field(default=300, ge=0, le=10_000)
    """Questions to models, over the whole run; a failed attempt is not a question of its own."""
    budget: Budget | None = None
    """What the report may spend on models at most; None for no limit."""
    max_human_reviews: int = Field(default=10, ge=1, le=MAX_ROUNDS)
    """Questions to a person; the last one accepts only approve, reject and skip."""
    plan_review_timeout: int = Field(default=_SECONDS["plan_review"], ge=1)
    """Seconds in which a person should answer."""
    output_review_timeout: int = Field(default=_SECONDS["pre_output_review"], ge=1)
    critical_review_timeout: int = Field(default=_SECONDS["critical_issue_review"], ge=1)
    auto_approve_on_timeout: list[TimedBreakpoint] = Field(default_factory=list)
    """Questions that count as approved if nobody answers in time; none by default."""


class AskingParams(ReportParams, frozen=True):
    """The settings of a run with a person: by default, both questions are asked."""

    hitl_after_planning: bool = True
    hitl_before_output: bool = True


class OpenReview(BaseModel):
    breakpoint: BreakpointName
    number: int
    """The place of the question in this report, from 1."""
    name: str = ""
    """The name of a custom breakpoint, which has its own timeout; empty for those of settings."""
    timeout_seconds: int = 0
    auto_approve_on_timeout: bool = False


class ReportEstimate(BaseModel):
    one_draft: SpendingEstimate
    """If the first draft is good, and no gap is searched for."""
    at_most: SpendingEstimate
    """With all drafts and searches that may follow without a question."""
    drafts: int
    gap_searches: int


def _messages(value: Any) -> Any:
    """Convert messages from any form that LangChain takes, but not those of `_plain_messages`."""
    has_roles = isinstance(value, list) and not any(
        isinstance(message, dict) and "role" not in message for message in value
    )
    return convert_to_messages(value) if has_roles else value


def _plain_messages(messages: list[AnyMessage]) -> list[dict[str, Any]]:
    return [
        {"type": message.type, **message.model_dump(mode="json", exclude_defaults=True)}
        for message in messages
    ]


def _errors(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [
        classified(PaperSearchError(error), "unknown") if isinstance(error, str) else error
        for error in value
    ]


Messages = Annotated[
    list[AnyMessage], BeforeValidator(_messages), PlainSerializer(_plain_messages), add_messages
]
Errors = Annotated[list[WorkflowError], BeforeValidator(_errors)]


class WorkflowState(BaseModel):
    """The state of one report: decisions, ids and the text; the sources are in the store."""

    workflow_id: str = Field(default_factory=lambda: str(uuid4()))
    status: ResearchStatus = ResearchStatus.PENDING
    messages: Messages = Field(default_factory=list)
    """Reports of the steps, as messages of LangChain."""
    original_query: str = ""
    research_plan: ResearchPlan | None = None
    search_results: Annotated[list[SearchResult], Untracked, UntrackedValue] = Field(
        default_factory=list
    )
    """All sources in full: part of the output, never of a checkpoint."""
    collected_data: dict[str, Any] = Field(default_factory=dict)
    """`final_output` or `fallback_output` at the end."""
    analysis: AnalysisResult | None = None
    draft: ResearchDraft | None = None
    critique: Critique | None = None
    iteration_count: int = 0
    max_iterations: int = 3
    created_at: datetime = Field(default_factory=now)
    updated_at: datetime = Field(default_factory=now)
    errors: Errors = Field(default_factory=list)
    """Each step appends; none removes."""
    checkpoints: list[str] = Field(default_factory=list)
    """Decisions along the way, with the time."""
    config: dict[str, Any] = Field(default_factory=dict)
    """As given in the input; the settings of the run are what counts."""

    schema_version: int = SCHEMA_VERSION
    result_ids: list[str] = Field(default_factory=list)
    """Sources in the order in which they were collected: citation keys depend on it."""
    search_iterations: int = 0
    gap_searches: int = 0
    fetches: list[SourceReport] = Field(default_factory=list)
    """Report rows of fetched pages; those of searches are with the queries of the plan."""
    model_calls: int = 0
    usage: list[StepSpending] = Field(default_factory=list)
    """What each step spent on models, in the order of the first visits."""
    estimate: ReportEstimate | None = None
    """The estimated cost that was shown with the plan; None if no model is asked."""
    planner_warnings: list[str] = Field(default_factory=list)
    planner_reasoning: str = ""
    plan_note: str = ""
    """A person's feedback on the plan."""
    human_reviews: int = 0
    review: OpenReview | None = None
    """The question that is open, or was asked last."""
    human_approved: bool = False
    human_note: str = ""
    """A person's feedback on the draft, for the writer."""
    is_edited_by_person: bool = False
    """Whether the draft is a person's own text, which is not revised unless they ask for it."""
    best_version: int | None = None
    best_score: float = -1.0
    draft_versions: list[int] = Field(default_factory=list)
    """All versions; the drafts are in the store."""
    revision_notes: list[str] = Field(default_factory=list)
    improvement_potential: float = 0.0
    collection_ended_by: str | None = None
    """How the search that the report uses ended."""
    ended_by: str | None = None
    is_complete: bool = False

    @property
    def can_iterate(self) -> bool:
        return self.iteration_count < self.max_iterations

    @property
    def pending_searches(self) -> list[SearchQuery]:
        if self.research_plan is None:
            return []
        pending = [q for q in self.research_plan.search_queries if q.status == "pending"]
        return sorted(pending, key=lambda query: query.priority)

    def add_checkpoint(self, checkpoint: str) -> None:
        self.updated_at = now()
        self.checkpoints.append(f"{self.updated_at.isoformat()}: {checkpoint}")

    def add_error(self, error: WorkflowError | str) -> None:
        self.errors += _errors([error])


class StepState(WorkflowState, frozen=True):
    """The state as a step receives it; only what the step returns changes it."""


class ReportOutput(BaseModel):
    original_query: str
    status: ResearchStatus
    collected_data: dict[str, Any]
    draft: ResearchDraft | None
    critique: Critique | None
    analysis: AnalysisResult | None
    research_plan: ResearchPlan | None
    errors: list[WorkflowError]
    checkpoints: list[str]
    messages: Messages
    iteration_count: int
    ended_by: str | None
    is_complete: bool
    search_results: list[SearchResult]
