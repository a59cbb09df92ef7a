"""What a report will cost is said at its plan, before anything is searched."""

import itertools
import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from tests.report.answers import good_answer

from paper_search.llm.creation import OpenAIProvider
from paper_search.llm.metering import Metering, expected_tokens, load_prices
from paper_search.llm.structured import format_request, response_format
from paper_search.models import Author, RawPaper
from paper_search.report.models import PlannerInput
from paper_search.report.planner import Planner
from paper_search.report.searcher import AcademicSearch, ReportSearcher
from paper_search.report.writer import answers_for
from paper_search.report_workflow import ReportParams, ReportWorkflow, Review
from paper_search.report_workflow.context import ReportServices
from paper_search.report_workflow.spending import estimate_of
from paper_search.report_workflow.state import ReportEstimate
from paper_search.skills import Deduplicator, RelevanceScorer, Searcher
from paper_search.testing.llm import FakeLLM, LLMCall, data_block, grades_of
from paper_search.testing.reports import QUESTION, report_services
from paper_search.testing.sources import FakeSource


async def planned(services: ReportServices, **settings: Any) -> tuple[ReportWorkflow, Review]:
    """Return a report that waits with its plan."""
    flow = ReportWorkflow(services, hitl_after_planning=True, **settings)
    asked = await flow.start(QUESTION, thread_id="t")
    assert isinstance(asked, Review)
    return flow, asked


async def estimated(services: ReportServices, **settings: Any) -> ReportEstimate:
    _, asked = await planned(services, **settings)
    return ReportEstimate.model_validate(asked.shows["estimate"])


def priced(model: str = "gpt-4o-mini") -> ReportServices:
    """Services whose models are in the table of prices; the planner's answers are scripted."""
    scripted = FakeLLM(good_answer)
    provider = OpenAIProvider(api_key="CANARY-key", model=model)
    services = report_services(scripted)
    return replace(services, model=lambda name: scripted if name == "planner" else provider)


async def test_the_estimate_has_the_price_of_each_role_and_its_date():
    cheap = await estimated(priced(), planner_model="planner")
    dear = await estimated(priced("gpt-4o"), planner_model="planner")
    assert 0 < (cheap.one_draft.money or 0) < (dear.one_draft.money or 0) / 10
    assert cheap.one_draft.priced_at == load_prices().date
    assert (await estimated(report_services(FakeLLM(good_answer)))).one_draft.money is None


async def test_a_report_from_a_search_judges_no_paper_and_searches_no_more():
    services = report_services(llm := FakeLLM(good_answer))
    assert (await estimated(services)).one_draft.papers == 100
    plan = await Planner(llm).plan(PlannerInput(original_query=QUESTION))
    estimate = estimate_of(plan.research_plan, ReportParams(from_thread="s"), services)
    assert (estimate.one_draft.papers, estimate.gap_searches) == (0, 0)
    query = plan.research_plan.search_queries[0].model_copy(update={"found": 9})
    nine = plan.research_plan.model_copy(update={"search_queries": [query]})
    more = estimate_of(nine, ReportParams(from_thread="s"), services)
    for_nine = more.one_draft.input_tokens - estimate.one_draft.input_tokens
    assert 3 * 9 * 300 < for_nine < 3 * 9 * 500  # for analyst, writer and reviewer


@pytest.mark.parametrize(
    ("words", "sections", "answers"),
    [(2000, 5, 1), (2001, 5, 6), (5000, 5, 11), (5000, 0, 7), (2001, 100, 101)],
)
def test_a_long_report_takes_an_answer_for_each_piece(words, sections, answers):
    assert answers_for(words, sections) == answers


WORDS = (
    *("shade", "trees", "lower", "the", "temperature", "of", "city", "streets", "in", "summer"),
    *("by", "some", "degrees", "at", "night"),
)


def sentence(draw: Random, length: int) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(length)).capitalize()


def pool(draw: Random, count: int, chars: int) -> list[RawPaper]:
    """Return papers with abstracts of so many characters."""
    return [
        RawPaper(
            id=f"p{number}",
            title=f"{sentence(draw, 9)} {number}",
            authors=[Author(name=f"Name{number}, A")],
            abstract=". ".join(sentence(draw, 18) for _ in range(chars // 90))[:chars],
            year=2000 + number % 20,
            source="fake",
        )
        for number in range(count)
    ]


class LongReport:
    """A model that finds every paper relevant, and writes as many words as it is asked for."""

    def __init__(self, draw: Random, length: int) -> None:
        self._draw = draw
        self._length = length

    def __call__(self, call: LLMCall) -> Any:
        match call.schema and call.schema["title"]:
            case "BatchAnswer":
                return grades_of({})(call)
            case "AnalysisAnswer":
                records = data_block(call)[:10]
                return {"findings": [self._finding(*row) for row in enumerate(records)]}
            case "DraftAnswer":
                return self._whole(call)
            case "SectionAnswer":
                asked = json.JSONDecoder().raw_decode(call.user_message)[0]["write"]["section"]
                return {"title": asked["title"], "content": self._text(call, asked["words"])}
            case "FrameAnswer":
                return {"title": "Shade", "abstract": sentence(self._draw, 200)}
            case _:
                return good_answer(call)

    def _finding(self, number: int, record: dict[str, Any]) -> dict[str, Any]:
        words = record["text"].split(". ")[0]
        quotes = [{"source": record["key"], "text": words}]
        return {"text": words, "question": number % 3 + 1, "quotes": quotes}

    def _text(self, call: LLMCall, length: int) -> str:
        keys = [record["key"] for record in data_block(call)]
        return " ".join(
            f"{sentence(self._draw, 19)} [@{self._draw.choice(keys)}]." for _ in range(length // 19)
        )

    def _whole(self, call: LLMCall) -> dict[str, Any]:
        titles = json.JSONDecoder().raw_decode(call.user_message)[0]["sections"]
        each = (self._length - 200) // len(titles)
        sections = [{"title": title, "content": self._text(call, each)} for title in titles]
        return {"title": "Shade", "abstract": self._text(call, 150), "sections": sections}


def sent_tokens(call: LLMCall) -> int:
    wish = format_request(), json.dumps(response_format(call.schema))
    return expected_tokens(sum(map(len, (call.system_prompt, call.user_message, *wish))))


@pytest.mark.parametrize(
    ("words", "batch_size", "chars"), [(1000, 1, 1500), (2000, 10, 1200), (4000, 10, 1500)]
)
async def test_an_estimate_is_within_a_fifth_of_what_is_spent(words, batch_size, chars):
    draw = Random(7)  # noqa: S311  # words, no secret
    llm = FakeLLM(LongReport(draw, words))
    papers = pool(draw, 400, chars)
    answers = itertools.cycle(papers[start : start + 50] for start in range(0, 400, 50))
    search = AcademicSearch(
        Searcher([FakeSource("fake", lambda _: next(answers))]),
        Deduplicator(llm=None, enable_llm_pass=False),
        RelevanceScorer(llm, batch_size=batch_size),
        ["fake"],
    )
    services = replace(
        report_services(llm),
        searcher=lambda _llm, _only: ReportSearcher({"academic": search}),
        metering=Metering(batch_size=batch_size),
    )
    flow, review = await planned(
        services, target_length=words, max_iterations=1, max_gap_searches=0,
        hitl_before_output=False, hitl_on_critical_issues=False,
    )  # fmt: skip
    estimate = ReportEstimate.model_validate(review.shows["estimate"]).one_draft
    planning = llm.call_count
    await flow.answer("t", "approve", token=review.token)
    made = llm.calls[planning:]
    assert estimate.calls == pytest.approx(len(made), rel=0.2)
    assert estimate.input_tokens == pytest.approx(sum(map(sent_tokens, made)), rel=0.2)


async def test_clients_that_show_a_description_alone_show_the_cost_of_a_plan():
    _, asked = await planned(priced(), target_length=150)
    estimate = ReportEstimate.model_validate(asked.shows["estimate"])
    said = asked.action_requests[0].description
    assert f"- Will cost: about {estimate.one_draft} with one draft" in said
    assert f"- At most: about {estimate.at_most} with 3 drafts" in said
