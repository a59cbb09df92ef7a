"""The steps that write and review, version by version."""

from typing import Any

from paper_search.errors import PersistenceError
from paper_search.report.evidence import Evidence
from paper_search.report.models import (
    AnalysisResult,
    Critique,
    CritiqueItem,
    ResearchStatus,
    ReviewerInput,
    ReviewerOutput,
    SearchResult,
    WriterInput,
    WriterOutput,
)
from paper_search.report.reviewer import Reviewer
from paper_search.report.writer import Writer, with_edits
from paper_search.report_workflow.context import Context, ReportStep
from paper_search.report_workflow.reviews import BreakpointName
from paper_search.report_workflow.state import ReportParams, StepState, WorkflowState
from paper_search.steps import Outcome, StepUpdate
from paper_search.steps.types import Approve, Fail, Iterate, Ok

_TEXT_UNCHANGED = (
    "not done, because your text is used unchanged; send only the words to get another version"
)


async def writer(ctx: Context) -> tuple[Ok | Fail, StepUpdate]:
    """Write the first or the next version; a text by a person is used unchanged."""
    step = ReportStep(ctx)
    state, results = step.state, await step.results()
    data = dict(state.collected_data)
    changes = data.pop("edited_draft", None)
    output: WriterOutput | None
    if changes is not None and state.draft is not None:
        draft = with_edits(state.draft, changes, Evidence(results))
        notes = ["edited by a person"]
        if state.human_note:
            notes.append(f"{_TEXT_UNCHANGED}: {state.human_note!r}")
        output = WriterOutput(draft=draft, revision_notes=notes)
    else:
        output = await _write(step, results)
    if output is None:
        return Outcome.FAIL, step.update(status=ResearchStatus.FAILED)
    draft = output.draft
    await step.records.store_version(draft)
    is_next = draft.version not in state.draft_versions
    step.say(
        f"Draft v{draft.version} {'complete' if is_next else 'stays as it is'}: "
        f"{len(draft.sections)} sections, {draft.word_count} words."
    )
    return Outcome.OK, step.update(
        draft=draft,
        revision_notes=output.revision_notes,
        draft_versions=[*state.draft_versions, *([draft.version] if is_next else [])],
        collected_data=data,
        human_note="",
        is_edited_by_person=changes is not None,
        status=ResearchStatus.REVISING if state.draft else ResearchStatus.WRITING,
    )


async def _write(step: ReportStep, results: list[SearchResult]) -> WriterOutput | None:
    state, params = step.state, step.params
    if state.analysis is None:
        raise PersistenceError("the report has no analysis: its analyst did not run")
    request = WriterInput(
        analysis=state.analysis,
        research_plan=step.plan,
        previous_draft=state.draft,
        critique=_critique_with_note(state) if state.draft is not None else None,
        style_guide=params.style_guide,
        target_length=params.target_length,
        search_results=results,
    )
    return await step.work(Writer, Writer.write, request)


def _critique_with_note(state: StepState) -> Critique:
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
    """Review the draft; the rules decide whether it is output, revised, or shown to a person.

    If no model wrote another version, the critique of this one stays, and it is not revised again;
    a person who is asked before the output sees it.
    """
    step = ReportStep(ctx)
    state, params = step.state, step.params
    changes: dict[str, Any] = {"status": ResearchStatus.REVIEWING}
    critique, draft = state.critique, state.draft
    is_stuck = critique is not None and draft is not None and critique.version == draft.version
    if critique is not None and is_stuck:
        after = state.model_copy(update={"iteration_count": state.max_iterations})
    else:
        output = await _review(step)
        if output is None:
            return Outcome.FAIL, step.update(status=ResearchStatus.FAILED)
        critique = output.critique
        changes |= await _store_critique(step, output)
        after = state.model_copy(update=changes)
    own = step.own_breakpoint(after)
    is_asked = own is not None or (is_stuck and params.hitl_before_output)
    outcome = route_after_reviewer(after, params, is_asked=is_asked)
    if outcome is Outcome.OK:
        kind = breakpoint_after_review(after, params, is_asked=is_asked)
        changes |= step.asks(kind, own) if kind is not None else {}
    elif outcome is Outcome.ITERATE:
        step.note(f"Revision loop iteration {after.iteration_count}")
    elif critique.recommendation == "reject":
        step.note("Draft rejected by reviewer")
    elif outcome is Outcome.FAIL:
        step.note(f"Max iterations ({state.max_iterations}) reached, returning best effort")
    return outcome, step.update(**changes)


async def _store_critique(step: ReportStep, output: ReviewerOutput) -> dict[str, Any]:
    """Store a critique; return the changed fields."""
    state, critique = step.state, output.critique
    await step.records.store_version(critique)
    score = critique.overall_score
    verdict = "no score" if score is None else f"Score {score:.1f}/10"
    step.say(
        f"Review complete: {verdict}, Recommendation: {(critique.recommendation or 'none').upper()}"
    )
    return {
        "critique": critique,
        "iteration_count": state.iteration_count + 1,
        "improvement_potential": output.improvement_potential,
        **_best(state, critique),
    }


async def _review(step: ReportStep) -> ReviewerOutput | None:
    state = step.state
    if state.draft is None:
        raise PersistenceError("the report has no draft: its writer did not run")
    request = ReviewerInput(
        draft=state.draft,
        analysis=state.analysis or AnalysisResult(),
        research_plan=step.plan,
        iteration_count=state.iteration_count,
        max_iterations=state.max_iterations,
        search_results=await step.results(),
        known_sentences=state.critique.sentences if state.critique else [],
        target_length=step.params.target_length,
    )
    return await step.work(Reviewer, Reviewer.review, request)


def _best(state: StepState, critique: Critique) -> dict[str, Any]:
    score = (critique.overall_score or 0.0) - 10.0 * min(1, critique.critical_count)
    if state.best_version is None or score >= state.best_score:
        return {"best_version": critique.version, "best_score": score}
    return {}


def route_after_reviewer(
    state: WorkflowState, params: ReportParams, *, is_asked: bool = False
) -> Ok | Iterate | Approve | Fail:
    """Return the outcome of a reviewed draft: ok, ask a person; approve, output it.

    =========  ==========  =====================  =======
    verdict    iterations  a person is asked      outcome
    =========  ==========  =====================  =======
    approve    any         before output          ok
    approve    any         no                     approve
    none       any         before output          ok
    none       any         no                     approve
    revise     < max       any                    iterate
    revise     >= max      on critical issues     ok
    revise     >= max      no                     fail
    reject     any         on critical issues     ok
    reject     any         no                     fail
    =========  ==========  =====================  =======

    The verdict "none" means that nobody judged the draft. A text by a person goes back to the
    person, whatever the verdict. So does every draft with `is_asked`: a custom breakpoint is due.
    """
    if state.critique is None:
        return Outcome.FAIL
    verdict = state.critique.recommendation
    asks = breakpoint_after_review(state, params, is_asked=is_asked) is not None
    if verdict in {"approve", None}:
        return Outcome.OK if asks else Outcome.APPROVE
    is_for_person = state.is_edited_by_person or (is_asked and asks)
    if verdict == "revise" and state.can_iterate and not is_for_person:
        return Outcome.ITERATE
    return Outcome.OK if asks else Outcome.FAIL


def breakpoint_after_review(
    state: WorkflowState, params: ReportParams, *, is_asked: bool
) -> BreakpointName | None:
    critique = state.critique
    if critique is None or state.human_reviews >= params.max_human_reviews:
        return None
    if critique.recommendation in {"approve", None}:
        is_due = params.hitl_before_output or state.is_edited_by_person or is_asked
        return "pre_output_review" if is_due else None
    is_critical = critique.critical_count > 0
    if state.is_edited_by_person:
        return "critical_issue_review" if is_critical else "pre_output_review"
    is_due = is_asked or (is_critical and params.hitl_on_critical_issues)
    return "critical_issue_review" if is_due else None
