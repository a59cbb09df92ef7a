"""The steps that write and review, version by version."""

from __future__ import annotations

from paper_search.errors import PersistenceError
from paper_search.report.claims.statements import written_by_persons
from paper_search.report.evidence import Evidence
from paper_search.report.exchange import ReviewerInput, ReviewerOutput, WriterInput, WriterOutput
from paper_search.report.models import (
    AnalysisResult,
    Critique,
    CritiqueItem,
    ResearchDraft,
    ResearchStatus,
    SearchResult,
)
from paper_search.report.reviewer import Reviewer
from paper_search.report.writer import Writer, edited
from paper_search.report_workflow.context import (
    Context,
    checked,
    logged,
    plan_of,
    records_of,
    settings_of,
    worked,
    worked_or_none,
)
from paper_search.report_workflow.routing import breakpoint_after_review, route_after_reviewer
from paper_search.report_workflow.state import OpenReview, ReportParams, WorkflowState
from paper_search.steps import Outcome, StepUpdate
from paper_search.steps.types import Approve, Fail, Iterate, Ok


async def writer(ctx: Context) -> tuple[Ok | Fail, StepUpdate]:
    """Write the first version or the next one; what a person wrote is taken as it is."""
    state = checked(ctx)
    params = settings_of(ctx)
    records = records_of(ctx)
    results = await records.results(state.result_ids)
    changes = state.collected_data.pop("edited_draft", None)
    output: WriterOutput | None
    if changes is not None and state.draft is not None:
        draft = edited(state.draft, changes, Evidence(results))
        output = WriterOutput(draft=draft, revision_notes=["edited by a person"])
    else:
        output = await _written(ctx, state, params, results)
    if output is None:
        return Outcome.FAIL, logged(state, status=ResearchStatus.FAILED)
    is_revision = state.draft is not None
    number = state.review.number if changes is not None and state.review else None
    written_at = written_by_persons(output.draft, state.draft, number)
    draft = output.draft.model_copy(update={"written_at": written_at})
    await records.put_draft(draft)
    state.say(
        f"Draft v{draft.version} complete: {len(draft.sections)} sections, "
        f"{draft.word_count} words."
    )
    return Outcome.OK, logged(
        state,
        draft=draft,
        revision_notes=output.revision_notes,
        draft_versions=[*state.draft_versions, draft.version],
        collected_data=state.collected_data,
        human_note="",
        is_edited_by_person=changes is not None,
        status=ResearchStatus.REVISING if is_revision else ResearchStatus.WRITING,
    )


async def _written(
    ctx: Context, state: WorkflowState, params: ReportParams, results: list[SearchResult]
) -> WriterOutput | None:
    if state.analysis is None or state.research_plan is None:
        raise PersistenceError("the report has no analysis: its analyst did not run")
    given = WriterInput(
        analysis=state.analysis,
        research_plan=state.research_plan,
        previous_draft=state.draft,
        critique=_to_answer(state) if state.draft is not None else None,
        style_guide=params.style_guide,
        target_length=params.target_length,
        search_results=results,
    )
    work = worked(
        ctx,
        state,
        "writer",
        params.writer_model,
        lambda llm, shown: Writer(llm, ctx.services.domain).write(given.model_copy(update=shown)),
    )
    return await worked_or_none(state, "writer", work)


def _to_answer(state: WorkflowState) -> Critique:
    """Return the critique of the draft, with what a person said as its first item."""
    critique = state.critique or Critique(version=state.draft.version if state.draft else 1)
    if not state.human_note:
        return critique
    wish = CritiqueItem(
        category="completeness",
        severity="major",
        location="general",
        description=state.human_note,
        suggested_fix="Do what the person asks for.",
        found_by="person",
    )
    return critique.model_copy(update={"items": [wish, *critique.items]})


async def reviewer(ctx: Context) -> tuple[Ok | Iterate | Approve | Fail, StepUpdate]:
    """Judge the draft; the rules say whether it is given out, mended, shown to a person, or not."""
    state = checked(ctx)
    params = settings_of(ctx)
    output = await _reviewed(ctx, state, params)
    critique = output.critique
    state.critique = critique
    state.iteration_count += 1
    await records_of(ctx).put_critique(critique)
    _keep_best(state, critique)
    score = critique.overall_score
    judged = "no score" if score is None else f"Score {score:.1f}/10"
    state.say(
        f"Review complete: {judged}, Recommendation: {(critique.recommendation or 'none').upper()}"
    )
    outcome = route_after_reviewer(state, params)
    if outcome is Outcome.OK:
        kind = breakpoint_after_review(state, params)
        if kind is not None:
            state.review = OpenReview(breakpoint=kind, number=state.human_reviews + 1)
            state.human_reviews += 1
    elif outcome is not Outcome.APPROVE:
        state.add_checkpoint(_why(state, critique, outcome))
    return outcome, logged(
        state,
        critique=critique,
        iteration_count=state.iteration_count,
        improvement_potential=output.improvement_potential,
        best_version=state.best_version,
        best_score=state.best_score,
        review=state.review,
        human_reviews=state.human_reviews,
        status=ResearchStatus.REVIEWING,
    )


def _why(state: WorkflowState, critique: Critique, outcome: Outcome) -> str:
    if outcome is Outcome.ITERATE:
        return f"Revision loop iteration {state.iteration_count}"
    if critique.recommendation == "reject":
        return "Draft rejected by reviewer"
    return f"Max iterations ({state.max_iterations}) reached, returning best effort"


async def _reviewed(ctx: Context, state: WorkflowState, params: ReportParams) -> ReviewerOutput:
    results = await records_of(ctx).results(state.result_ids)
    given = ReviewerInput(
        draft=_draft(state),
        analysis=state.analysis or AnalysisResult(),
        research_plan=plan_of(state),
        iteration_count=state.iteration_count,
        max_iterations=state.max_iterations,
        search_results=results,
        known_sentences=state.critique.sentences if state.critique else [],
        target_length=params.target_length,
    )
    return await worked(
        ctx,
        state,
        "reviewer",
        params.reviewer_model,
        lambda llm, shown: Reviewer(llm, ctx.services.domain).review(
            given.model_copy(update=shown)
        ),
    )


def _keep_best(state: WorkflowState, critique: Critique) -> None:
    """Remember the version that is best: a critical issue weighs more than any score."""
    score = (critique.overall_score or 0.0) - 10.0 * min(1, critique.critical_count)
    if state.best_version is None or score >= state.best_score:
        state.best_version, state.best_score = critique.version, score


def _draft(state: WorkflowState) -> ResearchDraft:
    if state.draft is None:
        raise PersistenceError("the report has no draft: its writer did not run")
    return state.draft
