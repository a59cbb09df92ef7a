"""What a report costs, before its sources are searched."""

from __future__ import annotations

import math
from collections.abc import Iterable

from paper_search.llm.chat import ChatProvider
from paper_search.llm.metering import tokens_in
from paper_search.llm.provider import name_of
from paper_search.models.usage import SpendingEstimate, Tokens
from paper_search.prompts import load_prompt
from paper_search.report.models import ResearchPlan
from paper_search.report.recovery import Amount
from paper_search.report.section_writer import answers_for
from paper_search.report_workflow.context import BATCH, READ, SHOWN, ReportServices
from paper_search.report_workflow.state import ReportEstimate, ReportParams
from paper_search.skills.judging.cost import ALWAYS_JUDGED, cost_of_judging

_CHARS_PER_TOKEN = 3
_TOKENS_PER_WORD = 4 / 3
_SOURCE_CHARS = 200
"""Of the title of a source, its key and the JSON around."""
_MATERIAL_TOKENS = 2_500
"""Of findings, themes and contradictions."""
_ANALYSIS_TOKENS, _CRITIQUE_TOKENS = 3_000, 1_500
"""Of an answer that says what the sources say, and of one on a draft."""
_WORDS_OF_A_SENTENCE = 20
_SUPPORT_TOKENS = (700, 100)
"""Of a question on one sentence with the words it cites, and of its answer."""
_CRITERIA = 4
"""That papers are graded by: those of the question's own words."""


def estimate_of(
    plan: ResearchPlan, params: ReportParams, services: ReportServices
) -> ReportEstimate | None:
    """Return what the report costs from here, about: of one draft, and of all that may be asked.

    None: no model is asked.
    """
    roles = _Roles(plan, params, services)
    once = roles.cost(drafts=1, gap_searches=0)
    if once is None:
        return None
    gaps = 0 if params.from_thread else params.max_gap_searches
    most = roles.cost(drafts=params.max_iterations, gap_searches=gaps) or once
    return ReportEstimate(
        one_draft=once, at_most=most, drafts=params.max_iterations, gap_searches=gaps
    )


class _Roles:
    """The calls that each role makes."""

    def __init__(self, plan: ResearchPlan, params: ReportParams, services: ReportServices) -> None:
        self._plan = plan
        self._params = params
        self._services = services

    def cost(self, drafts: int, gap_searches: int) -> SpendingEstimate | None:
        """Return the sum over all roles that ask a model; None: none does."""
        params, papers = self._params, self._papers(gap_searches)
        batch = self._services.metering.batch_size
        planned: list[tuple[str | None, Iterable[Tokens]]] = [
            (params.searcher_model, [cost_of_judging(n, batch, _CRITERIA) for n in papers]),
            (params.analyst_model, [self._analysis()] * (1 + gap_searches)),
            (params.writer_model, [self._draft()] * drafts),
            (params.reviewer_model, [self._review(), self._support()] * drafts),
        ]
        named = [(self._name(model), parts) for model, parts in planned]
        calls = [(name, part) for name, parts in named if name for part in parts]
        if not calls:
            return None
        judged = sum(papers) if self._name(params.searcher_model) else 0
        whole = self._services.metering.prices.estimate(calls)
        return whole.model_copy(update={"papers": judged})

    def _name(self, model: str | None) -> str | None:
        """Return the name of a model in the table of prices; None: none is asked."""
        llm = self._services.model(model)
        if llm is None:
            return None
        return f"{llm.provider}:{llm.model}" if isinstance(llm, ChatProvider) else name_of(llm)

    def _papers(self, gap_searches: int) -> list[int]:
        """Return how many papers each search has judged, about: those that always are."""
        if self._params.from_thread:
            return []
        steps = math.ceil(len(self._plan.search_queries) / BATCH)
        return [ALWAYS_JUDGED] * min(steps + gap_searches, self._params.max_search_iterations)

    def _analysis(self) -> Tokens:
        asked = self._prompt("report_analyst") + self._sources(READ)
        return Tokens(1, asked, _ANALYSIS_TOKENS)

    def _draft(self) -> Tokens:
        words = self._params.target_length
        calls = answers_for(words, len(self._plan.expected_sections))
        asked = self._prompt("report_writer") + self._sources(SHOWN) + _MATERIAL_TOKENS
        return Tokens(calls, calls * asked, int(words * _TOKENS_PER_WORD))

    def _review(self) -> Tokens:
        text = int(self._params.target_length * _TOKENS_PER_WORD)
        asked = self._prompt("report_reviewer") + self._sources(SHOWN) + text
        return Tokens(1, asked, _CRITIQUE_TOKENS)

    def _support(self) -> Tokens:
        """Return the questions on single sentences: one for each that code cannot judge."""
        count = math.ceil(self._params.target_length / _WORDS_OF_A_SENTENCE)
        asked, answered = _SUPPORT_TOKENS
        return Tokens(count, count * (self._prompt("report_support") + asked), count * answered)

    def _prompt(self, name: str) -> int:
        return tokens_in(load_prompt(name, self._services.domain))

    def _sources(self, amount: Amount) -> int:
        count = min(amount.sources, self._params.max_sources)
        return count * (amount.chars + _SOURCE_CHARS) // _CHARS_PER_TOKEN
