"""The skill that writes search strategies."""

import logging
from dataclasses import KW_ONLY, dataclass
from datetime import date

from paper_search.errors import LLMError
from paper_search.llm.provider import LLMProvider, name_of
from paper_search.llm.structured import ask
from paper_search.models import (
    MAX_SEEDS,
    SNOWBALL,
    QueryBuilderInput,
    RankedQuery,
    SearchStrategy,
    relevant_seeds,
    seed_of_identifier,
)
from paper_search.prompts import load_prompt
from paper_search.skills.intent.notes import Note, after_note, parse_note
from paper_search.skills.phrases import reads_as_english
from paper_search.skills.strategy.answer import (
    LONGEST_REASON,
    Inspection,
    StrategyAnswer,
    inspect_answer,
    message_of,
    repair_request,
)
from paper_search.skills.strategy.booleans import first_queries, first_ranked, plain_queries
from paper_search.skills.strategy.limits import (
    limits_of_intent,
    next_limits,
    sane_limits,
    without_unwanted,
)
from paper_search.skills.strategy.rounds import (
    next_queries,
    next_ranked_queries,
    note_on,
    terms_of_marks,
    vary,
    with_added,
)
from paper_search.skills.strategy.trees import MAX_QUERIES
from paper_search.skills.untrusted import visible
from paper_search.sources.base import service_of

DEPTH = 500
"""Records that a ranked query gets from a library if there is no model: with 1,000 the learner
finds hardly more, and a round takes twice as long."""

_LONGEST_NAME, _MOST_NAMES = 60, 10

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class QueryBuilder:
    """Writes a strategy with a model, or from the concepts if there is none.

    Args:
        domain: adds its instructions to the model's prompt; "general" adds none.
        available_sources: sources that a strategy may use; None allows any name.
        max_results_ceiling: the most results that a strategy may request.
    """

    llm: LLMProvider | None = None
    domain: str = "general"
    available_sources: list[str] | None = None
    _: KW_ONLY
    max_results_ceiling: int = 1000

    @property
    def model(self) -> str | None:
        return name_of(self.llm)

    async def build(self, builder_input: QueryBuilderInput) -> SearchStrategy:
        """Return a strategy that differs from all earlier ones.

        It has the question as a ranked query and its concepts as a boolean query; a model writes 2
        to 4 boolean queries. If the question is a boolean query, it is the only query of the first
        round. Later rounds start from the last strategy with the person's edits.

        If the model fails, the strategy joins the concepts by AND, and has all sources and the
        intent's filters.
        """
        asks_as_given = builder_input.intent.boolean_query and not builder_input.previous_strategies
        if self.llm is None or asks_as_given:
            strategy = self._by_terms(builder_input)
        else:
            strategy = await self._by_model(self.llm, builder_input)
        cleaned = self._clean(_with_reason(strategy, builder_input))
        fresh = vary(
            cleaned, builder_input.previous_strategies, most_results=self.max_results_ceiling
        )
        marks = {
            "depth": DEPTH if self.llm is None else None,
            "like": [paper.id for paper in builder_input.marked_papers if paper.is_relevant],
            "unlike": [paper.id for paper in builder_input.marked_papers if not paper.is_relevant],
        }
        ranked_queries = [query.model_copy(update=marks) for query in fresh.ranked]
        return self._with_seeds(fresh.model_copy(update={"ranked": ranked_queries}), builder_input)

    async def _by_model(self, llm: LLMProvider, request: QueryBuilderInput) -> SearchStrategy:
        note = _note(request)
        intent, base = request.intent, self._base(request, note)
        ranked = next_ranked_queries(base, note, terms_of_marks(request, base))
        try:
            answer, inspection = await self._ask_model(llm, request, note)
        except Exception as error:  # noqa: BLE001  # frozen: if a provider raises anything, there is a strategy
            _log.warning("the model gave no strategy, the concepts are used unchanged: %s", error)
            return base.model_copy(
                update={
                    "queries": with_added(plain_queries(intent), note),
                    "ranked": ranked,
                    "filters": next_limits(base.filters, note),
                    "notes": [
                        f"the model gave no strategy ({error}): the concepts are used",
                        *note.remarks,
                    ],
                }
            )
        queries, notes = inspection.usable[:MAX_QUERIES], inspection.left_out[:]
        remarks = note.remarks_beside_model if queries else note.remarks
        if not queries:
            queries = plain_queries(intent)
            notes.append("the model gave no valid query: the concepts are used")
        elif len(inspection.usable) > MAX_QUERIES:
            notes.append(f"left out: queries of the model after its first {MAX_QUERIES}")
        text = answer.ranked_text
        if text and ranked and not request.previous_strategies and text != ranked[0].text:
            ranked, note_on_words = _with_wording(ranked, text)
            notes.append(note_on_words)
        return base.model_copy(
            update={
                "queries": with_added(queries, note),
                "ranked": ranked,
                "sources": answer.sources,
                "filters": next_limits(answer.filters.added_to(base.filters), note),
                "reason": answer.reason or "",
                "notes": [*notes, *remarks],
            }
        )

    async def _ask_model(
        self, llm: LLMProvider, request: QueryBuilderInput, note: Note
    ) -> tuple[StrategyAnswer, Inspection]:
        """Return the model's strategy, after one chance to correct its mistakes."""
        prompt = load_prompt("query_builder", self.domain)
        names = None if self.available_sources is None else self._askable()
        message = message_of(request, names, unread=note.unread)
        earlier = [query.boolean_query for s in request.previous_strategies for query in s.queries]
        is_english = request.intent.constraints.language in {None, "en"}

        async def compose(text: str) -> tuple[StrategyAnswer, Inspection]:
            answer = await ask(llm, StrategyAnswer, prompt, text)
            return answer, inspect_answer(answer, asked_before=earlier, is_english=is_english)

        answer, inspection = await compose(message)
        if not inspection.problems:
            return answer, inspection
        try:
            again, better = await compose(message + repair_request(inspection))
        except LLMError as error:
            _log.warning("the model did not correct its strategy: %s", error)
            return answer, inspection
        is_better = bool(better.usable) and len(better.problems) <= len(inspection.problems)
        return (again, better) if is_better else (answer, inspection)

    def _by_terms(self, request: QueryBuilderInput) -> SearchStrategy:
        note = _note(request)
        base = self._base(request, note)
        terms = terms_of_marks(request, base)
        return base.model_copy(
            update={
                "queries": next_queries(base, note, terms),
                "ranked": next_ranked_queries(base, note, terms),
                "filters": next_limits(base.filters, note),
                "notes": list(note.remarks),
            }
        )

    def _base(self, request: QueryBuilderInput, note: Note) -> SearchStrategy:
        if request.previous_strategies:
            last = request.previous_strategies[-1].model_copy(
                update={"seeds": [], "lines": [], "reason": "", "notes": []}
            )
            if not note.instead:
                return last
            intent = after_note(request.intent, note, date.today())  # noqa: DTZ011  # see `_note`
            queries = first_queries(intent, has_headings=self._has_headings())
            return last.model_copy(update={"queries": queries, "ranked": first_ranked(intent)})
        return SearchStrategy(
            queries=first_queries(request.intent, has_headings=self._has_headings()),
            ranked=first_ranked(request.intent),
            lines=request.intent.lines,
            works=request.intent.identifiers,
            sources=self._askable(),
            filters=limits_of_intent(request.intent),
        )

    def _clean(self, strategy: SearchStrategy) -> SearchStrategy:
        today = date.today()  # noqa: DTZ011  # the person's own calendar
        filters, notes = sane_limits(strategy.filters, today=today)
        names = list(dict.fromkeys(strategy.sources))
        available = names if self.available_sources is None else self.available_sources
        known = [name for name in names if name in available]
        if unknown := [visible(name)[:_LONGEST_NAME] for name in names if name not in known]:
            listing = ", ".join(unknown[:_MOST_NAMES])
            notes.append(f"left out: sources that are not configured: {listing}")
        update = {
            "ranked": without_unwanted(strategy.ranked, filters),
            "sources": known or self._askable(),
            "filters": filters,
            "notes": [*strategy.notes, *notes],
        }
        return strategy.model_copy(update=update).within(self.max_results_ceiling)

    def _askable(self) -> list[str]:
        return [name for name in self.available_sources or [] if name != SNOWBALL]

    def _has_headings(self) -> bool:
        services = map(service_of, self.available_sources or ())
        return any(service.has_headings for service in services if service)

    def _with_seeds(self, strategy: SearchStrategy, request: QueryBuilderInput) -> SearchStrategy:
        """Add the citation source if there are seed papers, and remove it otherwise.

        Seeds are papers that were marked relevant, named in the question or graded best by a
        model, in this order. The source is not proposed again after a person removed it.
        """
        named = filter(None, map(seed_of_identifier, request.intent.identifiers))
        candidates = (*relevant_seeds(request.marked_papers), *named, *request.graded)
        by_content = {seed.model_dump_json(): seed for seed in candidates}
        seeds = list(by_content.values())[:MAX_SEEDS]
        others = [name for name in strategy.sources if name != SNOWBALL]
        is_named = len(others) < len(strategy.sources)
        earlier = request.previous_strategies
        is_refused = any(each.seeds and SNOWBALL not in each.sources for each in earlier)
        is_proposed = SNOWBALL in (self.available_sources or []) and not is_refused
        if not seeds or not (is_named or is_proposed):
            return strategy.model_copy(update={"sources": others, "seeds": []})
        return strategy.model_copy(update={"sources": [*others, SNOWBALL], "seeds": seeds})


def _with_wording(own: list[RankedQuery], text: str) -> tuple[list[RankedQuery], str]:
    """Add the model's wording of the question, in place of one that is not in English."""
    others, also = (own, "too") if reads_as_english(own[0].text) else (own[1:], "not yours")
    note = f"sources that rank are asked in the model's words, {also}: {text!r}"
    return [*others, own[0].model_copy(update={"text": text})], note


def _note(request: QueryBuilderInput) -> Note:
    text = request.user_feedback.free_text_feedback if request.user_feedback else None
    note = parse_note(text, date.today(), request.intent)  # noqa: DTZ011  # the person's own calendar
    last = request.previous_strategies[-1:]
    return note_on(last[0], note) if last else note


def _with_reason(strategy: SearchStrategy, request: QueryBuilderInput) -> SearchStrategy:
    feedback = request.user_feedback
    if not request.previous_strategies or strategy.reason or feedback is None:
        return strategy
    marks = {"relevant": feedback.marked_relevant, "irrelevant": feedback.marked_irrelevant}
    words = " ".join(visible(feedback.free_text_feedback or "").split())[:LONGEST_REASON]
    parts = [f"you wrote: {words}"] if words else []
    parts += [f"you marked {len(ids)} {name}" for name, ids in marks.items() if ids]
    return strategy.model_copy(update={"reason": "; ".join(parts)})
