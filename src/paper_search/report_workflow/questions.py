"""The step that asks a person, the content of its questions, and the steps that end a report."""

from collections.abc import Iterator, Mapping
from typing import Any

from paper_search.errors import PersistenceError
from paper_search.exports.markdown import inert
from paper_search.models.source_report import quantity
from paper_search.models.usage import StepSpending, total
from paper_search.report.models import (
    Critique,
    ResearchDraft,
    ResearchPlan,
    ResearchStatus,
    SearchQuery,
    SearchResult,
    now,
)
from paper_search.report_workflow.context import Context, ReportStep
from paper_search.report_workflow.products import fallback_output, final_output
from paper_search.report_workflow.reviews import (
    HITL_BREAKPOINTS,
    HITLAction,
    Review,
    ReviewDecision,
    answer_model,
    plan_or_draft_args,
)
from paper_search.report_workflow.state import ReportEstimate, ReportParams, WorkflowState
from paper_search.steps import Outcome, StepUpdate
from paper_search.steps.types import Approve, Edit, Iterate, Ok, Reject
from paper_search.threads.decisions import client_forms


async def human_review(ctx: Context) -> tuple[Ok | Iterate | Approve | Edit | Reject, StepUpdate]:
    step = ReportStep(ctx)
    review = review_of(step.state, step.params, (ctx.thread_id, ctx.token))
    decision: ReviewDecision = ctx.ask(review, answer_model(review))
    step.note(_in_words(review.name, decision))
    if review.kind == "plan_review":
        return await _after_plan(step, decision, review.number)
    return _after_draft(step, decision, is_critical=review.kind == "critical_issue_review")


async def _after_plan(
    step: ReportStep, decision: ReviewDecision, number: int
) -> tuple[Ok | Iterate | Reject, StepUpdate]:
    match decision.action:
        case HITLAction.REJECT:
            return Outcome.REJECT, step.update(ended_by="rejected_by_person")
        case HITLAction.MODIFY:
            changes = (decision.modifications or {}).get("research_plan")
            if changes is None:
                return Outcome.ITERATE, step.update(plan_note=decision.feedback or "")
            edited = _edit_plan(step.plan, changes)
            await step.approvals.write(edited, number, _decider(decision))
            return Outcome.OK, step.update(research_plan=edited)
        case HITLAction.APPROVE | HITLAction.SKIP:
            if (plan := step.state.research_plan) is not None:
                await step.approvals.approve(plan, number, _decider(decision))
            return Outcome.OK, step.update()


def _decider(decision: ReviewDecision) -> str | None:
    return "nobody in time" if decision.decided_by == "timeout" else decision.decider


def _after_draft(
    step: ReportStep, decision: ReviewDecision, *, is_critical: bool
) -> tuple[Approve | Edit | Reject, StepUpdate]:
    match decision.action:
        case HITLAction.MODIFY:
            changes = (decision.modifications or {}).get("draft")
            edited = {} if changes is None else {"edited_draft": changes}
            data, note = {**step.state.collected_data, **edited}, decision.feedback or ""
            return Outcome.EDIT, step.update(collected_data=data, human_note=note)
        case HITLAction.APPROVE:
            by_person = decision.decided_by == "person"
            ended_by = "approved" if by_person else "approved_by_timeout"
            return Outcome.APPROVE, step.update(human_approved=by_person, ended_by=ended_by)
        case HITLAction.SKIP:
            if _may_be_revised(step.state):
                return Outcome.EDIT, step.update(human_note="")
            if is_critical:
                return Outcome.REJECT, step.update()
            return Outcome.APPROVE, step.update(ended_by="not_reviewed")
        case HITLAction.REJECT:
            return Outcome.REJECT, step.update(ended_by="rejected_by_person")


async def output(ctx: Context) -> tuple[Ok, StepUpdate]:
    """Output the report with its provenance."""
    step = ReportStep(ctx)
    state, results = step.state, await step.results()
    ended_by = state.ended_by or "not_reviewed"
    product = final_output(state.model_copy(update={"ended_by": ended_by}), step.params, results)
    title = state.draft.title if state.draft else ""
    step.say(f"Research complete: '{title}' ({product['metadata']['word_count']} words)")
    changes = {"ended_by": ended_by, "collected_data": {"final_output": product}}
    return await _finish(step, results, changes)


async def fallback(ctx: Context) -> tuple[Ok, StepUpdate]:
    """Output the best version so far, with the reason and caveats."""
    step = ReportStep(ctx)
    state, records, results = step.state, step.records, await step.results()
    best: dict[str, Any] = {"draft": state.draft, "critique": state.critique}
    if (version := state.best_version) is not None:
        best["draft"] = await records.version(ResearchDraft, version) or state.draft
        best["critique"] = await records.version(Critique, version) or state.critique
    product = fallback_output(state.model_copy(update=best), step.params, results)
    step.say(f"Workflow completed with fallback: {product['reason']}")
    ended_by = state.ended_by or "fallback"
    best |= {"ended_by": ended_by, "collected_data": {"fallback_output": product}}
    return await _finish(step, results, best)


async def _finish(
    step: ReportStep, results: list[SearchResult], changes: dict[str, Any]
) -> tuple[Ok, StepUpdate]:
    await step.records.index(step.state.original_query)
    await step.approvals.end()
    return Outcome.OK, step.update(
        search_results=results, status=ResearchStatus.COMPLETED, is_complete=True, **changes
    )


def _in_words(name: str, decision: ReviewDecision) -> str:
    what = decision.action.value.upper()
    if decision.decided_by == "timeout":
        return f"{name}: {what}: nobody answered in time, which the settings count as approval"
    return f"{name}: {what}" + (f": {decision.feedback}" if decision.feedback else "")


def _edit_plan(plan: ResearchPlan, changes: dict[str, Any]) -> ResearchPlan:
    """Return the plan with a person's changes; their queries replace all others."""
    update = {name: value for name, value in changes.items() if name != "search_queries"}
    if "search_queries" in changes:
        update["search_queries"] = [
            SearchQuery.model_validate({**query, "query_id": f"p{number}"})
            for number, query in enumerate(changes["search_queries"], 1)
        ]
    return plan.model_copy(update={**update, "revised_at": now()})


_AFTER_DRAFT = {
    HITLAction.APPROVE: "output the report as approved",
    HITLAction.MODIFY: "use your text and check it again, or write another version as you say",
    HITLAction.REJECT: "end with the best draft, marked as rejected",
    HITLAction.SKIP: "output it, marked as not approved by a person",
}
_EFFECTS: dict[str, dict[HITLAction, str]] = {
    "plan_review": {
        HITLAction.APPROVE: "continue with this plan",
        HITLAction.MODIFY: "continue with the plan as you change it, or plan again as you say",
        HITLAction.REJECT: "end the report",
        HITLAction.SKIP: "continue without a decision",
    },
    "pre_output_review": _AFTER_DRAFT,
    "critical_issue_review": _AFTER_DRAFT
    | {
        HITLAction.APPROVE: "output the report with its critical issues listed",
        HITLAction.SKIP: "end with the best draft and its caveats",
    },
}


_TIMES = {
    "plan_review": "plan_review_timeout",
    "pre_output_review": "output_review_timeout",
    "critical_issue_review": "critical_review_timeout",
}


def _may_be_revised(state: WorkflowState) -> bool:
    critique = state.critique
    return critique is not None and critique.recommendation == "revise" and state.can_iterate


def review_of(state: WorkflowState, params: ReportParams, names: tuple[str, str]) -> Review:
    """Return the question to ask a person now. `names`: run id and token of the question."""
    if state.review is None:
        raise PersistenceError("the report has no question to ask")
    kind, number = state.review.breakpoint, state.review.number
    point = HITL_BREAKPOINTS[kind]
    effects = dict(_EFFECTS[kind])
    if kind == "critical_issue_review" and _may_be_revised(state):
        effects[HITLAction.SKIP] = "revise it according to the critique"
    if number >= params.max_human_reviews:
        del effects[HITLAction.MODIFY]
    shows = _contents(state, params, kind)
    costs = [f"- {name.capitalize()}: {words}" for name, words in cost_facts(shows)]
    description = "\n".join([describe_review(kind, shows), *costs])
    takes_edits = HITLAction.MODIFY in effects
    return Review(
        kind=kind,
        name=state.review.name or point.name,
        run_id=names[0],
        token=names[1],
        number=number,
        shows=shows,
        actions=list(effects),
        effects={action.value: effect for action, effect in effects.items()},
        asked_at=now(),
        timeout_seconds=state.review.timeout_seconds or getattr(params, _TIMES[kind]),
        auto_approve_on_timeout=state.review.auto_approve_on_timeout
        or (not state.review.name and kind in params.auto_approve_on_timeout),
        **client_forms(
            kind, names[1], plan_or_draft_args(shows), description, takes_edits=takes_edits
        ),
    )


def describe_review(kind: str, shows: dict[str, Any]) -> str:
    question = HITL_BREAKPOINTS[kind].question
    lines = [f"## {question[:1].upper()}{question[1:]}", "", inert(shows["original_query"]), ""]
    if plan := shows.get("research_plan"):
        lines += [f"- Question: {inert(text)}" for text in plan["decomposed_questions"]]
        for query in [] if shows.get("from_thread") else plan["search_queries"]:
            lines.append(f"- Query ({query['search_type']}): {inert(query['query_text'])}")
        lines.append(f"- Sections: {inert(', '.join(plan['expected_sections']))}")
    lines += [f"- Warning: {inert(text)}" for text in shows.get("warnings") or []]
    if draft := shows.get("draft"):
        lines += [f"### {inert(draft['title'])} (version {draft['version']})", ""]
        lines += [inert(draft["abstract"]), ""]
        for section in draft["sections"]:
            words = f"{section['word_count']:,} words"
            lines.append(f"- Section: {inert(section['title'])} ({words})")
    if critique := shows.get("critique"):
        lines += ["", inert(critique["summary"]), ""]
        for item in critique["items"]:
            issue = f"{item['severity']}, {item['location']}: {item['description']}"
            lines.append(f"- {inert(issue)}")
    lines += [f"- Revised: {inert(note)}" for note in shows.get("revision_notes") or []]
    return "\n".join(lines)


def cost_facts(shows: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the cost of models: expected, maximal and so far; nothing without a model."""
    if usage := shows.get("usage"):
        yield "spent", str(total(map(StepSpending.model_validate, usage)))
    if not shows.get("estimate"):
        return
    estimate = ReportEstimate.model_validate(shows["estimate"])
    once, most = estimate.one_draft, estimate.at_most
    dated = f" (prices of {once.priced_at})" if once.priced_at else ""
    judged = f" and {quantity(once.papers, 'paper')} to judge" if once.papers else ""
    yield "will cost", f"about {once} with one draft{judged}{dated}"
    more = [quantity(estimate.drafts, "draft")]
    if estimate.gap_searches:
        more.append(quantity(estimate.gap_searches, "more search", "more searches"))
    if most != once:
        yield "at most", f"about {most} with {' and '.join(more)}"
    if shows.get("budget"):
        yield "budget", shows["budget"]


_PLAN: Any = {
    **dict.fromkeys(("decomposed_questions", "expected_sections", "methodology"), True),
    "search_queries": {"__all__": {"query_text", "search_type", "priority"}},
}
_DRAFT: Any = {
    **dict.fromkeys(("title", "abstract", "conclusion", "references", "version"), True),
    "sections": {"__all__": {"title", "content", "word_count"}},
}


def _contents(state: WorkflowState, params: ReportParams, kind: str) -> dict[str, Any]:
    if kind == "plan_review":
        plan = state.research_plan
        return {
            "original_query": state.original_query,
            "research_plan": plan.model_dump(mode="json", include=_PLAN) if plan else None,
            "from_thread": params.from_thread,
            "warnings": state.planner_warnings,
            "reasoning_trace": state.planner_reasoning,
            "estimate": state.estimate.model_dump(mode="json") if state.estimate else None,
            "budget": str(params.budget) if params.budget else None,
        }
    critique = state.critique.model_dump(mode="json") if state.critique else None
    return {
        "original_query": state.original_query,
        "draft": state.draft.model_dump(mode="json", include=_DRAFT) if state.draft else None,
        "critique": critique,
        "warnings": list(map(str, state.errors)),
        "revision_notes": state.revision_notes,
        "improvement_potential": state.improvement_potential,
        "iteration_count": state.iteration_count,
        "usage": [step.model_dump(mode="json") for step in state.usage],
    }
