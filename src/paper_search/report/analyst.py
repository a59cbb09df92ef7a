"""The role that says what the sources say: the table of evidence, and what a model reads in it."""

from __future__ import annotations

from collections.abc import Sequence

from paper_search.report.analysis_answer import analysis_by_model
from paper_search.report.evidence import Evidence
from paper_search.report.exchange import AnalystInput, AnalystOutput, Role, Sufficiency
from paper_search.report.models import AnalysisResult, Grade, ResearchPlan, SearchType
from paper_search.report.passages import studies_on
from paper_search.report.query_plan import gap_queries

MINOR_GAPS = 2
"""Up to so many gaps the data are nearly enough."""
_KEY_FINDINGS = 10
_WEIGHT: dict[Grade, float] = {"strong": 1.0, "moderate": 0.7, "weak": 0.4, "gap": 0.0}


class Analyst(Role):
    """Reads the sources with a model; without one, it puts their sentences side by side."""

    async def analyse(self, given: AnalystInput) -> AnalystOutput:
        """Return the analysis of the sources.

        Raises:
            LLMError: there is a model, and it could not answer.
        """
        plan, evidence = given.research_plan, Evidence(given.search_results)
        studies = studies_on(plan.original_query, evidence)
        if self._llm is None:
            return AnalystOutput(analysis=AnalysisResult(studies=studies))
        analysis = await analysis_by_model(self._llm, self._domain, evidence, given, studies)
        return _assessed(_worded(analysis, evidence, plan.decomposed_questions), plan)


def _assessed(analysis: AnalysisResult, plan: ResearchPlan) -> AnalystOutput:
    """Return the analysis with what it lacks and what to search for it."""
    count = len(analysis.gaps)
    sufficiency: Sufficiency = "sufficient"
    if count:
        sufficiency = "gaps_minor" if count <= MINOR_GAPS else "gaps_major"
    left = [(index, plan.decomposed_questions[index]) for index in analysis.gap_questions]
    return AnalystOutput(
        analysis=analysis,
        data_sufficiency=sufficiency,
        recommended_searches=gap_queries(left, _first_kind(plan)),
    )


def _first_kind(plan: ResearchPlan) -> SearchType:
    """Return the kind of search that papers are found by, or the one that the plan has."""
    kinds = [query.search_type for query in plan.search_queries]
    return "academic" if "academic" in kinds else next(iter(kinds), "academic")


def _worded(
    analysis: AnalysisResult, evidence: Evidence, questions: Sequence[str]
) -> AnalysisResult:
    """Return the analysis with its lists in words, its citations and its confidence."""
    key = evidence.key_of
    ranked = sorted(analysis.findings, key=lambda finding: -_WEIGHT[finding.grade])
    citations: dict[str, list[str]] = {}
    for quote in (quote for finding in analysis.findings for quote in finding.quotes):
        words = citations.setdefault(key(quote.result_id), [])
        if quote.text not in words:
            words.append(quote.text)
    return analysis.model_copy(
        update={
            "key_findings": [
                f"[{finding.grade}] {finding.text} "
                f"[{'; '.join('@' + key(source) for source in finding.sources)}]"
                for finding in ranked[:_KEY_FINDINGS]
            ],
            "themes": [
                f"{theme.label} ({len(theme.sources)} sources)" for theme in analysis.theme_details
            ],
            "contradictions": [
                f"{dispute.topic}: “{dispute.one.text}” [@{key(dispute.one.result_id)}] against "
                f"“{dispute.other.text}” [@{key(dispute.other.result_id)}]"
                for dispute in analysis.contradiction_details
            ],
            "gaps": [f"No source answers: {questions[index]}" for index in analysis.gap_questions],
            "confidence_score": _confidence(analysis, evidence, len(questions)),
            "source_citations": citations,
        }
    )


def _confidence(analysis: AnalysisResult, evidence: Evidence, questions: int) -> float:
    """Return how far the analysis can be relied on: coverage, quality and consistency.

    Quality is the relevance of the sources, half of it for a title alone, and the grades.
    """
    cited = {source for finding in analysis.findings for source in finding.sources}
    sources = [evidence.by_id[source] for source in cited]
    if not sources:
        return 0.0
    coverage = 1 - len(analysis.gap_questions) / questions if questions else 0.0
    quality = sum(s.relevance_score * (1.0 if s.text else 0.5) for s in sources) / len(sources)
    weights = [_WEIGHT[finding.grade] for finding in analysis.findings]
    quality *= sum(weights) / len(weights)
    disputes = len(analysis.contradiction_details) / len(analysis.findings)
    return round(0.3 * coverage + 0.5 * quality + 0.2 * (1.0 - min(1.0, disputes)), 2)
