"""The final output of a report as data, or the best fallback, with caveats."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from paper_search.models.source_report import quantity
from paper_search.report.document import NO_ANSWER
from paper_search.report.evidence import Evidence, author_year
from paper_search.report.models import (
    Critique,
    CritiqueItem,
    ResearchDraft,
    SearchResult,
    Severity,
    now,
    support_counts,
)
from paper_search.report.passages import NOTHING_BEARS, bears_on
from paper_search.report_workflow.state import ReportParams, WorkflowState

HIGH_CONFIDENCE = 8.0
"""Minimal score of a report with high confidence."""
_SHOWN_RESULTS, _SHOWN_ERRORS, _NAMED = 10, 5, 3
_GRAVITY = get_args(Severity)


def final_output(
    state: WorkflowState, params: ReportParams, results: list[SearchResult]
) -> dict[str, Any]:
    draft, critique = state.draft or ResearchDraft(), state.critique
    score = (critique.overall_score or 0) if critique and not critique.critical_count else 0
    verdict = {"status": "complete", "confidence": "high" if score >= HIGH_CONFIDENCE else "medium"}
    if is_without_answer(state, results):
        verdict = {"status": "partial", "reason": NO_ANSWER, "confidence": "low"}
    return {
        **verdict,
        "content": _content(draft, results),
        **_facts(state, params, results),
    }


def fallback_output(
    state: WorkflowState, params: ReportParams, results: list[SearchResult]
) -> dict[str, Any]:
    content: dict[str, Any] | None = None
    if state.draft is not None:
        content = {**_content(state.draft, results), "version": state.draft.version}
        caveat = f"Draft version {state.draft.version} did not pass final review"
    elif state.analysis is not None:
        content = {
            **state.analysis.model_dump(include={"key_findings", "themes"}),
            "sources": _sources(results),
            "type": "analysis_only",
        }
        caveat = "Writing phase did not complete; raw analysis provided"
    elif results:
        content = {
            "search_results": [r.model_dump(mode="json") for r in results[:_SHOWN_RESULTS]],
            "type": "search_results_only",
        }
        caveat = "Analysis did not complete; raw search results provided"
    else:
        caveat = "No source was collected"
    product: dict[str, Any] = {
        "status": "partial",
        "reason": fallback_reason(state, results),
        "confidence": "low",
        "content": content,
        **_facts(state, params, results, caveat),
    }
    if state.critique is not None:
        product["final_score"] = state.critique.overall_score
    if state.errors:
        product["errors"] = [str(error) for error in state.errors[-_SHOWN_ERRORS:]]
    return product


def _facts(
    state: WorkflowState, params: ReportParams, results: list[SearchResult], *caveats: str
) -> dict[str, Any]:
    return {
        "caveats": [*caveats, *_caveats(state, results)],
        "metadata": _metadata(state, state.draft or ResearchDraft(), results),
        "provenance": _provenance(state, params),
    }


def is_without_answer(state: WorkflowState, results: Sequence[SearchResult]) -> bool:
    """Whether the sources answer no sub-question; never for a text by a person."""
    analysis, plan = state.analysis, state.research_plan
    if analysis is None or plan is None or (state.draft is not None and state.draft.is_by_person):
        return False
    if analysis.is_by_model:
        return set(range(len(plan.decomposed_questions))) <= set(analysis.gap_questions)
    by_id = {source.result_id: source for source in results}
    return not any(
        bears_on(plan.original_query, study, by_id[study.result_id]) for study in analysis.studies
    )


def fallback_reason(state: WorkflowState, results: Sequence[SearchResult]) -> str:
    critique = state.critique
    reasons = (
        (state.ended_by == "rejected_by_person", "Rejected by a person"),
        (state.research_plan is None, "No plan could be made"),
        (not state.result_ids, _nothing_collected(state)),
        (state.analysis is None, "Analysis generation failed"),
        (is_without_answer(state, results), NO_ANSWER),
        (state.draft is None, "No draft could be written"),
    )
    for is_so, words in reasons:
        if is_so:
            return words
    return f"Not approved after {quantity(state.iteration_count, 'draft')}: {_lacks(critique)}"


def _nothing_collected(state: WorkflowState) -> str:
    queries = state.research_plan.search_queries if state.research_plan else []
    rows = [row for query in queries for row in query.runs]
    if count := sum(row.kept for row in rows):
        return f"None of the {count:,} records found is relevant to the question"
    if rows and all(row.status.is_failure for row in rows):
        names = ", ".join(dict.fromkeys(row.source for row in rows))
        return f"No source answered: {names}"
    return "No search results collected"


def _lacks(critique: Critique | None) -> str:
    if critique is None:
        return "the last one was not reviewed"
    items = sorted(critique.items, key=lambda item: _GRAVITY.index(item.severity))
    grave = _descriptions(items, *_GRAVITY[:2])
    if not grave:
        return f"its score is {critique.overall_score}, and {critique.pass_threshold} is needed"
    rest = f"; and {len(grave) - _NAMED} more" if len(grave) > _NAMED else ""
    return "; ".join(grave[:_NAMED]) + rest


def _descriptions(items: Iterable[CritiqueItem], *severities: Severity) -> list[str]:
    """Return what the issues say; what several say alike once, with how often."""
    counts = Counter(i.description.rstrip(".") for i in items if i.severity in severities)
    return [f"{text} ({count} times)" if count > 1 else text for text, count in counts.items()]


def _content(draft: ResearchDraft, results: list[SearchResult]) -> dict[str, Any]:
    return {
        "title": draft.title,
        "abstract": draft.abstract,
        "sections": [
            {"id": section.section_id, **section.model_dump(exclude={"section_id"})}
            for section in draft.sections
        ],
        "conclusion": draft.conclusion,
        "references": draft.references,
        "sources": _sources(results),
    }


def _sources(results: list[SearchResult]) -> list[dict[str, Any]]:
    evidence = Evidence(results)
    return [
        {
            "key": key,
            "cited_as": author_year(result),
            "result_id": result.result_id,
            "title": result.title,
            "url": result.source_url,
            "relevance_score": result.relevance_score,
            **{n: v for n, v in result.metadata.items() if n not in {"paper_id", "is_judged"}},
        }
        for key, result in evidence.by_key.items()
    ]


def _metadata(
    state: WorkflowState, draft: ResearchDraft, results: list[SearchResult]
) -> dict[str, Any]:
    return {
        "workflow_id": state.workflow_id,
        "created_at": state.created_at.isoformat(),
        "completed_at": now().isoformat(),
        "iterations": state.iteration_count,
        "final_score": state.critique.overall_score if state.critique else None,
        "scores": state.critique.scores if state.critique else {},
        "support": support_counts(state.critique.sentences if state.critique else []),
        "sources_used": len(draft.references),
        "sources_collected": len(results),
        "word_count": draft.word_count,
        "version": draft.version if state.draft else None,
        "versions": state.draft_versions,
        "is_by_model": draft.is_by_model,
        "is_by_person": draft.is_by_person,
        "model_calls": state.model_calls,
        "pages_fetched": len(state.fetches),
    }


def _provenance(state: WorkflowState, params: ReportParams) -> dict[str, Any]:
    queries = state.research_plan.search_queries if state.research_plan else []
    return {
        "original_query": state.original_query,
        "sub_questions": state.research_plan.decomposed_questions if state.research_plan else [],
        "search_queries_executed": sum(query.status == "completed" for query in queries)
        if params.from_thread is None
        else 0,
        "search_queries": [
            query.model_dump(
                mode="json", exclude={"query_id", "priority", "created_at", "question"}
            )
            for query in queries
        ],
        "pages": [row.model_dump(mode="json") for row in state.fetches],
        "from_thread": params.from_thread,
        "collection_ended_by": state.collection_ended_by,
        "ended_by": state.ended_by,
        "is_approved_by_person": state.human_approved,
        "settings": params.model_dump(mode="json"),
        "errors": [str(error) for error in state.errors],
        "checkpoints": state.checkpoints,
    }


def _caveats(state: WorkflowState, results: Sequence[SearchResult]) -> list[str]:
    caveats = []
    draft, critique = state.draft, state.critique
    if draft is not None and not draft.is_by_model:
        caveats.append(
            "Written without a language model, of sentences of the sources; nobody judged whether "
            "they are true, agree, or answer the question"
        )
        if not draft.is_by_person and is_without_answer(state, results):
            caveats.append(NOTHING_BEARS)
    if critique is not None and (count := critique.critical_count):
        issues = "; ".join(_descriptions(critique.items, "critical"))
        caveats.append(f"{quantity(count, 'critical issue')} identified: {issues}")
    degraded = sorted({error.node for error in state.errors})
    if degraded:
        caveats.append(f"Some steps failed: {', '.join(degraded)}")
    if state.analysis is not None and state.analysis.gaps:
        count = len(state.analysis.gaps)
        are = "is" if count == 1 else "are"
        caveats.append(f"{quantity(count, 'sub-question')} {are} not answered")
    if (end := state.collection_ended_by) not in {None, "approved"}:
        caveats.append(f"The search that it is based on was not approved ({end.replace('_', ' ')})")
    return caveats
