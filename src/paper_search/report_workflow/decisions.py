"""Which decisions a review takes: in any client's shape, checked against what was asked."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from paper_search.report.models import SearchType
from paper_search.report_workflow.breakpoints import (
    BreakpointName,
    HITLAction,
    Review,
    ReviewDecision,
    ReviewRef,
)
from paper_search.threads.decisions import Named, decode, form_for, listed, plain, require_open

MAX_FEEDBACK_CHARS = 10_000
MAX_SECTION_CHARS = 100_000
ACTIONS = ("approve", "modify", "reject", "skip", "edit")
"""The words that an answer in plain text may begin with; to edit is to modify."""
_ALIASES = {"edit": "modify", "accept": "approve", "response": "modify"}
Text = Annotated[str, Field(min_length=1, max_length=1000)]


def _searched(kind: SearchType) -> SearchType:
    """Refuse the one kind of the specification that nothing searches."""
    if kind == "code":
        raise ValueError("there is no search of code; accepted: academic, web, news")
    return kind


class QueryEdit(BaseModel, extra="forbid"):
    """A query as a person writes it."""

    query_text: Text
    search_type: Annotated[SearchType, AfterValidator(_searched)] = "academic"
    priority: int = Field(default=1, ge=1, le=5)


class _Edit(BaseModel, extra="forbid"):
    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("changes nothing; say what should be different")
        return self


class PlanEdit(_Edit):
    """The parts of a plan that a person changes; what is left out stays."""

    decomposed_questions: list[Text] | None = Field(default=None, min_length=2, max_length=10)
    search_queries: list[QueryEdit] | None = Field(default=None, min_length=1, max_length=30)
    methodology: str | None = Field(default=None, max_length=5000)
    expected_sections: list[Text] | None = Field(default=None, min_length=1, max_length=20)


class SectionEdit(BaseModel, extra="ignore"):
    """A section as a person writes it."""

    title: Text
    content: str = Field(min_length=1, max_length=MAX_SECTION_CHARS)


class DraftEdit(_Edit):
    """The parts of a draft that a person changes; what is left out stays."""

    title: Text | None = None
    abstract: str | None = Field(default=None, max_length=MAX_SECTION_CHARS)
    sections: list[SectionEdit] | None = Field(default=None, min_length=1, max_length=30)
    conclusion: str | None = Field(default=None, max_length=MAX_SECTION_CHARS)


class PlanModification(BaseModel, extra="forbid"):
    """What may be modified at the plan."""

    research_plan: PlanEdit


class DraftModification(BaseModel, extra="forbid"):
    """What may be modified at the draft."""

    draft: DraftEdit


class CheckedDecision(ReviewDecision, extra="forbid"):
    """A decision in any client's shape."""

    feedback: str | None = Field(default=None, max_length=MAX_FEEDBACK_CHARS)

    @model_validator(mode="before")
    @classmethod
    def _decode(cls, answer: Any) -> Any:
        return _named(decode(answer, ACTIONS))


def answer_model(review: Review) -> Any:
    """Return the type of the decisions that a review takes; its JSON schema makes forms.

    It validates to a `ReviewDecision`.
    """

    def check(decision: CheckedDecision) -> ReviewDecision:
        _check(decision, review)
        return decision

    form = form_for(ReviewDecision, review.token, "ReviewDecision")
    return Annotated[CheckedDecision, AfterValidator(check), WithJsonSchema(form)]


def past_decision(named: ReviewRef, answer: Any) -> ReviewDecision | None:
    """Return the decision in an answer to a review that is past; None: there is none in it."""
    try:
        decision = CheckedDecision.model_validate(plain(answer))
        _check_content(decision, named.kind)
    except (ValueError, RecursionError):
        return None
    return ReviewDecision.model_validate({**decision.model_dump(), "review": named})


def _named(answer: Any) -> Any:
    """Return the answer under the names of a review: a note is feedback, an edit modifies."""
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
    require_open(Named(decision.review, decision.token), review)
    if decision.action not in review.actions:
        taken = ", ".join(action.value for action in review.actions)
        raise ValueError(
            f"action: {decision.action.value} is no longer accepted here; accepted: {taken}"
        )
    _check_content(decision, review.kind)


def _check_content(decision: ReviewDecision, kind: BreakpointName) -> None:
    """Check what goes with the action, and put modifications into their form."""
    if decision.action is not HITLAction.MODIFY:
        if decision.modifications is not None:
            raise ValueError("modifications need the action modify")
        return
    if decision.modifications is None:
        if not (decision.feedback or "").strip():
            raise ValueError("modify needs modifications, or feedback that says what to change")
        return
    is_plan = kind == "plan_review"
    model: type[BaseModel] = PlanModification if is_plan else DraftModification
    try:
        checked = model.model_validate(decision.modifications)
    except ValidationError as error:
        raise ValueError(listed(error, prefix="modifications")) from None
    decision.modifications = checked.model_dump(mode="json", exclude_none=True)
