"""The look at the sources before a strategy is asked: once, before the question, never the end."""

from typing import Any

from tests.answers import reply_to
from tests.counting import FakeCountingSource
from tests.workflow.doubles import edit, workflow

from paper_search import models
from paper_search.skills import Scoper, Searcher
from paper_search.testing.skills import FakeSkills


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
RELAXED = models.ScopeReport(relaxed=[models.RelaxedQuery(original="round_0", instead="wider")])


async def test_each_strategy_is_looked_at_once_also_by_a_thread_that_resumes(durable_url):
    scoper = CountingScoper(HITS)
    asked = await workflow(scoper=scoper, persistence=durable_url).start("q", thread_id="t")
    assert asked.payload.scope == HITS
    another_day = workflow(scoper=scoper, persistence=durable_url)
    assert await another_day.pending("t") == asked
    await another_day.answer("t", "reject: other words")
    await reply_to(another_day, "t", "approve")
    assert scoper.asked == [("round_0", True), ("round_1", True)]


async def test_a_relaxed_query_is_what_is_shown_approved_and_searched():
    skills = FakeSkills()
    flow = workflow(skills, scoper=CountingScoper(RELAXED))
    shown = (await flow.start("q", thread_id="t")).payload.strategy
    assert [query.boolean_query for query in shown.queries] == ["wider"]
    await flow.answer("t", "approve")
    assert skills.searched == [shown]


async def test_a_run_that_asks_nobody_searches_with_the_relaxed_query():
    skills, scoper = FakeSkills(), CountingScoper(RELAXED)
    await workflow(skills, scoper=scoper).run("q")
    assert scoper.asked == [("round_0", False)]
    assert [query.boolean_query for query in skills.searched[0].queries] == ["wider"]


async def test_a_look_that_fails_is_a_note_at_the_question():
    class Broken:
        async def scope(self, *_args: Any, **_options: Any) -> models.ScopeReport:
            raise RuntimeError("token=CANARY is wrong")

    flow = workflow(scoper=Broken())
    scope = (await flow.start("q", thread_id="t")).payload.scope
    assert scope.notes == ["no hit counts: RuntimeError: token=*** is wrong"]
    assert isinstance(await workflow(scoper=Broken()).run("q"), models.PaperCollection)


async def test_the_question_says_which_sources_rank():
    sources = [FakeCountingSource("one", ranks=True), FakeCountingSource("other")]
    flow = workflow(searcher=Searcher(sources))
    assert (await flow.start("q", thread_id="t")).payload.ranking_sources == ["one"]


async def test_an_edit_after_the_look_is_searched_as_it_was_written():
    skills = FakeSkills()
    scoper = Scoper([FakeCountingSource("fake", {"round_0": 5})])
    flow = workflow(skills, scoper=scoper)
    shown = (await flow.start("q", thread_id="t")).payload
    assert str(shown.scope.queries[0].counts[0]) == "5 fake"
    mine = shown.strategy.model_dump(mode="json")
    mine["queries"][0]["boolean_query"] = "nothing has this"
    await flow.answer("t", edit(mine))
    assert skills.searched[0].queries[0].boolean_query == "nothing has this"
