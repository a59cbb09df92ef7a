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
"""Of the channels; a thread of another version is refused, never misread."""

MAX_ROUNDS = 20
"""What `max_iterations` and `max_human_reviews` may be at most."""
_SECONDS = {name: point.timeout_seconds for name, point in HITL_BREAKPOINTS.items()}


class ReportRequest(BaseModel):
    """The input of the graph."""

    original_query: str = Field(min_length=MIN_QUESTION_CHARS, max_length=MAX_QUESTION_CHARS)
    """The research question, in the person's words."""
    config: dict[str, Any] | None = None
    """Settings of this run, as `ReportParams`; the run's context does as well."""
    workflow_params: dict[str, Any] | None = None
    """The same, under the name that all graphs of this program know."""


class ReportParams(BaseModel, frozen=True):
    """The settings of a run; they are fixed when it starts."""

    depth: Depth = "standard"
    """How deep to dig: quick, standard or comprehensive."""
    style_guide: Style = "academic"
    """How to write: academic, technical or executive."""
    target_length: int = Field(default=2000, ge=100, le=50_000)
    """Words of the report."""
    max_iterations: int = Field(default=3, ge=1, le=MAX_ROUNDS)
    """How many drafts are reviewed at most without a person asking for more."""
    max_search_iterations: int = Field(default=5, ge=1, le=50)
    """How often the searcher runs at most."""
    max_gap_searches: int = Field(default=2, ge=0, le=10)
    """How often gaps send the report back to search."""
    max_search_errors: int = Field(default=3, ge=1, le=100)
    """Searching stops after so many errors."""
    hitl_after_planning: bool = False
    """Ask a person about the plan."""
    hitl_before_output: bool = False
    """Ask a person before an approved report is given out."""
    hitl_on_critical_issues: bool = True
    """Ask a person when critical issues are left that no revision mended."""
    planner_model: str | None = None
    """Name of the model; None means LLM_MODEL. Without a model, all roles work by algorithm."""
    searcher_model: str | None = None
    """Judges the relevance of papers."""
    analyst_model: str | None = None
    writer_model: str | None = None
    reviewer_model: str | None = None
    planner_temperature: float | None = Field(default=0.3, ge=0, le=2)
    """None: LLM_TEMPERATURE."""
    searcher_temperature: float | None = Field(default=0.1, ge=0, le=2)
    analyst_temperature: float | None = Field(default=0.2, ge=0, le=2)
    writer_temperature: float | None = Field(default=0.4, ge=0, le=2)
    reviewer_temperature: float | None = Field(default=0.1, ge=0, le=2)
    planner_max_tokens: int | None = Field(default=4000, ge=100)
    """Of one answer; None means LLM_MAX_TOKENS."""
    writer_max_tokens: int | None = Field(default=8000, ge=100)

    context: str | None = Field(default=None, max_length=MAX_QUESTION_CHARS)
    """What else the planner should know."""
    domain_hints: list[str] = Field(default_factory=list)
    """Fields to look at first."""
    from_thread: str | None = None
    """A finished search whose papers the report is made from, instead of searching."""
    sources: list[str] | None = None
    """Search only these; None for all that the settings name."""
    max_results_per_query: int = Field(default=10, ge=1, le=50)
    timeout_seconds: int = Field(default=30, ge=1)
    """That a source may take for one query."""
    max_sources: int = Field(default=40, ge=1, le=200)
    """Searching stops when so many sources are collected."""
    max_pages: int = Field(default=10, ge=0, le=100)
    """Web pages and open-access papers whose text is fetched."""
    max_model_calls: int = Field(default=300, ge=0, le=10_000)
    """How often a model is asked, over the whole run."""
    budget: Budget | None = None
    """What the report may spend on models at most; None for no limit."""
    max_human_reviews: int = Field(default=10, ge=1, le=MAX_ROUNDS)
    """How often a person is asked; the last time only approve, reject and skip are taken."""
    plan_review_timeout: int = Field(default=_SECONDS["plan_review"], ge=1)
    """Seconds in which a person should answer."""
    output_review_timeout: int = Field(default=_SECONDS["pre_output_review"], ge=1)
    critical_review_timeout: int = Field(default=_SECONDS["critical_issue_review"], ge=1)
    auto_approve_on_timeout: list[TimedBreakpoint] = Field(default_factory=list)
    """Where silence counts as approval once the time is over; nowhere by default."""


class AskingParams(ReportParams, frozen=True):
    """The settings of a run that a person is there for: both questions are asked unless refused."""

    hitl_after_planning: bool = True
    """Ask a person about the plan."""
    hitl_before_output: bool = True
    """Ask a person before an approved report is given out."""


class OpenReview(BaseModel):
    breakpoint: BreakpointName
    number: int
    """Which question of this report it is, from 1."""
    name: str = ""
    """Of a breakpoint of one's own, which brings its own time; empty: the settings say it."""
    timeout_seconds: int = 0
    auto_approve_on_timeout: bool = False


class ReportEstimate(BaseModel):
    one_draft: SpendingEstimate
    """If the first draft is good, and no gap is searched for."""
    at_most: SpendingEstimate
    """With all drafts and searches that may follow unasked."""
    drafts: int
    gap_searches: int


def _messages(value: Any) -> Any:
    """Return messages in any form that LangChain takes; those that were dumped here as they are."""
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
    """The state of one report: decisions, ids and the text; what was collected is in the store."""

    workflow_id: str = Field(default_factory=lambda: str(uuid4()))
    status: ResearchStatus = ResearchStatus.PENDING
    messages: Messages = Field(default_factory=list)
    """What each step did, as messages of LangChain."""
    original_query: str = ""
    research_plan: ResearchPlan | None = None
    search_results: Annotated[list[SearchResult], Untracked, UntrackedValue] = Field(
        default_factory=list
    )
    """What was collected, in full: part of the output, never of a checkpoint."""
    collected_data: dict[str, Any] = Field(default_factory=dict)
    """`final_output` or `fallback_output` in the end."""
    analysis: AnalysisResult | None = None
    draft: ResearchDraft | None = None
    critique: Critique | None = None
    iteration_count: int = 0
    max_iterations: int = 3
    created_at: datetime = Field(default_factory=now)
    updated_at: datetime = Field(default_factory=now)
    errors: Errors = Field(default_factory=list)
    """Never shortened: each step appends."""
    checkpoints: list[str] = Field(default_factory=list)
    """What was decided on the way, with the time."""
    config: dict[str, Any] = Field(default_factory=dict)
    """As given; what counts are the settings of the run."""

    schema_version: int = SCHEMA_VERSION
    result_ids: list[str] = Field(default_factory=list)
    """What was collected, in the order in which it was: citation keys depend on it."""
    search_iterations: int = 0
    gap_searches: int = 0
    fetches: list[SourceReport] = Field(default_factory=list)
    """Rows of the journal on pages; those on searches are with the queries of the plan."""
    model_calls: int = 0
    usage: list[StepSpending] = Field(default_factory=list)
    """What each step spent on models, in the order of the first visits."""
    estimate: ReportEstimate | None = None
    """What was said at the plan that the report would cost; None if no model is asked."""
    planner_warnings: list[str] = Field(default_factory=list)
    planner_reasoning: str = ""
    plan_note: str = ""
    """What a person said to the plan."""
    human_reviews: int = 0
    review: OpenReview | None = None
    """The question that is open, or was asked last."""
    human_approved: bool = False
    human_note: str = ""
    """What a person wants changed in the draft; the writer takes it up."""
    is_edited_by_person: bool = False
    """Whether the draft is a person's own text: no revision writes over it unasked."""
    best_version: int | None = None
    best_score: float = -1.0
    draft_versions: list[int] = Field(default_factory=list)
    """All versions, which are in the store."""
    revision_notes: list[str] = Field(default_factory=list)
    improvement_potential: float = 0.0
    collection_ended_by: str | None = None
    """How the search ended that the report is made from."""
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
    """The state as a step gets it: only what the step returns changes it."""


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
