"""Validation of answers to checkpoints, and edits of a strategy."""

import textwrap
from typing import Any, ClassVar

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from paper_search.bibliography.languages import language_code
from paper_search.bibliography.publication_types import csl_type
from paper_search.errors import QuerySyntaxError
from paper_search.models import (
    PUBLICATION_TYPES,
    Criterion,
    CriterionKind,
    MergeDecision,
    RankedQuery,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    SynonymMap,
    UserFeedback,
)
from paper_search.models.query import FEWEST_CRITERIA, MOST_CRITERIA, MOST_RESULTS
from paper_search.query import conditions_in, parse
from paper_search.skills.intent.clauses import kind_at
from paper_search.skills.strategy.changes import complete_edit
from paper_search.steps.parameters import describe_errors
from paper_search.threads.decisions import (
    QuestionReference,
    answer_type,
    changed_args,
    decode,
    form_for,
    plain,
    require_open,
)
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    Decision,
    DecisionAction,
    StrategyPayload,
)
from paper_search.workflow.state import MAX_WAITS

MAX_QUERIES = 50
MAX_NOTE_CHARS = 20_000
MAX_RANKED_CHARS = 10_000
MAX_NAMED = 10
"""Ids that an error message names."""


class ConstraintsEdit(SearchConstraints, extra="forbid"):
    """Constraints as a person may write them."""

    year_from: int | None = Field(default=None, ge=1, le=9999)
    year_to: int | None = Field(default=None, ge=1, le=9999)
    max_results: int = Field(default=100, ge=1, le=MOST_RESULTS)
    max_papers: int | None = Field(default=None, ge=1, le=MOST_RESULTS)

    @model_validator(mode="after")
    def _years_in_order(self) -> "ConstraintsEdit":
        if self.year_from and self.year_to and self.year_from > self.year_to:
            raise ValueError(f"year_from {self.year_from} is after year_to {self.year_to}")
        return self

    @field_validator("language")
    @classmethod
    def _is_known(cls, name: str | None) -> str | None:
        if name and language_code(name) is None:
            raise ValueError(f"unknown {name!r}; write a code such as de, or the English name")
        return language_code(name)

    @field_validator("conditions")
    @classmethod
    def _are_readable(cls, conditions: list[str]) -> list[str]:
        try:
            conditions_in(conditions)
        except QuerySyntaxError as error:
            raise ValueError(str(error)) from None
        return [condition for condition in conditions if condition.strip()]

    @field_validator("publication_types", "excluded_types")
    @classmethod
    def _are_kinds(cls, names: list[str]) -> list[str]:
        return list(dict.fromkeys(map(_publication_type, names)))

    @field_validator("publication_types")
    @classmethod
    def _are_known(cls, names: list[str]) -> list[str]:
        if unknown := [name for name in names if name not in PUBLICATION_TYPES]:
            raise ValueError(f"unknown {_some(unknown)}; known: {', '.join(PUBLICATION_TYPES)}")
        return names


def _publication_type(text: str) -> str:
    """Return the type that a text names, read as in a question; else the text."""
    word = " ".join(text.split()).lower()
    named = kind_at(word, 0)
    if named is not None and named[1] == len(word):
        return named[0]
    kinds = map(csl_type, (word, word.removesuffix("s")))
    return next((kind for kind in kinds if kind in PUBLICATION_TYPES), text)


class SynonymEdit(SynonymMap, extra="forbid"):
    """Synonyms as a person may write them."""


class QueryEdit(SearchQuery, extra="forbid"):
    """A query as a person may write it; it has to parse."""

    keywords: list[str] = Field(default_factory=list)
    synonym_map: list[SynonymEdit] = Field(default_factory=list)  # type: ignore[assignment]  # narrower

    @model_validator(mode="after")
    def _is_readable(self) -> "QueryEdit":
        try:
            parse(self.boolean_query)
        except QuerySyntaxError as error:
            raise ValueError(f"boolean_query: {error}") from None
        return self


class RankedEdit(RankedQuery, extra="forbid"):
    text: str = Field(min_length=1, max_length=MAX_RANKED_CHARS, pattern=r"\S")


class CriterionEdit(Criterion, extra="forbid"):
    """A criterion as a person may write it."""


class StrategyEdit(SearchStrategy, extra="forbid"):
    """A strategy as a person may write it, with the criteria for judging papers."""

    queries: list[QueryEdit] = Field(max_length=MAX_QUERIES)  # type: ignore[assignment]  # narrower
    ranked: list[RankedEdit] = Field(default_factory=list, max_length=MAX_QUERIES)  # type: ignore[assignment]  # narrower
    filters: ConstraintsEdit = Field(default_factory=ConstraintsEdit)
    criteria: list[CriterionEdit] | None = Field(
        default=None,
        min_length=FEWEST_CRITERIA,
        max_length=MOST_CRITERIA,
        exclude_if=lambda criteria: criteria is None,
    )
    """None keeps those of the intent."""

    @field_validator("criteria")
    @classmethod
    def _include_something(cls, criteria: list[CriterionEdit] | None) -> list[CriterionEdit] | None:
        if criteria and all(criterion.kind is CriterionKind.EXCLUSION for criterion in criteria):
            raise ValueError('all are exclusions; add one of the kind "inclusion"')
        return criteria


class MergeEdit(MergeDecision, extra="forbid"):
    """A decision on two records as a person may give it."""


class FeedbackEdit(UserFeedback, extra="forbid"):
    """Feedback as a person may give it."""

    merge_decisions: list[MergeEdit] = Field(default_factory=list)  # type: ignore[assignment]  # narrower

    @model_validator(mode="after")
    def _is_consistent(self) -> "FeedbackEdit":
        if both := sorted(set(self.marked_relevant) & set(self.marked_irrelevant)):
            raise ValueError(f"marked both relevant and irrelevant: {_some(both)}")
        return self


class _Answer(Decision, extra="forbid"):
    edit_type: ClassVar[type[BaseModel]] = FeedbackEdit
    note: str | None = Field(default=None, max_length=MAX_NOTE_CHARS)

    @model_validator(mode="before")
    @classmethod
    def _decode(cls, answer: Any) -> Any:
        return _with_typed_data(decode(answer), cls.edit_type)


class StrategyDecision(_Answer):
    edit_type = StrategyEdit
    revised_data: StrategyEdit | FeedbackEdit | None = None


class ResultDecision(_Answer):
    revised_data: FeedbackEdit | None = None


_DECISIONS = dict(zip(CheckpointKind, (StrategyDecision, ResultDecision), strict=True))


def answer_model(
    checkpoint: Checkpoint, known_ids: frozenset[str], record_ids: frozenset[str] = frozenset()
) -> Any:
    """Return the type of the decisions that a checkpoint takes, in the form of any client.

    It validates to a `Decision`; clients build a form from its JSON schema.
    """
    model = _DECISIONS[checkpoint.kind]

    def complete(answer: Any) -> Any:
        edit, payload = plain(decode(answer)), checkpoint.payload
        if not isinstance(edit, dict) or edit.get("revised_data") is None:
            return edit
        if not isinstance(edit["revised_data"], dict):
            raise ValueError("revised_data: not an object with the fields that change")  # noqa: TRY004  # a validator
        revised, is_edit = edit["revised_data"], edit.get("action") == DecisionAction.EDIT.value
        if not isinstance(payload, StrategyPayload):
            return {**edit, "revised_data": changed_args(revised, result_args())}
        before = strategy_args(payload.strategy)
        if not is_edit and revised.keys() != before.keys():  # not the text boxes of an edit
            return edit
        revised = changed_args(revised, before)
        if not is_edit and revised:
            raise ValueError(f"revised_data: to change {', '.join(revised)}, edit it")
        if not is_edit:
            return {**edit, "revised_data": None}
        if not revised:
            raise ValueError("the edit changes nothing: approve, or change a field")
        revised = _as_strategy_edit(revised, payload.strategy)
        return {**edit, "revised_data": complete_edit(revised, payload.strategy)}

    def check(decision: Decision) -> Decision:
        require_open(QuestionReference(decision.checkpoint, decision.token), checkpoint)
        _check_content(decision, checkpoint, known_ids)
        _check_merges(decision.revised_data, known_ids | record_ids)
        return decision

    return answer_type(model, complete, check, form_for(model, checkpoint.token))


def strategy_args(strategy: SearchStrategy) -> dict[str, Any]:
    return {
        "queries": [query.boolean_query for query in strategy.queries],
        "ranked": [query.text for query in strategy.ranked],
        "sources": strategy.sources,
        **{name: getattr(strategy.filters, name) for name in _LIMITS},
    }


def result_args() -> dict[str, Any]:
    return {"marked_relevant": [], "marked_irrelevant": [], "free_text_feedback": ""}


_LIMITS = tuple(SearchConstraints.model_fields)


def _as_strategy_edit(revised: dict[str, Any], proposed: SearchStrategy) -> dict[str, Any]:
    """Return an edit made in text boxes as fields of a strategy; others are returned unchanged."""
    limits = {name: value for name, value in revised.items() if name in _LIMITS}
    rest = {name: value for name, value in revised.items() if name not in _LIMITS}
    if limits:
        rest["filters"] = {**(rest.get("filters") or {}), **limits}
    queries = {query.boolean_query: query for query in proposed.queries}
    ranked = {query.text: query for query in proposed.ranked}
    for name, field, items in (("queries", "boolean_query", queries), ("ranked", "text", ranked)):
        if isinstance(rest.get(name), list):
            rest[name] = [
                plain(items.get(entry, {field: entry})) if isinstance(entry, str) else entry
                for entry in rest[name]
            ]
    return rest


def past_decision(kind: CheckpointKind, answer: Any) -> Decision | None:
    """Return the decision in an answer to a past checkpoint, if it has one."""
    try:
        return _DECISIONS[kind].model_validate(plain(answer))
    except (ValidationError, RecursionError):
        return None


def feedback_of(decision: Decision) -> UserFeedback:
    if not isinstance(decision.revised_data, UserFeedback):
        return UserFeedback(free_text_feedback=decision.note or "")
    feedback = UserFeedback.model_validate(decision.revised_data.model_dump())
    if decision.note and not feedback.free_text_feedback:
        feedback.free_text_feedback = decision.note
    return feedback


def _with_typed_data(answer: Any, edit_type: type[BaseModel]) -> Any:
    """Validate `revised_data` by the model for the action, so that errors name its fields."""
    if not isinstance(answer, dict) or not isinstance(answer.get("revised_data"), dict):
        return answer
    is_edit = answer.get("action") == DecisionAction.EDIT.value
    model = edit_type if is_edit else FeedbackEdit
    try:
        return {**answer, "revised_data": model.model_validate(answer["revised_data"])}
    except ValidationError as error:
        raise ValueError(describe_errors(error, "revised_data")) from None


def _check_content(decision: Decision, checkpoint: Checkpoint, known_ids: frozenset[str]) -> None:
    data = decision.revised_data
    is_edit = decision.action is DecisionAction.EDIT
    if is_edit and data is None:
        raise ValueError("an edit needs revised_data")
    if isinstance(checkpoint.payload, StrategyPayload):
        if decision.action is DecisionAction.APPROVE and data is not None:
            raise ValueError("approving takes no revised_data; to change the strategy, edit it")
        if is_edit:
            _check_sources(data, checkpoint.payload.available_sources)
    if isinstance(data, UserFeedback):
        _check_waiting(decision.action, data, checkpoint)
        ids = {*data.marked_relevant, *data.marked_irrelevant, *data.unmarked}
        if unknown := sorted(ids - known_ids):
            raise ValueError(f"no such papers in this result: {_some(unknown)}")


def _check_waiting(action: DecisionAction, data: UserFeedback, checkpoint: Checkpoint) -> None:
    if not data.wait_for_sources:
        return
    field, payload = "revised_data.wait_for_sources", checkpoint.payload
    if isinstance(payload, StrategyPayload) or action is not DecisionAction.EDIT:
        raise ValueError(f"{field}: only an edit of a result waits for sources")
    if not payload.unfinished_sources:
        raise ValueError(
            f"{field}: there is nothing to wait for: no source ran out of time, or the search has "
            f"already waited {MAX_WAITS} times"
        )
    if data.free_text_feedback:
        raise ValueError(
            "revised_data.free_text_feedback: waiting does not start another round, which feedback "
            "could change: leave it out, and give it when the results are complete"
        )


def _check_merges(data: Any, record_ids: frozenset[str]) -> None:
    verdicts: dict[frozenset[str], bool] = {}
    for decision in data.merge_decisions if isinstance(data, UserFeedback) else []:
        pair = frozenset((decision.one, decision.other))
        if len(pair) == 1:
            raise ValueError(f"a merge decision names one record twice: {_some([decision.one])}")
        if unknown := sorted(pair - record_ids):
            raise ValueError(f"no such records in this result: {_some(unknown)}")
        if verdicts.setdefault(pair, decision.is_same) != decision.is_same:
            raise ValueError(f"decided both as one work and as two: {_some(sorted(pair))}")


def _some(names: list[str]) -> str:
    rest = len(names) - MAX_NAMED
    text = ", ".join(textwrap.shorten(name, 100) for name in names[:MAX_NAMED])
    return f"{text} and {rest:,} more" if rest > 0 else text


def _check_sources(strategy: SearchStrategy, available: list[str]) -> None:
    unknown = [name for name in strategy.sources if available and name not in available]
    if unknown:
        raise ValueError(
            f"revised_data.sources: unknown source {unknown[0]!r}; known: {', '.join(available)}"
        )
    local = {"library", "sample", "snowball"}
    for name in strategy.native:
        if name not in strategy.sources or name in local:
            possible = [source for source in strategy.sources if source not in local]
            raise ValueError(
                f"revised_data.native: {name!r} takes no query in its own syntax; sources of"
                f" this strategy that do: {', '.join(possible) or 'none'}"
            )


def apply_edit(proposed: SearchStrategy, revised: Any) -> SearchStrategy:
    """Return the strategy as a person edited it; without seeds of its own, it keeps the proposed.

    The lines belong to the first query; if that has changed, they are dropped.
    """
    plain = revised.model_dump() if isinstance(revised, BaseModel) else revised
    strategy = SearchStrategy.model_validate(plain)
    first, before = (
        [query.boolean_query for query in version.queries[:1]] for version in (strategy, proposed)
    )
    lines = strategy.lines if first == before else []
    seeds = strategy.seeds or proposed.seeds
    return strategy.model_copy(update={"seeds": seeds, "lines": lines})
