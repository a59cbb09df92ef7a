"""The skill that writes search strategies."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date

from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.models import (
    MAX_SEEDS,
    SNOWBALL,
    MarkedPaper,
    QueryBuilderInput,
    RankedQuery,
    SearchStrategy,
    named_seed,
    relevant_seeds,
)
from paper_search.prompts import load_prompt
from paper_search.skills.strategy.answer import StrategyAnswer
from paper_search.skills.strategy.booleans import first_queries, plain_queries
from paper_search.skills.strategy.free_text import FeedbackTerms, terms_of_text
from paper_search.skills.strategy.message import message_of
from paper_search.skills.strategy.ranked import first_ranked
from paper_search.skills.strategy.rounds import next_queries, next_ranked_queries, terms_of_marks
from paper_search.skills.strategy.text import MAX_QUERIES
from paper_search.skills.strategy.variation import varied
from paper_search.skills.year_cues import read_years

DEPTH = 500
"""Records of a library that plain text brings in where no model is paid to read them: of 1,000 the
learner finds hardly more, and a round takes twice the time."""
_HEADED = frozenset({"pubmed", "europe_pmc"})
"""Sources that index Medical Subject Headings."""

_log = logging.getLogger(__name__)


class QueryBuilder:
    """Writes a strategy, by a model if there is one, else from concepts and their names.

    Args:
        llm: None: by algorithm.
        domain: adds its instructions to the model's prompt; "general" adds none.
        available_sources: what a strategy may name; None: whatever it names stays.
        max_results_ceiling: what a strategy may ask for at most.
    """

    def __init__(
        self,
        llm: LLMProvider | None = None,
        domain: str = "general",
        available_sources: list[str] | None = None,
        *,
        max_results_ceiling: int = 1000,
    ) -> None:
        self._llm = llm
        self._domain = domain
        self._available_sources = available_sources
        self._max_results_ceiling = max_results_ceiling

    async def build(self, builder_input: QueryBuilderInput) -> SearchStrategy:
        """Return a strategy that repeats no earlier one unchanged.

        It holds the question as a ranked query, and 2 to 4 boolean queries. A question that is a
        boolean query is the only query of the first round, unchanged. Later rounds start from the
        last strategy, with whatever a person changed in it.

        If the model fails, it is the concepts joined by AND, all sources, the intent's filters.
        """
        asks_as_given = builder_input.intent.boolean_query and not builder_input.previous_strategies
        if self._llm is None or asks_as_given:
            strategy = self._by_terms(builder_input)
        else:
            strategy = await self._by_model(self._llm, builder_input)
        cleaned = self._cleaned(strategy)
        fresh = varied(cleaned, builder_input.previous_strategies, builder_input.intent,
                       most_results=self._max_results_ceiling)  # fmt: skip
        depth = DEPTH if self._llm is None else None
        marked = _marked(fresh.ranked, builder_input.marked_papers, depth)
        return self._seeded(fresh.model_copy(update={"ranked": marked}), builder_input)

    async def _by_model(self, llm: LLMProvider, given: QueryBuilderInput) -> SearchStrategy:
        intent, base = given.intent, self._base(given)
        said, _ = _feedback(given)
        ranked = next_ranked_queries(base, intent, said, terms_of_marks(given, base))
        prompt = load_prompt("query_builder", self._domain)
        try:
            answer = await ask(
                llm, StrategyAnswer, prompt, message_of(given, self._shown_sources())
            )
        except Exception as error:  # noqa: BLE001  # frozen: whatever a provider raises, there is a strategy
            _log.warning("the model gave no strategy, the concepts are used unchanged: %s", error)
            return base.model_copy(
                update={
                    "queries": plain_queries(intent),
                    "ranked": ranked,
                    "sources": self._askable(),
                    "filters": intent.constraints,
                }
            )
        return base.model_copy(
            update={
                "queries": answer.usable_queries()[:MAX_QUERIES] or plain_queries(intent),
                "ranked": _reworded(ranked, answer.ranked_text),
                "sources": answer.sources,
                "filters": answer.merged_filters(intent.constraints),
            }
        )

    def _by_terms(self, given: QueryBuilderInput) -> SearchStrategy:
        base = self._base(given)
        said, years = _feedback(given)
        terms = terms_of_marks(given, base)
        filters = base.filters
        if years != (None, None):
            first, last = years
            filters = filters.model_copy(update={"year_from": first, "year_to": last})
        return base.model_copy(
            update={
                "queries": next_queries(base, said, terms),
                "ranked": next_ranked_queries(base, given.intent, said, terms),
                "filters": filters,
            }
        )

    def _base(self, given: QueryBuilderInput) -> SearchStrategy:
        """Return what a round starts from: the last strategy, or the first for the intent."""
        if given.previous_strategies:
            return given.previous_strategies[-1].model_copy(update={"seeds": [], "lines": []})
        return SearchStrategy(
            queries=first_queries(given.intent, has_headings=self._has_headings()),
            ranked=first_ranked(given.intent),
            lines=given.intent.lines,
            works=given.intent.identifiers,
            sources=self._askable(),
            filters=given.intent.constraints,
        )

    def _cleaned(self, strategy: SearchStrategy) -> SearchStrategy:
        filters = strategy.filters
        first, last = filters.year_from, filters.year_to
        if first is not None and last is not None and first > last:
            first, last = last, first
        wanted = min(max(filters.max_results, 1), self._max_results_ceiling)
        limits = {"year_from": first, "year_to": last, "max_results": wanted}
        return strategy.model_copy(
            update={
                "sources": self._known(strategy.sources),
                "filters": filters.model_copy(update=limits),
            }
        )

    def _known(self, sources: Sequence[str]) -> list[str]:
        """Return the available sources among `sources`; all if none is available."""
        named = list(dict.fromkeys(sources))
        if self._available_sources is None:
            return named
        known = [name for name in named if name in self._available_sources]
        if len(known) < len(named):
            _log.warning("unknown sources are ignored: %s", sorted({*named} - {*known}))
        return known or self._askable()

    def _askable(self) -> list[str]:
        """Return the available sources that answer queries."""
        return [name for name in self._available_sources or [] if name != SNOWBALL]

    def _has_headings(self) -> bool:
        return not _HEADED.isdisjoint(self._available_sources or ())

    def _shown_sources(self) -> list[str] | None:
        return None if self._available_sources is None else self._askable()

    def _seeded(self, strategy: SearchStrategy, given: QueryBuilderInput) -> SearchStrategy:
        """Return the strategy with the source that follows citations, if there are any to follow.

        It is proposed when papers are marked relevant or named by the question and the source is
        configured, and not again after a person took it out.
        """
        named = map(named_seed, given.intent.identifiers)
        seeds = [*relevant_seeds(given.marked_papers), *(seed for seed in named if seed)]
        seeds = seeds[:MAX_SEEDS]
        others = [name for name in strategy.sources if name != SNOWBALL]
        is_named = len(others) < len(strategy.sources)
        is_refused = any(
            earlier.seeds and SNOWBALL not in earlier.sources
            for earlier in given.previous_strategies
        )
        is_proposed = SNOWBALL in (self._available_sources or []) and not is_refused
        if not seeds or not (is_named or is_proposed):
            return strategy.model_copy(update={"sources": others, "seeds": []})
        return strategy.model_copy(update={"sources": [*others, SNOWBALL], "seeds": seeds})


def _feedback(
    given: QueryBuilderInput,
) -> tuple[FeedbackTerms, tuple[int | None, int | None]]:
    """Return what the person's words ask for: terms, and the first and last year."""
    text = given.user_feedback.free_text_feedback if given.user_feedback else None
    rest, first, last = read_years(text or "", date.today())  # noqa: DTZ011  # the person's own calendar
    return terms_of_text(rest), (first, last)


def _marked(
    ranked: list[RankedQuery], papers: Sequence[MarkedPaper], depth: int | None
) -> list[RankedQuery]:
    """Return the ranked queries with their depth and the ids of the papers marked so far."""
    marks = {
        "depth": depth,
        "like": [paper.id for paper in papers if paper.is_relevant],
        "unlike": [paper.id for paper in papers if not paper.is_relevant],
    }
    return [query.model_copy(update=marks) for query in ranked]


def _reworded(ranked: list[RankedQuery], text: str | None) -> list[RankedQuery]:
    """Return the ranked queries, the first in the model's words if it gave any."""
    if not ranked or not text:
        return ranked
    return [ranked[0].model_copy(update={"text": text}), *ranked[1:]]
