"""What a search announces that it costs, from what is known before it is approved."""

from types import SimpleNamespace
from typing import Any, cast

from paper_search import models
from paper_search.llm.metering import Metering
from paper_search.llm.usage_log import LoggedUsage
from paper_search.models.settings import Skill
from paper_search.models.usage import SpendingEstimate
from paper_search.testing.skills import fake_strategy
from paper_search.workflow.questions import estimate_of
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import ReviewUpdate, WorkflowState


def announced(topic: str = "moss", **given: Any) -> SpendingEstimate:
    intent = models.ParsedIntent(
        topic=topic, concepts=["moss"], intent_type=models.IntentType.METHOD
    )
    state = WorkflowState(intent=intent, strategy=fake_strategy("moss", "lichen"), **given)
    metering = Metering(models={Skill.JUDGE: "openai:gpt-4o-mini"})
    skills = SimpleNamespace(metering=metering, ranking_sources=[], deduplicator=None)
    estimate = estimate_of(state, cast("Skills", skills), LoggedUsage())
    assert estimate is not None
    return estimate


def rows(purpose: models.Purpose, iteration: int, *hits: int) -> list[models.SourceReport]:
    return [
        models.SourceReport(
            source="fake", purpose=purpose, query=query, hits=count, iteration=iteration,
            status=models.SourceStatus.OK,
        )
        for query, count in zip(("moss", "lichen"), hits, strict=True)
    ]  # fmt: skip


def test_in_an_update_a_query_with_fewer_hits_takes_nothing_from_one_with_more():
    update = ReviewUpdate(iteration=1, at="2026-02-01", by="Ada", searched_at="2026-01-01")
    estimate = announced(
        current_iteration=1,
        updates=[update],
        earlier_reports=rows(models.Purpose.SEARCH, 0, 50, 10),
        counts=rows(models.Purpose.COUNT, 1, 40, 20),
        scope=models.ScopeReport(papers={"fake": 60}),
    )
    assert (estimate.papers, estimate.is_by_rise) == (10, True)


def test_papers_cost_what_the_first_results_are_long():
    short, long = (
        announced(scope=models.ScopeReport(papers={"fake": 40}, paper_chars=chars)).input_tokens
        for chars in (400, 1_200)
    )
    assert long - short == 40 * 800 / 4


def test_every_call_costs_what_its_own_question_is_long():
    short, long = (
        announced(topic, scope=models.ScopeReport(papers={"fake": 40})).input_tokens
        for topic in ("moss", f"moss{'y' * 400}")
    )
    assert long - short >= 40 * 400 / 4
