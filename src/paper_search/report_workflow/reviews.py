"""The three questions to a person, and the answers that are allowed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, Literal, Protocol, Self, runtime_checkable

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from paper_search.errors import ConfigError
from paper_search.report.models import SearchType, now
from paper_search.steps.parameters import describe_errors
from paper_search.threads.decisions import (
    ClientForms,
    QuestionReference,
    answer_type,
    changed_args,
    decode,
    form_for,
    plain,
    require_open,
)
from paper_search.threads.questions import QuestionRef, ThreadQuestion

BreakpointName = Literal["plan_review", "pre_output_review", "critical_issue_review"]
TimedBreakpoint = Literal["plan_review", "pre_output_review"]
"""Those that a timeout may approve, if the settings say so; it never approves critical issues."""


class HITLAction(str, Enum):
    APPROVE = "approve"
    REJECT = "reject"
    MODIFY = "modify"
    SKIP = "skip"


@dataclass(frozen=True)
class HITLBreakpoint:
    """A point where a person is asked: after the planner or the reviewer.

    Custom ones go into `ReportServices.breakpoints`. A timeout never approves a draft that the
    reviewer does not approve.

    Raises:
        ConfigError: it is at another place.
    """

    name: str
    location: str
    """The step: planner or reviewer; or the next one: searcher or output."""
    trigger: str
    """`after` the step, or `before` the next one."""
    condition: Callable[[Any], Any] | None = None
    """Whether it is due in a state; None for always."""
    timeout_seconds: int = 3600
    auto_approve_on_timeout: bool = False
    required_fields: Sequence[str] | None = None
    question: str = ""

    def __post_init__(self) -> None:
        if (self.trigger, self.location) not in _STEPS:
            ways = ", ".join(map(" ".join, _STEPS))
            raise ConfigError(
                f"the breakpoint {self.name!r} is {self.trigger} {self.location}; accepted: {ways}"
            )

    @property
    def step(self) -> str:
        return _STEPS[self.trigger, self.location]

    def should_trigger(self, state: Any) -> bool:
        return self.condition is None or bool(self.condition(state))


_STEPS = {
    ("after", "planner"): "planner",
    ("before", "searcher"): "planner",
    ("after", "reviewer"): "reviewer",
    ("before", "output"): "reviewer",
}

HITL_BREAKPOINTS: Mapping[str, HITLBreakpoint] = MappingProxyType({
    "plan_review": HITLBreakpoint(
        "Research Plan Review", "planner", "after", timeout_seconds=1800,
        required_fields=(
            "research_plan.decomposed_questions", "research_plan.search_queries",
            "research_plan.expected_sections",
        ),
        question="is this the plan of the report?",
    ),
    "pre_output_review": HITLBreakpoint(
        "Final Output Review", "reviewer", "after", timeout_seconds=3600,
        required_fields=(
            "draft.title", "draft.abstract", "draft.sections", "critique.overall_score",
        ),
        question="is this the report?",
    ),
    "critical_issue_review": HITLBreakpoint(
        "Critical Issue Escalation", "reviewer", "after", timeout_seconds=7200,
        required_fields=("critique.items", "draft.title"),
        question="issues remain; what should be done?",
    ),
})  # fmt: skip
"""Those that the settings of a run switch on and off."""


class Review(ThreadQuestion, ClientForms):
    kind: BreakpointName
    name: str
    actions: list[HITLAction]  # type: ignore[assignment]  # narrower
    """Allowed actions; `effects` describes them."""
    effects: dict[str, str] = Field(default_factory=dict)
    asked_at: datetime
    timeout_seconds: int
    auto_approve_on_timeout: bool = False

    @property
    def expires_at(self) -> datetime:
        return self.asked_at + timedelta(seconds=self.timeout_seconds)

    def is_overdue(self) -> bool:
        return now() >= self.expires_at


class ReviewDecision(BaseModel):
    action: HITLAction
    feedback: str | None = None
    modifications: dict[str, Any] | None = None
    """`research_plan` or `draft` with the changed fields; only for modify."""
    review: QuestionRef | None = None
    """The question that is answered; unless that one is open, the answer is refused."""
    token: str | None = None
    """The same, by the question's token."""
    decided_by: Literal["person", "timeout"] = "person"
    decider: SkipJsonSchema[str | None] = None
    """The name of the person; the ledger sets it, never an answer."""

    @property
    def asks_for_plan(self) -> bool:
        return self.action is HITLAction.MODIFY and self.modifications is None


@runtime_checkable
class ReviewHandler(Protocol):
    """Answers reviews: a terminal, a page or a test."""

    async def handle(self, review: Review) -> ReviewDecision: ...


MAX_FEEDBACK_CHARS = 10_000
MAX_SECTION_CHARS = 100_000
ACTIONS = ("approve", "modify", "reject", "skip", "edit")
"""The words with which an answer in plain text may begin; edit means modify."""
_ALIASES = {"edit": "modify", "accept": "approve", "response": "modify"}
Text = Annotated[str, Field(min_length=1, max_length=1000)]


def _searchable(kind: SearchType) -> SearchType:
    if kind == "code":
        raise ValueError("there is no search of code; accepted: academic, web, news")
    return kind


class QueryEdit(BaseModel, extra="forbid"):
    query_text: Text
    search_type: Annotated[SearchType, AfterValidator(_searchable)] = "academic"
    priority: int = Field(default=1, ge=1, le=5)


class _Edit(BaseModel, extra="forbid"):
    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("changes nothing; name the fields to change")
        return self


class PlanEdit(_Edit):
    """The parts of a plan that a person changes; the others stay."""

    decomposed_questions: list[Text] | None = Field(default=None, min_length=2, max_length=10)
    search_queries: list[QueryEdit] | None = Field(default=None, min_length=1, max_length=30)
    methodology: str | None = Field(default=None, max_length=5000)
    expected_sections: list[Text] | None = Field(default=None, min_length=1, max_length=20)


class SectionEdit(BaseModel, extra="ignore"):
    title: Text
    content: str = Field(min_length=1, max_length=MAX_SECTION_CHARS)


class DraftEdit(_Edit):
    """The parts of a draft that a person changes; the others stay."""

    title: Text | None = None
    abstract: str | None = Field(default=None, max_length=MAX_SECTION_CHARS)
    sections: list[SectionEdit] | None = Field(default=None, min_length=1, max_length=30)
    conclusion: str | None = Field(default=None, max_length=MAX_SECTION_CHARS)


class PlanModification(BaseModel, extra="forbid"):
    research_plan: PlanEdit


class DraftModification(BaseModel, extra="forbid"):
    draft: DraftEdit


class CheckedDecision(ReviewDecision, extra="forbid"):
    feedback: str | None = Field(default=None, max_length=MAX_FEEDBACK_CHARS)

    @model_validator(mode="before")
    @classmethod
    def _decode(cls, answer: Any) -> Any:
        return _in_our_names(decode(answer, ACTIONS))


def answer_model(review: Review) -> Any:
    """Return the type of the decisions that a review takes; it validates to a `ReviewDecision`."""

    def complete(answer: Any) -> Any:
        decision = _in_our_names(decode(plain(answer), ACTIONS))
        if isinstance(decision, dict) and isinstance(decision.get("modifications"), dict):
            return _as_modification(decision, review)
        return decision

    def check(decision: CheckedDecision) -> ReviewDecision:
        _check(decision, review)
        return decision

    form = form_for(ReviewDecision, review.token, "ReviewDecision")
    return answer_type(CheckedDecision, complete, check, form)


def plan_or_draft_args(shows: dict[str, Any]) -> dict[str, Any]:
    """Return the text boxes of clients: the fields that can be changed, and feedback."""
    if plan := shows.get("research_plan"):
        names = ("decomposed_questions", "expected_sections", "methodology")
        queries = [query["query_text"] for query in plan["search_queries"]]
        return {
            **{name: plan[name] for name in names},
            **({} if shows.get("from_thread") else {"search_queries": queries}),
            "feedback": "",
        }
    draft = shows.get("draft") or {}
    names = ("title", "abstract", "conclusion")
    return {name: draft.get(name, "") for name in names} | {"feedback": ""}


def _as_modification(decision: dict[str, Any], review: Review) -> dict[str, Any]:
    """Return an edit made in text boxes as a modification; any other one unchanged."""
    before = plan_or_draft_args(review.shows)
    modifications = decision["modifications"]
    if not modifications.keys() <= {*before, "search_queries", "sections"}:
        return decision
    changed = changed_args(modifications, before)
    feedback = changed.pop("feedback", None) or decision.get("feedback")
    if isinstance(changed.get("search_queries"), list):
        queries = {
            query["query_text"]: query for query in review.shows["research_plan"]["search_queries"]
        }
        changed["search_queries"] = [
            queries.get(entry, {"query_text": entry}) if isinstance(entry, str) else entry
            for entry in changed["search_queries"]
        ]
    name = "research_plan" if review.kind == "plan_review" else "draft"
    return {**decision, "feedback": feedback, "modifications": {name: changed} if changed else None}


def past_decision(reference: QuestionRef, answer: Any) -> ReviewDecision | None:
    """Return the decision in an answer to a past review, if it has one."""
    try:
        decision = CheckedDecision.model_validate(plain(answer))
        _check_content(decision, reference.kind)
    except (ValueError, RecursionError):
        return None
    return ReviewDecision.model_validate({**decision.model_dump(), "review": reference})


def _in_our_names(answer: Any) -> Any:
    """Rename actions and fields: a note is feedback, and edit means modify."""
    if not isinstance(answer, dict):
        return answer
    renamed = dict(answer)
    action = renamed.get("action")
    if isinstance(action, str):
        renamed["action"] = _ALIASES.get(action, action)
    for old, new in (("note", "feedback"), ("revised_data", "modifications")):
        value = renamed.pop(old, None)
        if value is not None:
            renamed.setdefault(new, value)
    return renamed


def _check(decision: ReviewDecision, review: Review) -> None:
    require_open(QuestionReference(decision.review, decision.token), review)
    if decision.action not in review.actions:
        accepted = ", ".join(action.value for action in review.actions)
        raise ValueError(
            f"action: {decision.action.value} is no longer accepted here; accepted: {accepted}"
        )
    _check_content(decision, review.kind)
    thread_id, changes = review.shows.get("from_thread"), decision.modifications or {}
    if review.kind == "plan_review" and changes and (decision.feedback or "").strip():
        raise ValueError(
            "feedback: either change the plan, or give feedback to have it made again, but not both"
        )
    if thread_id and "search_queries" in changes.get("research_plan", {}):
        raise ValueError(
            f"search_queries: the report uses the papers of thread {thread_id} and searches"
            " nothing; accepted: the other fields of the plan"
        )


def _check_content(decision: ReviewDecision, kind: str) -> None:
    if decision.action is not HITLAction.MODIFY:
        if decision.modifications is not None:
            raise ValueError('modifications need the action "modify"')
        return
    if decision.modifications is None:
        if not (decision.feedback or "").strip():
            raise ValueError('"modify" needs modifications, or feedback that says what to change')
        return
    is_plan = kind == "plan_review"
    model: type[BaseModel] = PlanModification if is_plan else DraftModification
    try:
        content = model.model_validate(decision.modifications)
    except ValidationError as error:
        raise ValueError(describe_errors(error, "modifications")) from None
    decision.modifications = content.model_dump(mode="json", exclude_none=True)
