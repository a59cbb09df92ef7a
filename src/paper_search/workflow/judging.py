"""The criteria of a thread, stored judgements, and judging a result again."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from langgraph.store.base import BaseStore
from pydantic import BaseModel, Field
from typing_extensions import override

from paper_search.errors import ConfigError, ThreadNotWaitingError
from paper_search.models import (
    Criterion,
    CriterionKind,
    Paper,
    ParsedIntent,
    ScoredPaper,
    SearchConstraints,
)
from paper_search.models.query import kinds_in_words
from paper_search.skills import RelevanceScorer
from paper_search.skills.intent.boolean_question import after_edit
from paper_search.skills.intent.notes import after_note, parse_note
from paper_search.skills.judging.question import OF_NOTE, criteria_of, with_note
from paper_search.skills.result_ranker import by_grades
from paper_search.skills.strategy.limits import required_stems, unwanted_stems
from paper_search.skills.words import tokens
from paper_search.steps import StepUpdate
from paper_search.threads.records import ROOT, RecordStore, storable
from paper_search.workflow.decisions import StrategyEdit
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import WorkflowState


class _SharedRows(RecordStore):
    """Rows that belong to no thread."""

    @override
    def namespace(self, part: str) -> tuple[str, ...]:
        return (ROOT, part)


class StoredJudgements:
    """A `JudgementCache` in the store of the threads.

    Deleting a thread leaves judgements there: of its question they hold only a hash.
    """

    def __init__(self, store: BaseStore) -> None:
        self._rows = _SharedRows(store, "")

    async def get(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        return await self._rows.get(_PART, keys)

    async def put(self, rows: Mapping[str, dict[str, Any]]) -> None:
        await self._rows.put(_PART, {key: storable(row) for key, row in rows.items()})


def criteria_update(state: WorkflowState, edit: Any) -> tuple[StepUpdate, list[str]]:
    """Return the intent with the concepts and criteria of an edit, and the criteria removed.

    If the edit changes no criterion, removing a limit removes its criteria: exclusions of what is
    welcome again, and inclusions that a note made of what is no longer required.
    """
    if not isinstance(edit, StrategyEdit) or state.intent is None or state.strategy is None:
        return {}, []
    intent = after_edit(state.intent, state.strategy, edit)
    edited = intent if edit.criteria is None else intent.with_criteria(edit.criteria)
    if edited.criteria != intent.criteria:
        return {"intent": edited}, []
    welcome = _unwanted(state.strategy.filters) - _unwanted(edit.filters)
    excluded = [name for name in intent.excluded if tuple(tokens(name)) not in welcome]
    optional = required_stems(state.strategy.filters) - required_stems(edit.filters)

    def is_removed(criterion: Criterion) -> bool:
        text = criterion.text
        if criterion.kind is CriterionKind.EXCLUSION:
            return any(set(tokens(text)).issuperset(stems) for stems in welcome)
        return text.startswith(OF_NOTE) and tuple(tokens(text.removeprefix(OF_NOTE))) in optional

    gone = [criterion.text for criterion in intent.criteria if is_removed(criterion)]
    criteria = [criterion for criterion in intent.criteria if criterion.text not in gone]
    edited = intent.model_copy(update={"excluded": excluded}).with_criteria(criteria)
    return {"intent": edited}, gone


def _unwanted(limits: SearchConstraints) -> set[tuple[str, ...]]:
    kinds = kinds_in_words(limits.excluded_types)
    return {*unwanted_stems(limits), *(tuple(tokens(kind)) for kind in kinds)}


def intent_after_note(state: WorkflowState, intent: ParsedIntent) -> ParsedIntent:
    """Apply the person's latest note to the intent that papers are judged by.

    Criteria stay empty if no model judges; for another subject they are made of its words.
    """
    text = state.latest_feedback.free_text_feedback if state.latest_feedback else None
    if not text:
        return intent
    today = date.today()  # noqa: DTZ011  # the person's own calendar
    note = parse_note(text, today, intent)
    concepts, criteria = intent.concepts, intent.criteria
    intent = after_note(intent, note, today)
    if not criteria:
        return intent
    if note.instead:
        exclusions = [c for c in criteria if c.kind is CriterionKind.EXCLUSION]
        criteria = criteria_of(intent.with_criteria(exclusions))
    intent = intent.with_criteria(with_note(criteria, note, concepts))
    return intent.with_criteria(criteria_of(intent))


_PART = "judged"
_MORE = "--budget"
"""Part of the reason why a paper is unjudged, if the budget did not cover the question."""


class JudgingReport(BaseModel):
    papers: int
    asked: int = 0
    """Papers that the model was asked about now."""
    unjudged: dict[str, int] = Field(default_factory=dict)
    """Papers without a judgement, by the reason; the commonest first."""

    @classmethod
    def of(cls, papers: Iterable[ScoredPaper | Paper], calls: int = 0) -> "JudgingReport":
        every = list(papers)
        why = Counter(
            paper.unjudged_because or "the judge failed" for paper in every if not paper.is_judged
        )
        return cls(papers=len(every), asked=calls, unjudged=dict(why.most_common()))

    @property
    def options(self) -> list[str]:
        """Return the options with which `judge` asks about the others."""
        return ["--unjudged", *["--budget", "AMOUNT"] * any(_MORE in why for why in self.unjudged)]

    @property
    def is_failure(self) -> bool:
        return bool(self.papers) and sum(self.unjudged.values()) == self.papers

    @property
    def summary(self) -> str | None:
        """Return how many papers are unjudged, and why; None if none is."""
        if not self.unjudged:
            return None
        words = "; ".join(f"{why} ({count})" for why, count in self.unjudged.items())
        if len(self.unjudged) == 1:
            [words] = self.unjudged
        return f"{sum(self.unjudged.values())} of {self.papers} unjudged: {words}"


async def judge_again(
    state: WorkflowState, records: SearchRecords, skills: Skills, *, is_all: bool
) -> JudgingReport:
    """Judge the papers of the latest result, and order all of them by score."""
    scorer = skills.relevance_scorer
    if not isinstance(scorer, RelevanceScorer) or scorer.model is None:
        raise ConfigError(
            "no model is configured for judging: set LLM_MODEL, or LLM_MODEL_JUDGE, and its key"
        )
    if state.result is None or state.intent is None:
        raise ThreadNotWaitingError(
            f"thread {records.thread_id!r} has no papers yet: resume it first"
        )
    ids = [*state.result.paper_ids, *state.result.set_aside_ids]
    before = await records.scored(await records.judged_ids(ids))
    works = [verdict.paper for verdict in before if is_all or not verdict.is_judged]
    marks = [*state.intent.seeds, *await records.marked_papers(state.marks)]
    cache = StoredJudgements(records.store)
    verdicts = await scorer.score(works, state.intent, marks, cache=cache)
    await records.save_judgements(verdicts, works, state.current_iteration)
    changed = {verdict.paper.id: verdict for verdict in verdicts}
    every = [changed.get(verdict.paper.id, verdict) for verdict in before]
    by_words = scorer.by_words([verdict.paper for verdict in every], state.intent, marks)
    prior = await asyncio.to_thread(
        skills.result_ranker.order,
        by_words,
        marks,
        asked=state.ranking_pairs,
        question=state.ranked_question,
    )
    judged = {verdict.paper.id: verdict for verdict in every}
    ordered = by_grades([judged[verdict.paper.id] for verdict in prior], marks)
    await records.apply_judgements(verdicts, [verdict.paper.id for verdict in ordered])
    asked = [verdict for verdict in verdicts if _MORE not in (verdict.unjudged_because or "")]
    return JudgingReport.of(every, len(asked))
