"""The look at the sources before a strategy is asked: once, before the question, never the end."""

from typing import Any

from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search import models


class CountingScoper:
    """Says what it was asked, and reports what it was given."""

    def __init__(self, report: models.ScopeReport | None = None) -> None:
        self.asked: list[tuple[str, bool]] = []
        self._report = report or models.ScopeReport()

    async def scope(
        self, strategy: models.SearchStrategy, intent: models.ParsedIntent, *, is_asking: bool
    ) -> models.ScopeReport:
        del intent
        self.asked.append((strategy.queries[0].boolean_query, is_asking))
        return self._report


HITS = models.ScopeReport(
    queries=[models.QueryHits(text="round_0", counts=[models.SourceHits(source="library", hits=3)])]
)


async def test_each_strategy_is_looked_at_once_also_by_a_thread_that_resumes(durable_url):
    scoper = CountingScoper(HITS)
    asked = await workflow(scoper=scoper, persistence=durable_url).start("q", thread_id="t")
    assert asked.payload.scope == HITS
    another_day = workflow(scoper=scoper, persistence=durable_url)
    assert await another_day.pending("t") == asked
    await another_day.answer("t", "reject: other words")
    await reply_to(another_day, "t", "approve")
    assert scoper.asked == [("round_0", True), ("round_1", True)]


async def test_a_look_that_fails_is_a_note_at_the_question():
    class Broken:
        async def scope(self, *_args: Any, **_options: Any) -> models.ScopeReport:
            raise RuntimeError("token=CANARY is wrong")

    flow = workflow(scoper=Broken())
    scope = (await flow.start("q", thread_id="t")).payload.scope
    assert scope.notes == ["no hit counts: RuntimeError: token=*** is wrong"]
    assert isinstance(await workflow(scoper=Broken()).run("q"), models.PaperCollection)
