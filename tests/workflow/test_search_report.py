"""What a search did, as it is told in the state, in the question and in the result."""

from tests.workflow.doubles import workflow

from paper_search.errors import SearchSourceError
from paper_search.models import (
    SourceReport,
    SourceStatus,
)
from paper_search.skills import Searcher
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.testing.sources import FakeSource
from paper_search.threads.engine import open_memory
from paper_search.workflow import ThreadCatalog, WorkflowState


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


def test_a_source_that_was_not_asked_is_not_said_to_have_no_results():
    rows = [
        SourceReport(source=source, query=query, status=SourceStatus.EMPTY)
        for source, query in (("a", ""), ("b", "q"), ("c", None))
    ]
    assert WorkflowState(reports=rows).silent_sources == ["b", "c"]
