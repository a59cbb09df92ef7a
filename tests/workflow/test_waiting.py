"""What a slow source had left to say joins the result of the same round when a person waits."""

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest
from tests.answers import reply_to
from tests.skills.test_searcher import Turning
from tests.workflow import doubles
from tests.workflow.doubles import Builder, Crash, Late

from paper_search import workflow
from paper_search.errors import InvalidDecisionError
from paper_search.models import (
    PaperCollection,
    RawPaper,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.persistence import Persistence, open_persistence
from paper_search.skills import RelevanceScorer, Searcher
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.testing.skills import FakeSkills, fake_strategy
from paper_search.testing.sources import FakeSource
from paper_search.workflow.counts import summaries
from paper_search.workflow.marks import MarkStore
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.rounds import ask_again
from paper_search.workflow.session import SearchSession
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import MAX_WAITS

WAIT = {"action": "edit", "revised_data": {"wait_for_sources": True}}
QUICK = "abcd"


def papers(name: str, *numbers: int) -> list[RawPaper]:
    return [RawPaper(id=f"{name}{n}", title=f"Paper {n} of {name}", source=name) for n in numbers]


@pytest.fixture
def late() -> Late:
    return Late("late", papers("late", 1))


def waiting(
    late: Any, *others: Any, limits: dict[str, float] | None = None, **options: Any
) -> workflow.SearchWorkflow:
    """Return a search over a late source and four quick ones, or others."""
    sources = [*(others or (FakeSource(name, papers(name, 1, 2)) for name in QUICK)), late]
    times = {"straggler_s": 0.1, "deadline_s": 1.0, "patience_s": 0.1, **(limits or {})}
    fake = Builder(fake_strategy("x", sources=[source.source_name for source in sources]))
    return doubles.workflow(fake, searcher=Searcher(sources, **times), **options)


def ids(collection: PaperCollection) -> set[str]:
    return {paper.id for paper in (*collection.papers, *collection.set_aside)}


async def at_result(
    *sources: FakeSource, **options: Any
) -> tuple[workflow.SearchWorkflow, workflow.Checkpoint]:
    """Return a thread that waits with a result from which a source was left out."""
    flow = waiting(*sources, **options)
    return flow, await doubles.at_result(flow)


async def wait_for(late: Late, flow: workflow.SearchWorkflow) -> Any:
    late.is_late = False
    return (await reply_to(flow, "t", WAIT)).payload


SCORERS = pytest.mark.parametrize(
    "scorer", [{}, {"relevance_scorer": RelevanceScorer()}], ids=["foreign", "own"]
)


def of_late(payload: workflow.ResultPayload) -> list[SourceReport]:
    return [report for report in payload.reports if report.source == "late"]


async def test_marks_given_with_it_or_before_are_kept_with_who_made_them_and_why(late, persistence):
    flow, _ = await at_result(late, persistence=persistence)
    store = MarkStore(SearchRecords(persistence.store, "t"))
    await store.say(["a1"], 0, is_relevant=False, reason="too old", by="bob")
    await store.say(["a2"], 0, is_relevant=True, by="bob")
    late.is_late = False
    said = {
        "wait_for_sources": True,
        "marked_relevant": ["b1"],
        "marked_irrelevant": ["a1", "b2"],
        "reasons": {"b2": "no data"},
        "unmarked": ["a2"],
        "merge_decisions": [{"one": "c1", "other": "d1", "is_same": True}],
    }
    await reply_to(flow, "t", {"action": "edit", "revised_data": said}, by="ada")
    made = {mark.paper_id: mark for mark in await store.marks()}
    asked = (await flow.pending("t")).payload
    result = await reply_to(flow, "t", "approve", by="cyd")
    assert (made["a1"].reason, made["a1"].said_by) == ("too old", "bob")
    assert (made["b2"].reason, made["b2"].said_by) == ("no data", "ada")
    assert [item.model_dump() for item in asked.merge_decisions] == said["merge_decisions"]
    decided = {paper.id: paper.decision for paper in (*result.papers, *result.set_aside)}
    assert {i: said for i, said in decided.items() if said != "undecided"} == {
        "a1": "excluded",
        "b1": "included",
        "b2": "excluded",
    }


async def done_reviewers(persistence: Persistence) -> list[str]:
    agreement = await (await SearchSession.on(persistence, "t").reviewers()).agreement()
    return [reviewer.name for reviewer in agreement.reviewers if reviewer.is_done]


async def test_a_reviewer_who_was_done_is_not_when_papers_come(late, persistence):
    flow, _ = await at_result(late, persistence=persistence)
    for name in ("ada", "bo"):
        await (await SearchSession.on(persistence, "t").reviewers()).finish(name)
    assert await done_reviewers(persistence) == ["ada", "bo"]
    await wait_for(late, flow)
    assert await done_reviewers(persistence) == []
    now = await SearchSession.on(persistence, "t").reviewers()
    await now.join("ada")  # nobody is told that they have seen what the others decided
    await now.finish("ada")
    assert await done_reviewers(persistence) == ["ada"]


async def test_a_source_that_is_too_slow_again_can_be_waited_for_but_not_for_ever():
    flow, asked = await at_result(FakeSource("late", error=TimeoutError("too slow")))
    for waited in range(MAX_WAITS):
        assert asked.payload.unfinished_sources == ["late"], waited
        asked = await reply_to(flow, "t", WAIT)
    assert asked.payload.unfinished_sources == []
    assert of_late(asked.payload)[0].is_unfinished
    with pytest.raises(InvalidDecisionError, match="already waited 20 times"):
        await reply_to(flow, "t", WAIT)
    assert isinstance(await reply_to(flow, "t", "approve"), PaperCollection)


class Halting(FakeSource):
    """Gives two records and is cut off; what it says when it is asked again is set by a test."""

    again: Any = None

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        if not self.strategies:
            found = await self.search_advanced(strategy)
            given = SourceReport(
                source="late", query="x", status=SourceStatus.PARTIAL, kept=2, is_unfinished=True
            )
            return SearchReport(papers=found, sources=[given])
        self.strategies.append(strategy)
        if isinstance(self.again, Exception):
            raise self.again
        return SearchReport.model_validate(self.again)


EMPTY = {"sources": [{"source": "late", "query": "x", "status": "empty"}]}
REFUSED = {
    "sources": [{"source": "late", "query": "x", "status": "rate_limited", "error": "not now"}]
}


@pytest.mark.parametrize(
    ("again", "status", "said"),
    [
        (OSError("it broke"), SourceStatus.UNREACHABLE, "it broke"),
        (REFUSED, SourceStatus.RATE_LIMITED, "not now"),
        (EMPTY, SourceStatus.EMPTY, ""),
    ],
    ids=["error", "refused", "empty"],
)
@SCORERS
async def test_nothing_is_lost_if_the_second_asking_fails(again, status, said, scorer):
    late = Halting("late", papers("late", 1, 2))
    late.again = again
    flow, checkpoint = await at_result(late, **scorer)
    before = checkpoint.payload
    assert before.unfinished_sources == ["late"]
    after = (await reply_to(flow, "t", WAIT)).payload
    assert ids(after.collection) == ids(before.collection)
    assert {"late1", "late2"} <= ids(after.collection)
    assert after.unfinished_sources == []
    assert sum(report.kept for report in of_late(after)) == 2
    assert of_late(after)[-1].status is status
    assert said in f"{of_late(after)[-1].error} {of_late(after)[-1].note}"
    async with flow._session("t") as session:
        state = await session.state()
    assert state.silent_sources == []


@pytest.mark.parametrize(("hits", "known"), [(None, 70), (50, 50)])
def test_the_hits_are_those_of_the_last_time_that_a_source_said_them(hits, known):
    first = SourceReport(
        source="s",
        query="q",
        status=SourceStatus.TIMEOUT,
        kept=5,
        hits=70,
        error="it may have more",
        is_asked_again=True,
    )
    again = SourceReport(source="s", query="q", status=SourceStatus.EMPTY, repeated=2, hits=hits)
    (summary,) = summaries([first, again])
    assert (summary.status, summary.kept, summary.hits) == (SourceStatus.OK, 5, known)
    assert "it may have more" not in summary.note


@pytest.mark.parametrize(
    ("strategy", "awaited", "told"),
    [
        (["here", "gone", "other"], ["gone", "here"], [("here", False), ("gone", True)]),
        (["gone"], ["gone"], [("gone", True)]),
        (["nowhere"], ["here"], [("here", False)]),
    ],
    ids=["one of them is gone", "all are gone", "none of the strategy was known"],
)
async def test_a_source_that_is_gone_is_a_line_and_no_other_is_asked(strategy, awaited, told):
    services = replace(
        FakeSkills().skills, searcher=Searcher([FakeSource("here", papers("here", 1))])
    )
    answer = await ask_again(services, fake_strategy("x", sources=strategy), awaited)
    assert [(report.source, report.status.is_failure) for report in answer.sources] == told
    errors = [str(report.error) for report in answer.sources if report.status.is_failure]
    assert all("cannot be queried here" in error for error in errors)


async def test_what_cannot_be_waited_for_is_said():
    flow = waiting(Late("late", papers("late", 1)))
    await flow.start("q", thread_id="t")
    with pytest.raises(InvalidDecisionError, match="only an edit of a result waits"):
        await reply_to(flow, "t", {**WAIT, "action": "reject"})
    await reply_to(flow, "t", "approve")
    for action in ("approve", "reject"):
        with pytest.raises(InvalidDecisionError, match="only an edit of a result waits"):
            await reply_to(flow, "t", {**WAIT, "action": action})
    said = {"wait_for_sources": True, "free_text_feedback": "only trials"}
    with pytest.raises(InvalidDecisionError, match="waiting does not start another round"):
        await reply_to(flow, "t", {"action": "edit", "revised_data": said})
    flow, asked = await at_result(FakeSource("late", papers("late", 1)))
    assert asked.payload.unfinished_sources == []
    with pytest.raises(InvalidDecisionError, match="there is nothing to wait for"):
        await reply_to(flow, "t", WAIT)


async def test_going_back_before_a_wait_takes_what_it_brought_out_of_the_round(late, persistence):
    flow, first = await at_result(late, persistence=persistence)
    await wait_for(late, flow)
    records = SearchRecords(persistence.store, "t")
    assert {row.waits for row in (await records.rounds([0]))[0].arrivals} == {0, 1}
    again = await flow.fork("t", workflow.CheckpointKind.RESULT_REVIEW)
    assert again.reference == first.reference
    assert {row.waits for row in (await records.rounds([0]))[0].arrivals} == {0}
    assert "late1" in ids((await wait_for(late, flow)).collection), "the strategy stays approved"


@pytest.mark.parametrize(
    ("owner", "method"),
    [
        (MarkStore, "save"),
        (Skills, "search"),
        (SearchRecords, "save_round"),
        (Skills, "deduplicate"),
        (Skills, "judge"),
        (Builder, "organize"),
    ],
)
async def test_a_process_that_dies_while_it_waits_loses_nothing(late, durable_url, owner, method):
    async with open_persistence(durable_url) as persistence:
        flow, asked = await at_result(late, persistence=persistence)
        late.is_late = False

        async def dies(*_: Any, **__: Any) -> Any:
            raise Crash

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, method, dies)
            with pytest.raises(Crash):
                await flow.answer("t", WAIT, token=asked.token)
    async with open_persistence(durable_url) as persistence:
        flow = waiting(late, persistence=persistence)
        payload = (await flow.answer("t", WAIT, token=asked.token)).payload
        assert "late1" in ids(payload.collection)
        assert [report.kept for report in of_late(payload)] == [0, 1]
        assert (payload.counts.arrived, payload.counts.again) == (9, 0)
        async with flow._session("t") as session:
            rows = (await session.state()).reports
            assert sum(row.kept for row in rows if row.source == "late") == 1
        result = await reply_to(flow, "t", "approve")
    assert len(result.papers) == 9


async def test_a_query_that_was_answered_in_full_is_sent_and_counted_once_when_the_rest_is_had(
    tmp_path,
):
    """The second asking goes on where the first one stopped, by the cache of answers."""
    asked: list[str] = []
    is_stuck = True

    async def pages(request: httpx.Request) -> httpx.Response:
        query, page = request.url.params["q"], request.url.params["page"]
        asked.append(f"{query} {page}")
        if query == "slow" and is_stuck:
            await asyncio.sleep(3600)
        return httpx.Response(200, json=[query, "both"] if page == "1" else [])

    async with httpx.AsyncClient(transport=httpx.MockTransport(pages)) as client:
        settings = SourceSettings(cache_path=tmp_path / "cache.db", deadline_s=60)
        late = HttpSource(Turning(), settings, client=client)
        quick = [FakeSource(name, papers(name, 1)) for name in QUICK]
        searcher = Searcher([*quick, late], straggler_s=2.0, deadline_s=60.0, patience_s=0.1)
        fake = Builder(fake_strategy("quick", "slow", sources=[*QUICK, "turning"]))
        flow = doubles.workflow(fake, searcher=searcher)
        before = (await doubles.at_result(flow)).payload
        assert before.counts.arrived == len(QUICK) + 2
        assert summaries(before.reports)[-1].status is SourceStatus.PARTIAL
        searcher.deadline_s = 1.0
        in_vain = (await reply_to(flow, "t", WAIT)).payload
        assert in_vain.counts.arrived == len(QUICK) + 2
        assert summaries(in_vain.reports)[-1].status is SourceStatus.PARTIAL
        searcher.deadline_s, is_stuck = 60.0, False
        after = (await reply_to(flow, "t", WAIT)).payload
    once = [f"quick {page}" for page in (1, 2, 3)]
    assert asked == [*once, *["slow 1"] * 3, "slow 2", "slow 3"]
    counts = after.counts
    assert (counts.arrived, counts.again, counts.works) == (len(QUICK) + 4, 1, len(QUICK) + 3)
    rows = [row for row in after.reports if row.source == "turning"]
    assert [(row.query, row.kept, row.repeated) for row in rows] == [
        ("quick", 2, 0),
        ("slow", 0, 0),
        ("slow", 0, 0),
        ("slow", 1, 1),
    ]
