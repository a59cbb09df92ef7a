"""Estimates the cost of a report before its sources are searched."""

import math
from dataclasses import dataclass

from pydantic import BaseModel

from paper_search.llm.chat import ChatProvider, instruction_tokens
from paper_search.llm.metering import expected_tokens
from paper_search.llm.provider import name_of
from paper_search.models.usage import SpendingEstimate, Tokens
from paper_search.prompts import load_prompt
from paper_search.report.analyst import AnalysisAnswer
from paper_search.report.models import ResearchPlan
from paper_search.report.recovery import Amount
from paper_search.report.reviewer import ReviewAnswer, SupportAnswer
from paper_search.report.writer import DraftAnswer, SectionAnswer, answers_for
from paper_search.report_workflow.context import BATCH, READ, SHOWN, ReportServices
from paper_search.report_workflow.state import ReportEstimate, ReportParams
from paper_search.skills.judging.run import MOST_JUDGED, cost_of_judging

_TOKENS_PER_WORD = 4 / 3
_SOURCE_CHARS, _ABSTRACT_CHARS = 260, 1_300
"""Length of a source's title, key and JSON; and of an abstract."""
_MATERIAL_TOKENS = 1_000
"""For findings, themes and contradictions."""
_ANALYSIS_TOKENS, _CRITIQUE_TOKENS, _VERDICT_TOKENS = 3_000, 1_500, 100
"""For an answer with the analysis, with the critique of a draft, and on one sentence."""
_SENTENCE_WORDS = 20
_SUPPORT_TOKENS = 130
"""For a sentence with the passage that it cites."""
_CRITERIA = 4


def estimate_of(
    plan: ResearchPlan, params: ReportParams, services: ReportServices
) -> ReportEstimate | None:
    """Estimate the cost of the rest of the report; None if no model is asked."""
    roles = _Roles(plan, params, services)
    once = roles.cost(drafts=1, gap_searches=0, is_all=False)
    if once is None:
        return None
    gaps = 0 if params.from_thread else params.max_gap_searches
    most = roles.cost(drafts=params.max_iterations, gap_searches=gaps, is_all=True) or once
    return ReportEstimate(
        one_draft=once, at_most=most, drafts=params.max_iterations, gap_searches=gaps
    )


@dataclass
class _Roles:
    plan: ResearchPlan
    params: ReportParams
    services: ReportServices

    def cost(self, drafts: int, gap_searches: int, *, is_all: bool) -> SpendingEstimate | None:
        """Return the sum over all roles that ask a model; None if none does.

        `is_all`: count every query of the plan, even if fewer return enough sources.
        """
        params, searches = self.params, self._searches(gap_searches, is_all=is_all)
        judging = cost_of_judging(MOST_JUDGED, self.services.metering.batch_size, _CRITERIA)
        planned: list[tuple[str | None, list[Tokens]]] = [
            (params.searcher_model, [judging] * searches),
            (params.analyst_model, [self._analysis()] * (1 + gap_searches)),
            (params.writer_model, [self._draft()] * drafts),
            (params.reviewer_model, [self._review(), self._support()] * drafts),
        ]
        calls = [
            (name, part)
            for model, parts in planned
            if (name := self._name(model))
            for part in parts
        ]
        if not calls:
            return None
        papers = MOST_JUDGED * searches if self._name(params.searcher_model) else 0
        whole = self.services.metering.prices.estimate(calls)
        return whole.model_copy(update={"papers": papers})

    def _name(self, model: str | None) -> str | None:
        llm = self.services.model(model)
        if llm is None:
            return None
        return f"{llm.provider}:{llm.model}" if isinstance(llm, ChatProvider) else name_of(llm)

    def _searches(self, gap_searches: int, *, is_all: bool) -> int:
        params = self.params
        if params.from_thread:
            return 0
        steps = math.ceil(len(self.plan.search_queries) / BATCH)
        if not is_all:
            steps = min(
                steps, math.ceil(params.max_sources / (BATCH * params.max_results_per_query))
            )
        return min(steps + gap_searches, params.max_search_iterations)

    def _analysis(self) -> Tokens:
        question = self._prompt("report_analyst", AnalysisAnswer) + self._sources(READ)
        return Tokens(1, question, _ANALYSIS_TOKENS)

    def _draft(self) -> Tokens:
        words = self.params.target_length
        calls = answers_for(words, len(self.plan.expected_sections))
        question = self._prompt("report_writer", DraftAnswer if calls == 1 else SectionAnswer)
        shown = min(calls, 2) * self._sources(SHOWN)  # a section has those of its findings
        asked = calls * (question + _MATERIAL_TOKENS) + shown
        return Tokens(calls, asked, int(words * _TOKENS_PER_WORD))

    def _review(self) -> Tokens:
        text = int(self.params.target_length * _TOKENS_PER_WORD * 1.5)
        question = self._prompt("report_reviewer", ReviewAnswer) + self._sources(SHOWN) + text
        return Tokens(1, question, _CRITIQUE_TOKENS)

    def _support(self) -> Tokens:
        count = math.ceil(self.params.target_length / _SENTENCE_WORDS)
        question = self._prompt("report_support", SupportAnswer) + _SUPPORT_TOKENS
        return Tokens(count, count * question, count * _VERDICT_TOKENS)

    def _prompt(self, name: str, answer: type[BaseModel]) -> int:
        return instruction_tokens(load_prompt(name, self.services.domain), answer)

    def _sources(self, amount: Amount) -> int:
        """Return the tokens of the sources that a model is shown: abstracts and read pages."""
        found = [query.found for query in self.plan.search_queries if self.params.from_thread]
        count = min(amount.sources, self.params.max_sources, *found)
        pages = min(count, self.params.max_pages) if self.services.pages is not None else 0
        texts = pages * amount.chars + (count - pages) * min(amount.chars, _ABSTRACT_CHARS)
        return expected_tokens(texts + count * _SOURCE_CHARS)
