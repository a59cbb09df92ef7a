"""What a search did, as it is told in the state, in the question and in the result."""

from datetime import UTC, datetime
from typing import Any

from tests.workflow.doubles import reject, workflow

from paper_search import __version__
from paper_search.errors import SearchSourceError
from paper_search.models import (
    PaperCollection,
    RawPaper,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.prompts import prompt_digests
from paper_search.skills import Searcher
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.testing.sources import FakeSource
from paper_search.threads.engine import open_memory
from paper_search.workflow import SearchWorkflow, ThreadCatalog, WorkflowState
from paper_search.workflow.records import SearchRecords


class ReportingSearcher:
    """Finds papers in one source, nothing in another, and in the third not before round two."""

    async def search(self, strategy: SearchStrategy) -> list[RawPaper]:
        return (await self.report(strategy)).papers

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        papers = await FakeSkills().search(strategy)
        query = strategy.queries[0].boolean_query
        return SearchReport(
            papers=papers,
            sources=[
                SourceReport(source="a", query=query, status=SourceStatus.OK, kept=len(papers)),
                SourceReport(source="b", query=query, status=SourceStatus.TIMEOUT, error="slow"),
                SourceReport(source="c", query=query, status=SourceStatus.OK, kept=query[-1] > "0"),
            ],
        )


def reporting(handler: Any = None, **options: Any) -> SearchWorkflow:
    return workflow(handler=handler, searcher=ReportingSearcher(), **options)


async def test_how_a_run_went_is_no_part_of_what_it_found():
    result = await reporting().run("graphs")
    bare = result.model_copy(update={"reports": [], "silent_sources": [], "known_papers": None})
    assert result == bare
    assert PaperCollection.model_validate_json(result.model_dump_json()).reports == result.reports


async def test_the_question_and_the_result_say_which_known_papers_were_found():
    found = (await workflow().run("graphs")).papers[0]
    handler = ScriptedHandler(otherwise="approve")
    known = [found.title, "10.1000/nowhere"]
    persistence = await open_memory()
    flow = workflow(FakeSkills(), handler, must_find=known, persistence=persistence)
    result = await flow.run("graphs", thread_id="t")
    report = handler.asked[1].payload.known_papers
    assert report.in_result == [found.title]
    assert report.missing == ["10.1000/nowhere"]
    assert result.known_papers == report
    collection = (await ThreadCatalog(persistence).show("t")).collection
    assert collection.known_papers == report


async def test_when_all_sources_fail_the_person_is_asked_with_every_reason():
    """API-26, API-03"""
    errors = {"a": SearchSourceError("out of order"), "b": KeyError("a bug")}
    searcher = Searcher([FakeSource(name, error=error) for name, error in errors.items()])
    handler = ScriptedHandler(otherwise="approve")
    result = await workflow(handler=handler, searcher=searcher).run("graphs")
    payload = handler.asked[1].payload
    assert [(row.source, row.status.value) for row in payload.reports] == [
        ("a", "bad_response"),
        ("b", "bug"),
    ]
    assert all(row.error for row in payload.reports)
    assert payload.silent_sources == ["a", "b"]
    assert result.papers == []


async def test_every_search_is_dated_and_kept_with_what_it_was_done_with():
    named = FakeSkills()
    named.model = "openai:small"
    handler = ScriptedHandler(["approve", reject("more"), "approve", "approve"])
    persistence = await open_memory()
    flow = reporting(handler, intent_parser=named, persistence=persistence)
    before = datetime.now(UTC).replace(microsecond=0)
    result = await flow.run("q", thread_id="t")
    dates = [datetime.fromisoformat(row.asked_at or "") for row in result.reports]
    assert all(before <= date <= datetime.now(UTC) for date in dates)
    first, second = await SearchRecords(persistence.store, "t").rounds([0, 1])
    assert (first.iteration, first.records) == (0, ["always", "only-round_0"])
    assert (second.iteration, second.records) == (1, ["always", "only-round_1"])
    assert first.program == __version__
    assert first.models == {"intent_parser": "openai:small"}
    assert first.prompts == prompt_digests(["intent_parser"])
    assert before <= datetime.fromisoformat(first.searched_at) <= datetime.now(UTC)


def test_a_source_that_was_not_asked_is_not_said_to_have_no_results():
    rows = [
        SourceReport(source=source, query=query, status=SourceStatus.EMPTY)
        for source, query in (("a", ""), ("b", "q"), ("c", None))
    ]
    assert WorkflowState(reports=rows).silent_sources == ["b", "c"]
