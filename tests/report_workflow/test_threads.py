"""Reports in lists, alone and beside searches."""

from dataclasses import replace

import pytest
from tests.answers import reply_to
from tests.report_workflow.doubles import report_workflow
from tests.workflow.doubles import with_real_skills, workflow

from paper_search.errors import InvalidDecisionError, ThreadWaitingError
from paper_search.models import Paper, PaperCollection, RawPaper, SourceStatus
from paper_search.models.source_report import Purpose, SourceReport
from paper_search.report_workflow import ReportWorkflow, Review
from paper_search.report_workflow.assembly import finished_collection
from paper_search.report_workflow.listing import REPORT, SEARCH, ReportCatalog, ThreadCatalogs
from paper_search.testing.llm import FakeLLM, grades_of
from paper_search.testing.reports import QUESTION, FakeSearch, report_services
from paper_search.testing.sources import FakeSource
from paper_search.workflow import ThreadStatus
from paper_search.workflow.results import empty_collection


async def test_a_report_in_the_list_says_how_it_stands(persistence):
    flow = report_workflow(persistence=persistence)
    await flow.start(QUESTION, thread_id="plan")
    await flow.start(QUESTION, thread_id="draft")
    await reply_to(flow, "draft", "approve")
    await flow.start(QUESTION, thread_id="done")
    await reply_to(flow, "done", "reject: no")
    listed = {thread.thread_id: thread for thread in await ReportCatalog(persistence).threads()}
    assert [(n, e.status, e.waits_for, e.version) for n, e in sorted(listed.items())] == [
        ("done", ThreadStatus.DONE, None, None),
        ("draft", ThreadStatus.WAITING, "pre_output_review", 1),
        ("plan", ThreadStatus.WAITING, "plan_review", None),
    ]
    assert listed["done"].ended_by == "rejected_by_person"
    assert all(row.question == QUESTION for row in listed.values())


async def test_a_report_that_stopped_says_where_and_one_with_a_decision_says_whose(persistence):
    class Broken(FakeSearch):
        async def find(self, *_given: object):
            raise RuntimeError("no network")

    flow = report_workflow(persistence=persistence, search=Broken())
    await flow.start(QUESTION, thread_id="t")
    with pytest.raises(RuntimeError):
        await reply_to(flow, "t", "approve", by="ada")
    info = await ReportCatalog(persistence).info("t")
    assert (info.status, info.next_step) == (ThreadStatus.FAILED, "searcher")
    assert "no network" in info.error
    await report_workflow(persistence=persistence).start(QUESTION, thread_id="u")
    session = ReportCatalog(persistence).session("u")
    await session.decide(await session.require_question(), "approve", "ada")
    info = await ReportCatalog(persistence).info("u")
    assert (info.status, info.waits_for) == (ThreadStatus.FAILED, None)
    assert "decided by ada" in info.error


async def test_all_threads_are_one_list_in_the_order_of_change_by_pages(persistence):
    searches, reports = workflow(persistence=persistence), report_workflow(persistence=persistence)
    await searches.start("q", thread_id="s1")
    await reports.start(QUESTION, thread_id="r1")
    await searches.start("q", thread_id="s2")
    await reports.start(QUESTION, thread_id="r2")
    every = ThreadCatalogs(persistence)
    assert await every.names() == ["r2", "s2", "r1", "s1"]
    pages = [await every.threads(limit=2, offset=start) for start in (0, 2, 4)]
    assert [[part.thread_id for part in page] for page in pages] == [["r2", "s2"], ["r1", "s1"], []]
    assert [page.graph for page in pages[0]] == [REPORT, SEARCH]


@pytest.mark.parametrize(
    ("most", "used"), [(1, "the first 1 (max_sources) of 2 papers"), (9, "2 papers")]
)
async def test_a_plan_says_how_many_papers_of_a_search_the_report_takes(persistence, most, used):
    await workflow(persistence=persistence).start("q", thread_id="s")
    for _ in range(2):
        await reply_to(workflow(persistence=persistence), "s", "approve")
    strategy = "1. shade trees.ti.\n2.  street.ti,ab.\n\n3. 1 and 2"  # as such a search may have
    plan = await report_workflow(persistence=persistence, from_thread="s", max_sources=most).start(
        strategy
    )
    assert f"the report rests on {used} of the search s; nothing is searched" in str(
        plan.model_dump()
    )


async def test_a_plan_names_what_the_search_has_found_and_the_report_leaves_out():
    new, aside, *earlier = [
        Paper(id=n, title=f"Shade trees {n}", authors=[], source="s") for n in "abcd"
    ]
    parts = {"papers": [new], "set_aside": [aside], "earlier": earlier}
    collection = empty_collection("q").model_copy(update=parts)
    flow = ReportWorkflow(report_services(collection=collection), from_thread="s")
    plan = str((await flow.start(QUESTION, thread_id="r")).model_dump())
    undecided = "2 papers of earlier rounds that nobody decided on"
    assert f"1 paper of the search s, without 1 paper set aside and {undecided}" in plan


async def test_a_report_leaves_out_what_a_model_found_irrelevant_unless_a_person_included_it(
    persistence,
):
    titles = ("Shade trees cool streets", "Coins", "Ledgers")
    papers = [RawPaper(id=title, title=title, source="fake") for title in titles]
    llm = FakeLLM(grades_of({titles[0]: 2}, 0))
    flow = with_real_skills(FakeSource(papers=papers), llm, persistence=persistence)
    await flow.start(QUESTION, thread_id="s")
    await reply_to(flow, "s", "approve")
    await reply_to(flow, "s", {"action": "approve", "revised_data": {"marked_relevant": ["Coins"]}})
    taken = await finished_collection(persistence, "s")
    assert [paper.title for paper in taken.papers] == ["Shade trees cool streets", "Coins"]
    assert [paper.title for paper in taken.set_aside] == ["Ledgers"]


@pytest.mark.parametrize("last", ["modify: ask about heat", "reject: no"])
async def test_a_plan_stays_open_while_its_search_has_no_result(last):
    services = report_services(collection=empty_collection("q"))
    is_over = True

    async def load(thread_id: str) -> PaperCollection:
        if not is_over:
            raise ThreadWaitingError("it is updated")
        return await services.collection(thread_id)

    flow = ReportWorkflow(replace(services, collection=load), from_thread="s")
    review = await flow.start(QUESTION, thread_id="r")
    is_over = False
    for decision in ("approve", "modify: ask about heat"):
        with pytest.raises(ThreadWaitingError, match="it is updated"):
            await flow.answer("r", decision, token=review.token)
    assert (await flow.pending("r")).token == review.token
    is_over = not last.startswith("reject")
    after = await flow.answer("r", last, token=review.token)
    assert isinstance(after, Review) is is_over


async def test_a_plan_is_made_anew_where_its_search_has_other_papers_than_it_says():
    papers = [Paper(id=n, title=f"Shade trees {n}", authors=[], source="s") for n in "ab"]

    async def load(_thread_id: str) -> PaperCollection:
        return empty_collection("q").model_copy(update={"papers": list(papers)})

    flow = ReportWorkflow(replace(report_services(), collection=load), from_thread="s")
    review = await flow.start(QUESTION, thread_id="r")
    papers.pop()
    sections = {"research_plan": {"expected_sections": ["Heat"]}}
    for decision in ("approve", "skip", {"action": "modify", "modifications": sections}):
        with pytest.raises(InvalidDecisionError, match="rests on 2 papers, and the search has 1 p"):
            await flow.answer("r", decision, token=review.token)
    assert (await flow.pending("r")).token == review.token
    again = await flow.answer("r", "modify: as before", token=review.token)
    assert "the report rests on 1 paper of the search s" in str(again.shows["warnings"])
    assert (await flow.answer("r", "approve", token=again.token)).kind != "plan_review"


async def test_a_count_of_hits_that_was_never_sent_has_no_time_in_a_report():
    row = SourceReport(source="arxiv", purpose=Purpose.COUNT, status=SourceStatus.TIMEOUT)
    collection = empty_collection("q").model_copy(update={"reports": [row]})
    flow = ReportWorkflow(report_services(collection=collection), from_thread="s")
    review = await flow.start(QUESTION, thread_id="r")
    assert "Query" not in review.action_requests[0].description
    report = await flow.answer("r", "reject: nothing in it", token=review.token)
    assert [row.asked_at for row in report.journal] == [None]
